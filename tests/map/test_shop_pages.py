"""Tests pages of shops as crawlers and messengers read them."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from flask.testing import FlaskClient
from PIL import Image

from geoshops.database.pool import Database
from geoshops.map import card
from geoshops.messages import LANGUAGES
from geoshops.web import assets
from tests.make import GANGNAM, Maker

CRAWLERS = {
    "KakaoTalk": "facebookexternalhit/1.1; kakaotalk-scrap/1.0; +https://devtalk.kakao.com/t/scrap/33984",
    "Facebook": "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)",
    "Google": "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
}
HOSTILE = """</script><script>alert("1")</script> '&amp; {name}"""
HOURS = [
    {"day": 1, "open": "10:00", "close": "24:00"},
    {"day": 2, "open": "10:00", "close": "24:00"},
    {"day": 6, "open": "18:00", "close": "03:00"},
]


class Read(HTMLParser):
    """The content of a page for a reader without JavaScript."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.meta: dict[str, str] = {}
        self.links: list[dict[str, str]] = []
        self.anchors: list[str] = []
        self.elements: list[str] = []
        self.title = self.shown = self.data = ""
        self._inside = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collects the elements of the head, and links."""
        values = {name: value or "" for name, value in attrs}
        self.elements.append(tag)
        if tag == "meta":
            self.meta[values.get("property") or values.get("name", "")] = values.get("content", "")
        elif tag == "link":
            self.links.append(values)
        elif tag == "a":
            self.anchors.append(values["href"])
        if tag in ("title", "script"):
            self._inside = values.get("type", tag)

    def handle_endtag(self, tag: str) -> None:
        """Ends a title or a script."""
        if tag in ("title", "script"):
            self._inside = ""

    def handle_data(self, data: str) -> None:
        """Collects texts."""
        if self._inside == "title":
            self.title += data
        elif self._inside == "application/ld+json":
            self.data += data
        elif not self._inside:
            self.shown += data

    def link(self, rel: str) -> str:
        """The address of the first link of that kind."""
        return next(link["href"] for link in self.links if link["rel"] == rel)

    @property
    def structured(self) -> dict[str, Any]:
        """The structured data."""
        parsed: dict[str, Any] = json.loads(self.data)
        return parsed


@pytest.fixture
def shop(make: Maker) -> int:
    """A shop with everything that a page shows."""
    make.brand("인생네컷", badge_color="#c0305c")
    shop = make.shop(
        "인생네컷 강남역점",
        road_address="서울특별시 강남구 강남대로 396",
        phone="02-123-4567",
        homepage="https://example.org/",
        opening_hours=HOURS,
        shop_titles=["핫플레이스"],
    )
    make.review(make.member("단골손님"), shop, star_rating=5, content="조명이 <b>좋아요</b>")
    make.review(make.member(), shop, star_rating=4, purity="GOOD")
    return shop


@pytest.fixture
def read(client: FlaskClient) -> Callable[..., Read]:
    """Opens pages that exist."""

    def get(path: str, **headers: str) -> Read:
        response = client.get(path, headers=headers)
        assert (response.status_code, response.mimetype) == (200, "text/html")
        return Read(response.text)

    return get


def test_days_with_the_same_times_are_one_line_of_the_page(
    read: Callable[..., Read], make: Maker
) -> None:
    week = [{"day": day, "open": "10:00", "close": "22:00"} for day in (1, 2, 3)]
    week.append({"day": 6, "open": "00:00", "close": "24:00"})
    shown = read(f"/shop/{make.shop(opening_hours=week)}?lang=ja").shown
    for days, times in (
        ("月–水", "10:00–22:00"),
        ("木–金", "定休日"),
        ("土", "24時間"),
        ("日", "定休日"),
    ):
        assert f"{days}{times}" in "".join(shown.split())


@pytest.mark.parametrize("crawler", CRAWLERS)
def test_a_crawler_reads_everything_without_javascript(
    read: Callable[..., Read], shop: int, crawler: str
) -> None:
    page = read(f"/shop/{shop}", **{"User-Agent": CRAWLERS[crawler]})
    assert page.title == "인생네컷 강남역점 · 네컷지기"
    for text in (
        "인생네컷 강남역점", "인생네컷", "서울특별시 강남구 강남대로 396", "별점 4.5점, 리뷰 2개", "02-123-4567",
        "핫플레이스", "단골손님", "조명이 <b>좋아요</b>", "10:00–24:00", "18:00–03:00", "청결", "100%",
    ):  # fmt: skip
        assert text in page.shown
    assert any(url.startswith("https://map.kakao.com/link/map/") for url in page.anchors)
    assert "강남대로 396" in page.meta["description"]
    assert page.meta["og:url"] == page.link("canonical") == f"http://localhost/shop/{shop}"
    assert page.meta["twitter:card"] == "summary_large_image"
    for name in ("title", "description", "image"):
        assert page.meta[f"og:{name}"] == page.meta[f"twitter:{name}"] != ""


def test_structured_data_describe_the_shop(read: Callable[..., Read], shop: int) -> None:
    page = read(f"/shop/{shop}")
    data = page.structured
    assert (data["@context"], data["@type"]) == ("https://schema.org", "LocalBusiness")
    assert data["name"] == "인생네컷 강남역점"
    assert data["brand"] == {"@type": "Brand", "name": "인생네컷"}
    assert (data["geo"]["longitude"], data["geo"]["latitude"]) == GANGNAM
    assert data["image"] == page.meta["og:image"]
    assert data["telephone"] == "02-123-4567"
    rating = data["aggregateRating"]
    assert (rating["ratingValue"], rating["reviewCount"]) == (4.5, 2)
    hours = [
        (one["dayOfWeek"], one["opens"], one["closes"]) for one in data["openingHoursSpecification"]
    ]
    assert hours == [(["Monday", "Tuesday"], "10:00", "23:59"), (["Saturday"], "18:00", "03:00")]
    assert {review["author"]["name"] for review in data["review"]} >= {"단골손님"}


@pytest.mark.parametrize(
    ("opens", "closes", "stated"),
    [
        ("00:00", "24:00", "23:59"),
        ("00:00", "00:00", "23:59"),
        ("10:00", "10:00", "09:59"),
        ("10:00", "00:00", "00:00"),
        ("18:00", "03:00", "03:00"),
    ],
)
def test_hours_of_a_whole_day_end_a_minute_before_they_begin(
    read: Callable[..., Read], make: Maker, opens: str, closes: str, stated: str
) -> None:
    shop = make.shop(opening_hours=[{"day": 1, "open": opens, "close": closes}])
    (hours,) = read(f"/shop/{shop}").structured["openingHoursSpecification"]
    assert (hours["opens"], hours["closes"]) == (opens, stated)


def test_a_shop_of_which_little_is_known_states_no_more(
    read: Callable[..., Read], make: Maker
) -> None:
    page = read(f"/shop/{make.shop('이름만')}")
    unknown = {"aggregateRating", "review", "openingHoursSpecification", "telephone", "sameAs"}
    assert unknown & page.structured.keys() == set()
    assert "아직 리뷰가 없어요" in page.shown


def test_a_shop_closed_for_a_while_has_a_page_without_hours_in_its_data(
    read: Callable[..., Read], make: Maker
) -> None:
    page = read(f"/shop/{make.shop(status='TEMP_CLOSED', opening_hours=HOURS)}")
    assert "임시 휴업" in page.shown
    assert "openingHoursSpecification" not in page.structured


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_language_has_an_address_of_its_own(
    read: Callable[..., Read], shop: int, lang: str
) -> None:
    page = read(f"/shop/{shop}?lang={lang}", **{"Accept-Language": "ko"})
    assert page.link("canonical") == f"http://localhost/shop/{shop}?lang={lang}"
    alternates = {
        link["hreflang"]: link["href"] for link in page.links if link["rel"] == "alternate"
    }
    assert alternates == {
        **{code: f"http://localhost/shop/{shop}?lang={code}" for code in LANGUAGES},
        "x-default": f"http://localhost/shop/{shop}",
    }
    korean = lang == "ko"
    assert ("강남역" in page.title) is korean
    assert ("alternateName" in page.structured) is not korean
    assert page.structured["@id"] == f"http://localhost/shop/{shop}"


@pytest.mark.parametrize("sent", ["xx", "", "ko%00", "%ff"])
def test_an_unknown_language_is_ignored(read: Callable[..., Read], shop: int, sent: str) -> None:
    page = read(f"/shop/{shop}?lang={sent}", **{"Accept-Language": "en"})
    assert page.link("canonical") == f"http://localhost/shop/{shop}"
    assert page.meta["og:locale"] == "en_US"


def test_names_are_escaped_everywhere(read: Callable[..., Read], make: Maker) -> None:
    make.brand(HOSTILE)
    shop = make.shop(HOSTILE, road_address=HOSTILE, homepage="javascript:alert(1)", phone=HOSTILE)
    make.review(make.member("<i>\"'&amp;"), shop, content=HOSTILE)
    plain, page = read("/"), read(f"/shop/{shop}")
    assert page.elements.count("script") == plain.elements.count("script") + 1
    assert page.title == f"{HOSTILE} · 네컷지기"
    assert page.meta["og:title"] == page.title
    assert page.structured["name"] == page.structured["brand"]["name"] == HOSTILE
    assert page.structured["review"][0]["reviewBody"] == HOSTILE
    assert page.structured["review"][0]["author"]["name"] == "<i>\"'&amp;"
    assert HOSTILE in page.shown and "<i>\"'&amp;" in page.shown
    assert not any(url.startswith("javascript:") for url in page.anchors)
    assert "sameAs" not in page.structured
    kakao = next(url for url in page.anchors if "map.kakao.com" in url)
    assert re.fullmatch(r"https://map\.kakao\.com/link/map/[^,<>\"' ]+,[\d.]+,[\d.]+", kakao)


def test_the_policy_is_that_of_the_map(client: FlaskClient, shop: int) -> None:
    policy = client.get("/").headers["Content-Security-Policy"]
    for path in (f"/shop/{shop}", "/shop/0"):
        assert client.get(path).headers["Content-Security-Policy"] == policy


def test_a_page_is_revalidated(client: FlaskClient, shop: int) -> None:
    first = client.get(f"/shop/{shop}")
    assert first.headers["Cache-Control"] == "no-cache"
    assert {"Accept-Language", "Cookie"} <= set(first.headers["Vary"].split(", "))
    known = {"If-None-Match": first.headers["ETag"]}
    assert client.get(f"/shop/{shop}", headers=known).status_code == 304
    other = {**known, "Accept-Language": "en"}
    assert client.get(f"/shop/{shop}", headers=other).status_code == 200


@pytest.mark.parametrize("path", ["/shop/{}", "/shop/{}?lang=ja", "/shop/{}/card.png"])
def test_one_statement_makes_a_page(
    client: FlaskClient, shop: int, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, statements = Database._query, []

    def counted(self: Database, text: str, *more: Any) -> Any:
        statements.append(text)
        return run(self, text, *more)

    monkeypatch.setattr(Database, "_query", counted)
    assert client.get(path.format(shop)).status_code == 200
    assert len(statements) == 1


def test_a_closed_shop_is_gone_with_a_way_to_others(client: FlaskClient, make: Maker) -> None:
    response = client.get(f"/shop/{make.shop(status='CLOSED', opening_hours=HOURS)}")
    assert (response.status_code, response.mimetype) == (410, "text/html")
    page = Read(response.text)
    assert page.meta["robots"] == "noindex"
    assert "폐점한 지점이에요" in page.shown and "10:00" not in page.shown
    longitude, latitude = GANGNAM
    assert f"/?at={latitude},{longitude},15" in page.anchors


def test_a_merged_shop_redirects_to_the_one_that_has_its_reviews(
    client: FlaskClient, make: Maker
) -> None:
    kept = make.shop()
    merged = make.shop(status="CLOSED", merged_into_id=kept)
    response = client.get(f"/shop/{merged}?lang=en&at=1,2,3")
    assert (response.status_code, response.location) == (301, f"/shop/{kept}?lang=en")
    assert client.get(f"/shop/{merged}").location == f"/shop/{kept}"


@pytest.mark.parametrize("shop_id", ["0", "424242", "9" * 30])
def test_an_unknown_shop_is_a_page_for_people_and_json_for_programs(
    client: FlaskClient, db: Any, shop_id: str
) -> None:
    response = client.get(f"/shop/{shop_id}", headers={"Accept": "text/html,*/*;q=0.8"})
    assert (response.status_code, response.mimetype) == (404, "text/html")
    assert "Accept" in response.headers["Vary"].split(", ")
    assert "지점을 찾을 수 없어요" in response.text
    assert client.get(f"/shop/{shop_id}").mimetype == "text/html"
    program = client.get(f"/shop/{shop_id}", headers={"Accept": "application/json"})
    assert (program.status_code, program.get_json()["error_code"]) == (404, "404")
    assert client.get(f"/shops/{shop_id}").get_json()["error_code"] == "404"
    assert client.get(f"/shop/{shop_id}/card.png").status_code == 404


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_map_itself_has_a_preview(
    read: Callable[..., Read], client: FlaskClient, lang: str
) -> None:
    page = read(f"/?lang={lang}")
    assert page.meta["og:url"] == f"http://localhost/?lang={lang}"
    picture = client.get(urlsplit(page.meta["og:image"]).path)
    assert Image.open(io.BytesIO(picture.data)).size == (1200, 630)


class TestCards:
    """Pictures of shops, which need the fonts of fonts-noto-cjk."""

    @pytest.fixture(autouse=True)
    def fonts(self) -> None:
        """Skips the test if the fonts are missing."""
        if not card.has_fonts():
            pytest.skip("no fonts for pictures of shops (apt-get install fonts-noto-cjk)")

    @pytest.mark.parametrize("lang", LANGUAGES)
    def test_a_page_names_its_picture(
        self, read: Callable[..., Read], client: FlaskClient, shop: int, lang: str
    ) -> None:
        page = read(f"/shop/{shop}?lang={lang}")
        url = urlsplit(page.meta["og:image"])
        assert parse_qs(url.query)["lang"] == [lang]
        response = client.get(f"{url.path}?{url.query}")
        assert (response.status_code, response.mimetype) == (200, "image/png")
        picture = Image.open(io.BytesIO(response.data))
        assert (picture.format, picture.size) == ("PNG", (1200, 630))
        assert (page.meta["og:image:width"], page.meta["og:image:height"]) == ("1200", "630")
        assert response.headers["Cache-Control"] == "public, max-age=86400"
        known = {"If-None-Match": response.headers["ETag"]}
        assert client.get(f"{url.path}?{url.query}", headers=known).status_code == 304

    def test_the_picture_changes_with_the_shop_alone(
        self, read: Callable[..., Read], make: Maker, shop: int
    ) -> None:
        def picture() -> str:
            return read(f"/shop/{shop}").meta["og:image"]

        before = picture()
        assert picture() == before
        make.review(make.member(), shop, star_rating=1)
        assert picture() != before

    def test_what_matters_survives_a_crop_to_two_to_one(self) -> None:
        picture = Image.open(io.BytesIO(card.png(a_card(name="가" * 60)))).convert("RGB")
        for edge in ((0, 0, 1200, 15), (0, 615, 1200, 630)):
            assert picture.crop(edge).getcolors() == [(1200 * 15, picture.getpixel((0, 0)))]

    @pytest.mark.parametrize("name", ["", " ", "가", "W" * 200, HOSTILE, "🙂\u202e\u0301", "a\nb"])
    def test_any_name_can_be_drawn(self, name: str) -> None:
        drawn = card.png(a_card(name=name, brand=name, address=name))
        assert Image.open(io.BytesIO(drawn)).size == card.SIZE

    def test_only_so_many_pictures_are_kept(self) -> None:
        for number in range(card.CARDS_KEPT + 3):
            card.png(a_card(name=f"지점 {number}"))
        assert card._drawn.cache_info().currsize == card.CARDS_KEPT


def a_card(**more: str) -> card.Card:
    texts = {
        "language": "ko", "name": "인생네컷 강남역점", "brand": "인생네컷", "color": "#c0305c", "address": "서울",
        "rating": "4.5", "reviews": "리뷰 2개", "status": "", "app_name": "네컷지기",
    }  # fmt: skip
    return card.Card(**{**texts, **more})


def test_lines_break_between_words_and_within_long_ones() -> None:
    def lines(text: str) -> list[str]:
        return [*card.wrapped(text, 6, len)]

    assert lines("ab cd ef") == ["ab cd", "ef"]
    assert lines("abcdefgh ij") == ["abcdef", "gh ij"]
    assert lines("") == [""]


def test_without_fonts_a_picture_without_text_is_shown(
    read: Callable[..., Read], client: FlaskClient, shop: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(card, "has_fonts", lambda: False)
    share = assets.address("icons/share.png")
    assert read(f"/shop/{shop}").meta["og:image"] == f"http://localhost{share}"
    assert client.get(f"/shop/{shop}/card.png").location == share
