"""Pages and the links between them."""

from __future__ import annotations

import re
from typing import Any

import pytest

from geoshops.web.paging import MAX_DEPTH, MAX_SIZE, ItemList, Page, PagingArgs, list_response
from geoshops.web.reads import RequestContext
from geoshops.web.response import JSON

NOWHERE: Any = None
LINK = re.compile(r'</shops\?page=([0-9]+)&size=[0-9]+>; rel="([a-z]+)"')


def links(total: int, number: int, size: int) -> dict[str, int]:
    """The page numbers that page `number` of `total` items links to, by relation."""
    context = RequestContext(NOWHERE, NOWHERE, "", "/shops", {}, JSON)
    response = list_response(context, Page(number, size), ItemList(b"[]", total, False))
    return {relation: int(page) for page, relation in LINK.findall(response.headers["Link"])}


@pytest.mark.parametrize("total", [0, 1, 9970, 9990, 9991, 9995, MAX_DEPTH])
def test_links_lead_to_existing_pages(total: int) -> None:
    for size in range(1, MAX_SIZE + 1):
        deepest = MAX_DEPTH // size
        for number in {1, deepest - 1, deepest}:
            linked = links(total, number, size)
            for page in linked.values():
                PagingArgs().complete({"page": page, "size": size})
            assert ("next" in linked) == (number < linked["last"]), (size, number)


def test_the_last_page_within_reach_has_no_next() -> None:
    assert links(9995, 332, 30) == {"first": 1, "prev": 331, "next": 333, "last": 333}
    assert links(9995, 333, 30) == {"first": 1, "prev": 332, "last": 333}
    assert links(45, 3, 20) == {"first": 1, "prev": 2, "last": 3}
    assert links(0, 1, 20) == {"first": 1, "last": 1}
