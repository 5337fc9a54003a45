"""Builders of rows for tests: each makes one thing with sensible values and returns its id."""

from __future__ import annotations

import json
import secrets
from typing import Any

from psycopg2 import sql

from geoshops.web import tokens
from geoshops.web.tokens import Caller

GANGNAM = (127.0276, 37.4979)


class Maker:
    """Makes brands, shops, members, sessions, reviews and favorites by plain SQL."""

    def __init__(self, connection: Any) -> None:
        self.connection = connection

    def sql(self, statement: Any, *values: object) -> Any:
        """Runs a statement; the first value of its first row, when it has one."""
        cursor = self.connection.cursor()
        cursor.execute(statement, values or None)
        row = cursor.fetchone() if cursor.description else None
        return row[0] if row else None

    def rows(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """All rows of a statement."""
        cursor = self.connection.cursor()
        cursor.execute(statement, values or None)
        found: list[tuple[Any, ...]] = cursor.fetchall()
        return found

    def filters(self, **values: object) -> str:
        """Filters of a search as the text of the SQL type `shop_filters`."""
        text = "SELECT jsonb_populate_record(NULL::shop_filters, %s)::text"
        return str(self.sql(text, json.dumps(values)))

    def insert(self, table: str, **values: object) -> Any:
        """Inserts one row and returns its id (or first column)."""
        statement = sql.SQL("INSERT INTO {} ({}) VALUES ({}) RETURNING *").format(
            sql.Identifier(table),
            sql.SQL(", ").join(map(sql.Identifier, values)),
            sql.SQL(", ").join(sql.Placeholder() * len(values)),
        )
        return self.sql(statement, *values.values())

    def brand(self, name: str = "인생네컷", *, representative: bool = True, **more: object) -> int:
        """A brand."""
        return int(self.insert("brands", name=name, is_representative=representative, **more))

    def brand_alias(self, brand_id: int, alias: str) -> int:
        """Another name of a brand."""
        return int(self.insert("brand_aliases", brand_id=brand_id, alias=alias))

    def region(self, name: str, *, level: str = "sigungu", parent: int | None = None) -> int:
        """A region without a boundary."""
        return int(self.insert("regions", name=name, level=level, parent_id=parent))

    def region_alias(self, region_id: int, alias: str, kind: str = "old") -> int:
        """Another name of a region."""
        return int(self.insert("region_aliases", region_id=region_id, alias=alias, kind=kind))

    def station(self, name: str, *, at: tuple[float, float], **more: object) -> int:
        """A station at (longitude, latitude); its name has no ending 역."""
        point = f"SRID=4326;POINT({at[0]!r} {at[1]!r})"
        return int(self.insert("stations", name=name, geog=point, **more))

    def shop(
        self, name: str = "인생네컷 강남역점", *, at: tuple[float, float] = GANGNAM, **more: object
    ) -> int:
        """A shop at (longitude, latitude), of the first brand unless told otherwise, with the brand's counter."""
        if "brand_id" not in more:
            more["brand_id"] = self.sql("SELECT min(id) FROM brands") or self.brand()
        if "opening_hours" in more:
            more["opening_hours"] = json.dumps(more["opening_hours"])
        point = f"SRID=4326;POINT({at[0]!r} {at[1]!r})"
        shop = int(self.insert("shops", place_name=name, geog=point, **more))
        if more.get("status") != "CLOSED":
            self.sql("UPDATE brands SET shop_cnt = shop_cnt + 1 WHERE id = %s", more["brand_id"])
        return shop

    def member(self, nickname: str | None = None) -> int:
        """A member."""
        name = nickname or f"회원{secrets.randbelow(10**9)}"
        return int(self.insert("members", nickname=name, nickname_key=name.casefold()))

    def session(self, member_id: int, *, days: int = 30) -> int:
        """A living session."""
        return int(
            self.sql(
                "INSERT INTO sessions (member_id, expires_at, refresh_hash)"
                " VALUES (%s, now() + make_interval(days => %s), sha256(%s)) RETURNING id",
                member_id,
                days,
                secrets.token_bytes(8),
            )
        )

    def bearer(self, app: Any, member_id: int | None = None) -> dict[str, str]:
        """Headers of a signed-in member."""
        member = member_id or self.member()
        with app.app_context():
            token = tokens.issue_access(Caller(member, self.session(member)))
        return {"Authorization": f"Bearer {token}"}

    def favorite(self, member_id: int, shop_id: int) -> int:
        """A favorite, with the shop's counter."""
        self.sql("UPDATE shops SET favorite_cnt = favorite_cnt + 1 WHERE id = %s", shop_id)
        return int(
            self.sql(
                "INSERT INTO favorites (member_id, shop_id, created_at) VALUES (%s, %s, now()) RETURNING id",
                member_id,
                shop_id,
            )
        )

    def review(self, member_id: int, shop_id: int, **more: object) -> int:
        """A review, with the shop's counters; of now unless created_at is given."""
        created = more.pop("created_at", None) or self.sql("SELECT clock_timestamp()")
        values = {"star_rating": 4, "content": "좋아요", "created_at": created, **more}
        values.setdefault("modified_at", values["created_at"])
        review = int(self.insert("reviews", member_id=member_id, shop_id=shop_id, **values))
        self.sql("SELECT count_review(r, 1) FROM reviews r WHERE r.id = %s", review)
        return review

    def title(self, member_id: int, title_id: int, *, main: bool = False) -> None:
        """A title held."""
        self.insert(
            "member_titles",
            member_id=member_id,
            title_id=title_id,
            is_main=main,
            awarded_at=self.sql("SELECT now()"),
        )
