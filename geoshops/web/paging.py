"""Paging: page and size in, Link and X-Total-Count out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import urlencode

from marshmallow import ValidationError

from geoshops.errors import Reason, Unauthorized
from geoshops.web.fields import Args, Integer
from geoshops.web.reads import Answer, Asked

DEFAULT_SIZE = 20
MAX_SIZE = 100
MAX_DEPTH = 10_000


@dataclass(frozen=True)
class Page:
    """A page from 1 of `size` items."""

    number: int
    size: int

    @property
    def offset(self) -> int:
        """Items before the page."""
        return (self.number - 1) * self.size


class ItemList(NamedTuple):
    """A JSON array, how many items the whole answer has, and whether it was cut."""

    body: bytes
    total: int
    truncated: bool

    @classmethod
    def told(cls, text: bytes) -> ItemList:
        """The list that `list_text` of sql/functions writes: its number of items, + when cut, a line's end, JSON."""
        head, _, body = text.partition(b"\n")
        return cls(body, int(head.rstrip(b"+")), head.endswith(b"+"))


def list_of_caller(row: tuple[bytes | None]) -> ItemList:
    """The list that PostgreSQL told; None says that the caller's session has ended."""
    (text,) = row
    if text is None:
        raise Unauthorized("bad_token")
    return ItemList.told(text)


class PagingArgs(Args):
    """Optional `page` and `size`; either of them asks for paging. Loads to `page`: Page or None."""

    page = Integer(low=1, high=MAX_DEPTH, metadata={"description": "Page from 1; asks for paging"})
    size = Integer(
        low=1, high=MAX_SIZE, metadata={"description": "Items a page, 20 when only page is given"}
    )

    def complete(self, values: dict[str, Any]) -> dict[str, Any]:
        """Joins the two into one value."""
        number, size = values.pop("page", None), values.pop("size", None)
        if number is None and size is None:
            return {**values, "page": None}
        page = Page(number or 1, size or DEFAULT_SIZE)
        if page.number * page.size > MAX_DEPTH:
            raise ValidationError({"page": [Reason("page_too_deep", {"high": MAX_DEPTH})]})
        return {**values, "page": page}


def answer(asked: Asked, page: Page | None, found: ItemList, *, shops: bool = False) -> Answer:
    """A list with Link (RFC 8288) and X-Total-Count of its page; X-Result-Truncated when a whole one was cut.

    The total is exact up to 10000."""
    return Answer(found.body, _headers(asked, page, found), shops)


def _headers(asked: Asked, page: Page | None, found: ItemList) -> dict[str, str]:
    if page is None:
        return {"X-Result-Truncated": "true"} if found.truncated else {}
    capped = {"X-Total-Count-Capped": "true"} if found.truncated else {}
    links = ", ".join(_links(asked, page, found.total))
    return {"Link": links, "X-Total-Count": str(found.total), **capped}


def _links(asked: Asked, page: Page, total: int) -> Iterator[str]:
    # a page that would reach beyond MAX_DEPTH is refused, though its first items were within
    last = min(max(1, -(-total // page.size)), MAX_DEPTH // page.size)
    wanted = {"first": 1, "prev": page.number - 1, "next": page.number + 1, "last": last}
    for relation, number in wanted.items():
        if 1 <= number <= last:
            yield f'<{_address(asked, number, page.size)}>; rel="{relation}"'


def _address(asked: Asked, number: int, size: int) -> str:
    query = {**asked.args, "page": number, "size": size}
    return f"{asked.path}?{urlencode(query)}"
