"""Formats generated rows as lines of COPY's text format."""

from __future__ import annotations

from collections.abc import Iterator

from geoshops import nicknames
from geoshops.sample.clock import Clock
from geoshops.sample.country import Entry
from geoshops.sample.members import Member
from geoshops.sample.reference import SOURCE, Ids
from geoshops.sample.shops import Shop

ISSUER = "https://sample.invalid"
NULL = "\\N"
ESCAPES = str.maketrans({"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"})
MEMBER = "id, nickname, nickname_key, created_at"
IDENTITY = "issuer, subject, member_id, provider, created_at"
SHOP = (
    "id, brand_id, place_name, geog, road_address, lot_address, sido_id, sigungu_id, dong_id,"
    " status, opened_on, closed_on, phone, opening_hours, source, source_id, verified_on,"
    " review_cnt, star_rating_sum, favorite_cnt"
)
REVIEW = "shop_id, member_id, star_rating, content, purity, retouch, item, created_at, modified_at"
FAVORITE = "shop_id, member_id, created_at"


class Rows:
    """Formats rows with the keys of reference rows and the keys reserved for shops and members."""

    def __init__(self, clock: Clock, ids: Ids, first_shop_id: int, first_member_id: int) -> None:
        self._clock = clock
        self._ids = ids
        self._first_shop_id = first_shop_id
        self._first_member_id = first_member_id

    def member(self, member: Member) -> str:
        """Returns a row of members."""
        key = nicknames.key(member.nickname)
        joined = self._clock.moment_text(member.joined)
        return _line(self._first_member_id + member.number, member.nickname, key, joined)

    def identity(self, member: Member) -> str:
        """Returns a row of member_identities, which marks generated members; nobody can sign in with it."""
        return _line(
            ISSUER,
            f"sample-{member.number + 1}",
            self._first_member_id + member.number,
            "oidc",
            self._clock.moment_text(member.joined),
        )

    def shop(self, entry: Entry) -> str:
        """Returns a row of shops with final counters, so that no update is needed."""
        shop, day = entry.shop, self._clock.date_text
        return _line(
            self._first_shop_id + shop.number,
            self._ids.brands[shop.brand.name],
            shop.place_name,
            f"SRID=4326;POINT({shop.lon} {shop.lat})",
            shop.road_address,
            shop.lot_address,
            *self._region_ids(shop),
            shop.status,
            day(shop.opened),
            NULL if shop.closed < 0 else day(shop.closed),
            shop.phone,
            shop.opening_hours,
            SOURCE,
            shop.number + 1,
            day(shop.verified if shop.closed < 0 else min(shop.verified, shop.closed)),
            len(entry.reviews),
            sum(review.stars for review in entry.reviews),
            len(entry.favorites),
        )

    def reviews(self, entry: Entry) -> Iterator[str]:
        """Yields rows of reviews."""
        shop_id, moment = self._first_shop_id + entry.shop.number, self._clock.moment_text
        for review in entry.reviews:
            yield _line(
                shop_id,
                self._first_member_id + review.member,
                review.stars,
                review.content.translate(ESCAPES),
                *review.votes,
                moment(review.created),
                moment(review.modified),
            )

    def favorites(self, entry: Entry) -> Iterator[str]:
        """Yields rows of favorites."""
        shop_id = self._first_shop_id + entry.shop.number
        for favorite in entry.favorites:
            moment = self._clock.moment_text(favorite.created)
            yield _line(shop_id, self._first_member_id + favorite.member, moment)

    def _region_ids(self, shop: Shop) -> tuple[int, int, int]:
        dong = shop.spot.dong
        sigungu = dong.sigungu
        return self._ids.sidos[sigungu.sido], self._ids.sigungus[sigungu], self._ids.dongs[dong]


def _line(*values: object) -> str:
    return "\t".join(map(str, values)) + "\n"
