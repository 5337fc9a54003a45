"""Paging: parameters page and size, headers Link and X-Total-Count."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from marshmallow import ValidationError

from geoshops.errors import Reason
from geoshops.geo import feature_collection_text
from geoshops.web.fields import Args, Integer
from geoshops.web.reads import RequestContext
from geoshops.web.response import GEOJSON, Response
from geoshops.web.sessions import of_live_session

DEFAULT_SIZE = 20
MAX_SIZE = 100
MAX_DEPTH = 10_000
WHOLE_LIST = 1000


@dataclass(frozen=True)
class Page:
    """A page, numbered from 1, of `size` items."""

    number: int
    size: int

    @property
    def offset(self) -> int:
        """Items before the page."""
        return (self.number - 1) * self.size


def cut(page: Page | None) -> dict[str, int]:
    """Parameters that limit the count of a list and select the part to return; without a page, the first WHOLE_LIST
    items."""
    if page is None:
        return {"at_most": WHOLE_LIST, "page_size": WHOLE_LIST, "page_offset": 0}
    return {"at_most": MAX_DEPTH, "page_size": page.size, "page_offset": page.offset}


class ItemList(NamedTuple):
    """A JSON array, the total number of items, whether the list was truncated, and ignored words."""

    body: bytes
    total: int
    truncated: bool
    ignored: str = ""

    @classmethod
    def parse(cls, text: bytes) -> ItemList:
        """Parses the text of the SQL function `list_text`: the number of items, ignored words, + if truncated, a line
        end, JSON."""
        head, _, body = text.partition(b"\n")
        total, _, ignored = head.removesuffix(b"+").partition(b" ")
        return cls(body, int(total), head.endswith(b"+"), ignored.decode())


def list_of_caller(row: tuple[bytes | None]) -> ItemList:
    """The list in a row; None means that the caller's session has ended."""
    return ItemList.parse(of_live_session(row[0]))


class PagingArgs(Args):
    """Optional `page` and `size`; each of them enables paging. Loads to `page`: Page or None."""

    page = Integer(low=1, high=MAX_DEPTH, metadata={"description": "Page, from 1; enables paging"})
    size = Integer(
        low=1,
        high=MAX_SIZE,
        metadata={"description": f"Items per page; {DEFAULT_SIZE} if only `page` is given"},
    )

    def complete(self, values: dict[str, Any]) -> dict[str, Any]:
        """Combines the two into one value."""
        number, size = values.pop("page", None), values.pop("size", None)
        if number is None and size is None:
            return {**values, "page": None}
        page = Page(number or 1, size or DEFAULT_SIZE)
        if page.number * page.size > MAX_DEPTH:
            raise ValidationError({"page": [Reason("page_too_deep", {"high": MAX_DEPTH})]})
        return {**values, "page": page}


def list_response(context: RequestContext, page: Page | None, items: ItemList) -> Response:
    """A list, as GeoJSON if negotiated; a page has the headers Link (RFC 8288) and X-Total-Count.

    X-Result-Truncated marks an unpaged list that was truncated. The total is exact up to MAX_DEPTH."""
    body = items.body
    if context.media_type == GEOJSON:
        body = feature_collection_text(body).encode()
    return Response(body, _headers(context, page, items), media_type=context.media_type)


def _headers(context: RequestContext, page: Page | None, items: ItemList) -> dict[str, str]:
    ignored = {"X-Ignored-Words": quote(items.ignored, safe=" ")} if items.ignored else {}
    if page is None:
        return ignored | ({"X-Result-Truncated": "true"} if items.truncated else {})
    capped = {"X-Total-Count-Capped": "true"} if items.truncated else {}
    links = ", ".join(_links(context, page, items.total))
    return {"Link": links, "X-Total-Count": str(items.total), **capped, **ignored}


def _links(context: RequestContext, page: Page, total: int) -> Iterator[str]:
    # a page beyond MAX_DEPTH is rejected even if its first items are within
    last = min(max(1, -(-total // page.size)), MAX_DEPTH // page.size)
    numbers = {"first": 1, "prev": page.number - 1, "next": page.number + 1, "last": last}
    others = {name: texts for name, texts in context.query.items() if name not in ("page", "size")}
    more = urlencode(others, doseq=True, errors="surrogateescape")
    query = f"size={page.size}&{more}" if more else f"size={page.size}"
    for relation, number in numbers.items():
        if 1 <= number <= last:
            yield f'<{context.path}?page={number}&{query}>; rel="{relation}"'
