"""Content negotiation: all common forms of Accept and Accept-Language are parsed; 406 if no type is acceptable."""

from __future__ import annotations

import re

import pytest
from flask.testing import FlaskClient

from geoshops.operations import nginx
from geoshops.web.negotiation import best_language, best_type, weighted
from tests.make import GANGNAM, Maker
from tests.web.test_fast_path import AROUND, READS
from tests.web.test_middleware import LANGUAGES_PREFERRED

JSON, GEOJSON = "application/json", "application/geo+json"
MVT, SVG = "application/vnd.mapbox-vector-tile", "image/svg+xml"
ITEMS = "/ogc/collections/shops/items"
KEYWORD = READS["search.list_shops_by_keyword"]
TILE, MEDAL = "/tiles/shops/0/0/0.mvt", "/titles/1.svg"
JAVA = "text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2"
BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"
ANYTHING = [
    "", " ", ",", "*", "*/*", "* / *;q=x, */*", "*/*; q=.2", "*;q=0.1", JAVA, BROWSER, "*/*;version=1", "*/*;q=high"
]  # fmt: skip
# Accept header → media types of the responses of search, features and tile; None is 406
CHOSEN: dict[str, tuple[str | None, str | None, str | None]] = {
    **dict.fromkeys(ANYTHING, (JSON, GEOJSON, MVT)),
    "application/json": (JSON, JSON, None),
    "application/json; charset=utf-8": (JSON, JSON, None),
    "application/json;charset=utf-8": (JSON, JSON, None),
    "Application/JSON;charset=UTF-8": (JSON, JSON, None),
    'application/json; profile="a,b;q=0"': (JSON, JSON, None),
    "application/geo+json;charset=utf-8": (GEOJSON, GEOJSON, None),
    "application/geo+json; charset=UTF-8, application/json;q=0.9": (GEOJSON, GEOJSON, None),
    "application/geo+json;q=.5, application/json;q=.6": (JSON, JSON, None),
    "application/json, application/geo+json": (JSON, GEOJSON, None),
    "*/*, application/geo+json": (GEOJSON, GEOJSON, MVT),
    "application/json;q=0, */*": (GEOJSON, GEOJSON, MVT),
    "application/*;q=.1": (JSON, GEOJSON, MVT),
    f"{MVT};v=2, image/*": (None, None, MVT),
    "text/csv": (None, None, None),
    "application/json;q=0": (None, None, None),
    "*/*;q=0": (None, None, None),
    "*;q=.0": (None, None, None),
    "application/json;q=0;charset=utf-8, text/*": (None, None, None),
    "json": (None, None, None),
}


@pytest.mark.parametrize("header", CHOSEN)
def test_accept_decides_the_media_type(client: FlaskClient, make: Maker, header: str) -> None:
    make.shop(at=GANGNAM)
    search, features, tile = CHOSEN[header]
    search_response = client.get(AROUND, headers={"Accept": header})
    for response, expected in (
        (search_response, search),
        (client.get(ITEMS, headers={"Accept": header}), features),
        (client.get(TILE, headers={"Accept": header}), tile),
    ):
        actual = (response.status_code, response.mimetype)
        assert actual == ((200, expected) if expected else (406, JSON)), response.request.path
    is_collection = search == GEOJSON
    assert search is None or isinstance(search_response.get_json(), dict) is is_collection


@pytest.mark.parametrize(
    ("header", "explain", "expected"),
    [
        ("application/geo+json", "true", None), ("application/geo+json;q=.5", "1", None),
        ("application/geo+json, application/json;q=0.1", "true", JSON), ("*/*", "true", JSON), ("application/json", "true", JSON),
        ("application/geo+json", "false", GEOJSON), ("application/geo+json", "0", GEOJSON),
    ],
)  # fmt: skip
def test_an_explanation_is_not_available_as_geojson(
    client: FlaskClient, make: Maker, header: str, explain: str, expected: str | None
) -> None:
    make.shop(at=GANGNAM)
    response = client.get(f"{KEYWORD}&explain={explain}", headers={"Accept": header})
    assert (response.status_code, response.mimetype) == (
        (200, expected) if expected else (406, JSON)
    )


@pytest.mark.parametrize("header", CHOSEN)
def test_images_are_sent_for_any_accept_header(
    client: FlaskClient, make: Maker, header: str
) -> None:
    for path in (MEDAL, f"/brands/{make.brand()}.svg"):
        response = client.get(path, headers={"Accept": header})
        assert (response.status_code, response.mimetype) == (200, SVG)


@pytest.mark.parametrize(
    ("weight", "read"),
    [("1", 1), (".2", 0.2), ("0.25", 0.25), ("0.", 0), ("1.000", 1), ("7", 1), ("-1", 1), ("nan", 1), ("1e-3", 1), ("", 1), ("٠", 1), ("1" * 100_000 + "x", 1)],
)  # fmt: skip
def test_an_invalid_weight_counts_as_1(weight: str, read: float) -> None:
    assert weighted(f"A/B;x=y;q={weight}") == [("a/b", read)]


def test_the_closest_range_decides() -> None:
    assert best_type("*/*;q=1, application/*;q=.5, application/json;q=.1", (JSON, MVT)) == MVT
    assert best_type("application/json;v=1;q=0, application/json;v=2", (JSON,)) == JSON
    assert best_type("application/*;q=0, */*", (JSON, MVT)) is None


@pytest.mark.parametrize("header", LANGUAGES_PREFERRED)
def test_languages_are_recognised_by_their_tags(header: str) -> None:
    assert (best_language(header) or "en") == LANGUAGES_PREFERRED[header]


def best_comes_first(header: str) -> bool:
    weights = [weight for _, weight in weighted(header) if weight]
    return weights == sorted(weights, reverse=True)


# only headers in order of weight, because nginx cannot sort by weight
@pytest.mark.parametrize("header", [*filter(best_comes_first, LANGUAGES_PREFERRED)])
def test_nginx_reads_languages_as_the_service_does(header: str) -> None:
    matches = (name for name, pattern in nginx.PREFERS.items() if re.search(pattern, header, re.I))
    assert next(matches, "en") == LANGUAGES_PREFERRED[header]
