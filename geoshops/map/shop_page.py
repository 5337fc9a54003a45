"""Content of a shop's page: its texts in a language, its card, and its structured data for search engines."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import Any
from urllib.parse import quote

from geoshops.map.card import Card
from geoshops.map.texts import text, texts

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
FACETS = ("purity", "retouch", "item")
DAY_MIN = 24 * 60


def is_whole_day(span: dict[str, Any]) -> bool:
    """Whether opening hours last 24 hours, from a time of day to the same time on the next day."""
    times = (span["open"], span["close"])
    return times == ("00:00", "24:00") or times[0] == times[1]


@dataclass(frozen=True)
class ShopPage:
    """A shop as shown on its page in a language; `detail` is the body of GET /shops/{id}, `color` that of its brand."""

    detail: dict[str, Any]
    color: str
    language: str

    @property
    def id(self) -> int:
        """The shop's identifier."""
        return int(self.detail["id"])

    @property
    def name(self) -> str:
        """The shop's name in the page's language."""
        return self._shown("place_name", self.detail["place_name"])

    @property
    def address(self) -> str:
        """The shop's postal address in the page's language, which may be empty."""
        return self._shown("place_address", self.detail["place_address"])

    @property
    def brand(self) -> str:
        """The brand's name in the page's language; empty if the shop has no brand."""
        return self._shown("brand_name", self.detail["brand"]["brand_name"])

    def _shown(self, field: str, original: str) -> str:
        return str(self.detail.get("display", {}).get(field, original))

    @property
    def is_closed(self) -> bool:
        """Whether the shop is permanently closed."""
        return bool(self.detail["status"] == "CLOSED")

    @property
    def title(self) -> str:
        """The title of the page."""
        return text(self.language, "title.shop", name=self.name)

    @property
    def rating(self) -> str:
        """The average rating and the number of reviews, or a text that there are none."""
        shop = self.detail
        if not shop["review_cnt"]:
            return text(self.language, "rating.none")
        return text(self.language, "rating", rating=shop["star_rating_avg"], n=shop["review_cnt"])

    @property
    def status(self) -> str:
        """Text that the shop is temporarily or permanently closed, or open now or not; empty if its hours are unknown."""
        status, open_now = self.detail["status"], self.detail["open_now"]
        if status != "OPEN":
            return text(self.language, f"status.{status}")
        if open_now is None:
            return ""
        return text(self.language, "open.now" if open_now else "open.not")

    @property
    def titles(self) -> list[str]:
        """The shop's titles."""
        known = texts(self.language)
        return [known.get(f"shop_title.{title}", title) for title in self.detail["shop_titles"]]

    @property
    def facets(self) -> list[tuple[str, int, int]]:
        """Name, percentage of good votes and number of votes of each facet that has votes."""
        stats = ((facet, self.detail["tag_stats"][facet]) for facet in FACETS)
        return [
            (text(self.language, f"facet.{facet}"), round(100 * votes["good_ratio"]), votes["good"] + votes["bad"])
            for facet, votes in stats
            if votes["good_ratio"] is not None
        ]  # fmt: skip

    @property
    def hours(self) -> list[tuple[str, str]]:
        """Ranges of consecutive days with equal times, and these times; empty for a permanently closed shop."""
        if self.is_closed or not self.detail["opening_hours"]:
            return []
        runs = [(times, [*days]) for times, days in groupby(range(1, 8), self._times)]
        return [(self._days(days[0], days[-1]), times) for times, days in runs]

    def _times(self, day: int) -> str:
        spans = (span for span in self.detail["opening_hours"] if span["day"] == day)
        times = (
            text(self.language, "hours.day") if is_whole_day(span) else f"{span['open']}–{span['close']}"
            for span in spans
        )  # fmt: skip
        return ", ".join(times) or text(self.language, "hours.closed")

    def _days(self, first: int, last: int) -> str:
        if last - first == len(DAYS) - 1:
            return text(self.language, "hours.daily")
        return "–".join(text(self.language, f"day.{day}") for day in sorted({first, last}))

    @property
    def reviews(self) -> list[dict[str, Any]]:
        """The newest reviews: author, stars, ISO day, content."""
        return [
            {
                "author": review["member_info"]["nickname"],
                "stars": review["review_info"]["star_rating"],
                "day": "{:04}-{:02}-{:02}".format(*review["review_info"]["create_date"][:3]),
                "content": review["review_info"]["content"],
            }
            for review in self.detail["recent_reviews"]
        ]

    @property
    def homepage(self) -> str:
        """The shop's website, if it is an http or https URL."""
        url = str(self.detail["homepage"])
        return url if url.startswith(("http://", "https://")) else ""

    @property
    def place(self) -> str:
        """Latitude and longitude, separated by a comma."""
        return f"{self.detail['latitude']},{self.detail['longitude']}"

    @property
    def kakao_map(self) -> str:
        """Link to the shop's position in Kakao Map."""
        name = quote(self.detail["place_name"].replace(",", " "), safe="")
        return f"https://map.kakao.com/link/map/{name},{self.place}"

    @property
    def description(self) -> str:
        """One line about the shop, for search results and previews."""
        if self.is_closed:
            facts = [self.status, self.address]
        else:
            facts = [self.address, self.rating, text(self.language, "shop.about")]
        return " · ".join(fact for fact in facts if fact)

    @property
    def card(self) -> Card:
        """The content of the shop's preview picture."""
        shop, language = self.detail, self.language
        return Card(
            language=language,
            name=self.name,
            brand=self.brand,
            color=self.color,
            address=self.address,
            rating=str(shop["star_rating_avg"]) if shop["review_cnt"] else "",
            reviews=text(language, "reviews.count", n=shop["review_cnt"]),
            status="" if shop["status"] == "OPEN" else self.status,
            app_name=text(language, "app.name"),
        )

    def structured(self, *, identity: str, url: str, picture: str) -> dict[str, Any]:
        """The shop as a LocalBusiness of schema.org, without unknown values; a rating without reviews would be invalid.

        identity: the URL shared by the pages in all languages."""
        shop = self.detail
        described = {
            "@context": "https://schema.org",
            "@type": "LocalBusiness",
            "@id": identity,
            "url": url,
            "name": self.name,
            "alternateName": shop["place_name"] if shop["place_name"] != self.name else "",
            "image": picture,
            "brand": {"@type": "Brand", "name": self.brand} if self.brand else "",
            "telephone": shop["phone"],
            "sameAs": self.homepage,
            "address": self._postal_address(),
            "geo": {
                "@type": "GeoCoordinates",
                "latitude": float(shop["latitude"]),
                "longitude": float(shop["longitude"]),
            },
            "hasMap": self.kakao_map,
            "openingHoursSpecification": self._opening_hours(),
            "aggregateRating": self._aggregate_rating(),
            "review": [_review(review) for review in self.reviews],
        }
        return _known(described)

    def _postal_address(self) -> dict[str, Any]:
        """The address; its regions have Korean names, so other languages omit them."""
        region = self.detail["region"] if "display" not in self.detail else {}
        return _known(
            {
                "@type": "PostalAddress",
                "streetAddress": self.address,
                "addressLocality": region.get("sigungu", ""),
                "addressRegion": region.get("sido", ""),
                "addressCountry": "KR",
            }
        )

    def _opening_hours(self) -> list[dict[str, Any]]:
        """One entry per distinct time span, with all its days; empty while the shop is closed."""
        if self.detail["status"] != "OPEN":
            return []
        days: dict[tuple[str, str], list[str]] = {}
        for span in self.detail["opening_hours"]:
            days.setdefault((span["open"], span["close"]), []).append(DAYS[span["day"] - 1])
        return [
            {
                "@type": "OpeningHoursSpecification",
                "dayOfWeek": names,
                "opens": opens,
                "closes": _closes(opens, closes),
            }
            for (opens, closes), names in days.items()
        ]

    def _aggregate_rating(self) -> dict[str, Any]:
        if not self.detail["review_cnt"]:
            return {}
        return {
            "@type": "AggregateRating",
            "ratingValue": self.detail["star_rating_avg"],
            "reviewCount": self.detail["review_cnt"],
            "bestRating": 5,
            "worstRating": 1,
        }


def _closes(opens: str, closes: str) -> str:
    """The closing time for search engines, which read hours that end when they begin as closed and know no 24:00."""
    if closes not in ("24:00", opens):
        return closes
    hour, minute = map(int, closes.split(":"))
    last = (hour * 60 + minute - 1) % DAY_MIN
    return f"{last // 60:02}:{last % 60:02}"


def _known(values: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value not in ("", [], {})}


def _review(review: dict[str, Any]) -> dict[str, Any]:
    return {
        "@type": "Review",
        "author": {"@type": "Person", "name": review["author"]},
        "datePublished": review["day"],
        "reviewBody": review["content"],
        "reviewRating": {
            "@type": "Rating",
            "ratingValue": review["stars"],
            "bestRating": 5,
            "worstRating": 1,
        },
    }
