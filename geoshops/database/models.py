"""SQLAlchemy models of all tables, without behaviour. A test compares them with sql/schema."""

from __future__ import annotations

import datetime as dt
from typing import Annotated, Any, ClassVar, cast

from geoalchemy2 import Geography, Geometry, WKBElement
from sqlalchemy import (
    ARRAY,
    BigInteger,
    Computed,
    DateTime,
    Double,
    ForeignKey,
    Identity,
    Index,
    Integer,
    SmallInteger,
    Table,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.dialects.postgresql import INT4MULTIRANGE, JSONB
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

# the expressions of generated columns are only in sql/schema
GENERATED = "generated in sql/schema"
# conditions of partial indexes, as PostgreSQL prints them
OPEN_SHOPS = "(status <> 'CLOSED'::text)"
OPEN_REPORTS = "(closed_at IS NULL)"
# the address that decides a shop's regions: a lot lies in one district, a road may cross several
SHOP_ADDRESS = "coalesce(nullif(lot_address, ''), road_address)"
# Columns of a merged shop that imports must not change: a source that does not know of the merge lists the shop as
# open, which the constraint shops_merged_is_closed rejects, or as closed without a date.
KEPT_BY_A_MERGE = ("status", "closed_on")
BADGE_COLOR = "#52606d"
# from the largest to the smallest
REGION_LEVELS = ("sido", "sigungu", "dong")

# columns that several tables have, with their type and default
Id = Annotated[int, mapped_column(Identity(), primary_key=True)]
Count = Annotated[int, mapped_column(Integer, server_default=text("0"))]
Flag = Annotated[bool, mapped_column(server_default=text("false"))]
TextOrEmpty = Annotated[str, mapped_column(server_default=text("''::text"))]
GeneratedText = Annotated[str, mapped_column(Computed(GENERATED, persisted=True))]
Source = Annotated[str, mapped_column(server_default=text("'manual'::text"))]
Facet = Annotated[str, mapped_column(server_default=text("'UNSELECTED'::text"))]
NowByDefault = Annotated[dt.datetime, mapped_column(server_default=text("now()"))]


class Base(DeclarativeBase):
    """The tables' metadata; a column without a type of its own has that of its annotation."""

    type_annotation_map: ClassVar = {
        int: BigInteger,
        float: Double,
        str: Text,
        dt.datetime: DateTime(timezone=True),
    }


def table_of(model: type[Base]) -> Table:
    """The table of a model."""
    return cast(Table, model.__table__)


class Brand(Base):
    """Brands of photo booths."""

    __tablename__ = "brands"
    __table_args__ = (
        UniqueConstraint("name_key", name="brands_name_key_unique"),
        Index("brands_parent_id_idx", "parent_id"),
    )
    id: Mapped[Id]
    name: Mapped[str]
    name_key: Mapped[GeneratedText]
    parent_id: Mapped[int | None] = mapped_column(
        ForeignKey("brands.id", name="brands_parent_fkey")
    )
    is_representative: Mapped[Flag]
    badge_color: Mapped[str] = mapped_column(server_default=text(f"'{BADGE_COLOR}'::text"))
    image_path: Mapped[GeneratedText]
    card: Mapped[GeneratedText]
    shop_cnt: Mapped[Count]


class BrandAlias(Base):
    """Alternative names of a brand: aliases, English names, spellings."""

    __tablename__ = "brand_aliases"
    __table_args__ = (
        UniqueConstraint("alias_key", name="brand_aliases_alias_key_unique"),
        Index("brand_aliases_brand_id_idx", "brand_id"),
    )
    id: Mapped[Id]
    brand_id: Mapped[int] = mapped_column(
        ForeignKey("brands.id", name="brand_aliases_brand_fkey", ondelete="CASCADE")
    )
    alias: Mapped[str]
    alias_key: Mapped[GeneratedText]
    lang: Mapped[TextOrEmpty]


class Region(Base):
    """Administrative regions: 시도, 시군구, 읍면동."""

    __tablename__ = "regions"
    __table_args__ = (
        Index("regions_level_code_unique", "level", "code", unique=True),
        Index("regions_name_key_idx", "name_key"),
        Index("regions_parent_name_unique", "parent_id", "name_key", unique=True),
        Index(
            "regions_sido_name_unique",
            "name_key",
            unique=True,
            postgresql_where=text("(level = 'sido'::text)"),
        ),
    )
    id: Mapped[Id]
    level: Mapped[str]
    parent_id: Mapped[int | None] = mapped_column(
        ForeignKey("regions.id", name="regions_parent_fkey")
    )
    name: Mapped[str]
    name_key: Mapped[GeneratedText]
    name_en: Mapped[TextOrEmpty]
    code: Mapped[str | None]
    center: Mapped[WKBElement | None] = mapped_column(Geography("POINT", 4326, spatial_index=False))
    boundary: Mapped[WKBElement | None] = mapped_column(
        Geometry("MULTIPOLYGON", 4326, spatial_index=False)
    )
    source: Mapped[Source]


class RegionAlias(Base):
    """Short, old and English names of regions (서울, 강원도, Seoul)."""

    __tablename__ = "region_aliases"
    __table_args__ = (
        UniqueConstraint(
            "region_id", "alias_key", "lang", name="region_aliases_region_alias_unique"
        ),
        Index("region_aliases_alias_key_idx", "alias_key"),
    )
    id: Mapped[Id]
    region_id: Mapped[int] = mapped_column(
        ForeignKey("regions.id", name="region_aliases_region_fkey", ondelete="CASCADE")
    )
    alias: Mapped[str]
    alias_key: Mapped[GeneratedText]
    kind: Mapped[str] = mapped_column(server_default=text("'short'::text"))
    lang: Mapped[TextOrEmpty]


class RegionPart(Base):
    """Boundaries subdivided to at most 256 vertices each, for look-ups."""

    __tablename__ = "region_parts"
    __table_args__ = (
        Index("region_parts_part_idx", "part", postgresql_using="gist"),
        Index("region_parts_region_id_idx", "region_id"),
    )
    id: Mapped[Id]
    region_id: Mapped[int] = mapped_column(
        ForeignKey("regions.id", name="region_parts_region_fkey", ondelete="CASCADE")
    )
    level: Mapped[str]
    part: Mapped[WKBElement] = mapped_column(Geometry("POLYGON", 4326, spatial_index=False))


class RegionOutline(Base):
    """Boundaries simplified for the map's lower zoom levels."""

    __tablename__ = "region_outlines"
    region_id: Mapped[int] = mapped_column(
        ForeignKey("regions.id", name="region_outlines_region_fkey", ondelete="CASCADE"),
        primary_key=True,
    )
    detail: Mapped[int] = mapped_column(SmallInteger, primary_key=True)
    outline: Mapped[WKBElement] = mapped_column(Geometry("MULTIPOLYGON", 4326, spatial_index=False))


class RegionCode(Base):
    """Codes of regions in the sources of boundaries."""

    __tablename__ = "region_codes"
    __table_args__ = (Index("region_codes_region_id_idx", "region_id"),)
    source: Mapped[str] = mapped_column(primary_key=True)
    level: Mapped[str] = mapped_column(primary_key=True)
    code: Mapped[str] = mapped_column(primary_key=True)
    region_id: Mapped[int] = mapped_column(
        ForeignKey("regions.id", name="region_codes_region_fkey", ondelete="CASCADE"),
    )


class Station(Base):
    """Railway and subway stations, one row per station and line."""

    __tablename__ = "stations"
    __table_args__ = (
        UniqueConstraint("source", "source_id", name="stations_source_id_unique"),
        Index("stations_geog_idx", "geog", postgresql_using="gist"),
        Index("stations_name_key_idx", "name_key"),
    )
    id: Mapped[Id]
    name: Mapped[str]
    name_key: Mapped[GeneratedText]
    name_en: Mapped[TextOrEmpty]
    line: Mapped[TextOrEmpty]
    geog: Mapped[WKBElement] = mapped_column(Geography("POINT", 4326, spatial_index=False))
    source: Mapped[Source]
    source_id: Mapped[str | None]


class StationAlias(Base):
    """Alternative names of stations, including other languages (明洞, ミョンドン)."""

    __tablename__ = "station_aliases"
    __table_args__ = (
        UniqueConstraint(
            "station_id", "alias_key", "lang", name="station_aliases_station_alias_unique"
        ),
    )
    id: Mapped[Id]
    station_id: Mapped[int] = mapped_column(
        ForeignKey("stations.id", name="station_aliases_station_fkey", ondelete="CASCADE"),
    )
    alias: Mapped[str]
    alias_key: Mapped[GeneratedText]
    lang: Mapped[TextOrEmpty]


class Shop(Base):
    """Photo-booth shops."""

    __tablename__ = "shops"
    __table_args__ = (
        UniqueConstraint("source", "source_id", name="shops_source_id_unique"),
        Index("shops_brand_id_idx", "brand_id"),
        Index(
            "shops_brand_spot_idx",
            "brand_id",
            "sido_id",
            "spot",
            postgresql_using="gist",
            postgresql_ops={"spot": "gist_geometry_ops_nd"},
            postgresql_where=text(OPEN_SHOPS),
        ),
        Index(
            "shops_region_spot_idx",
            "sido_id",
            "sigungu_id",
            "spot",
            postgresql_using="gist",
            postgresql_ops={"spot": "gist_geometry_ops_nd"},
            postgresql_where=text(OPEN_SHOPS),
        ),
        Index("shops_geog_idx", "geog", postgresql_using="gist"),
        Index("shops_geom_idx", text("(geog::geometry(POINT, 4326))"), postgresql_using="gist"),
        Index(
            "shops_merged_into_id_idx",
            "merged_into_id",
            postgresql_where=text("(merged_into_id IS NOT NULL)"),
        ),
        Index("shops_sigungu_id_idx", "sigungu_id"),
    )
    id: Mapped[Id]
    brand_id: Mapped[int | None] = mapped_column(ForeignKey("brands.id", name="shops_brand_fkey"))
    geog: Mapped[WKBElement] = mapped_column(Geography("POINT", 4326, spatial_index=False))
    spot: Mapped[WKBElement] = mapped_column(
        Geometry("POINTZ", 4978, dimension=3, spatial_index=False),
        Computed(GENERATED, persisted=True),
    )
    status: Mapped[str] = mapped_column(server_default=text("'OPEN'::text"))
    review_cnt: Mapped[Count]
    star_rating_sum: Mapped[Count]
    favorite_cnt: Mapped[Count]
    place_name: Mapped[str]
    card: Mapped[GeneratedText]
    counts: Mapped[GeneratedText]
    road_address: Mapped[TextOrEmpty]
    lot_address: Mapped[TextOrEmpty]
    sido_id: Mapped[int | None] = mapped_column(ForeignKey("regions.id", name="shops_sido_fkey"))
    sigungu_id: Mapped[int | None] = mapped_column(
        ForeignKey("regions.id", name="shops_sigungu_fkey")
    )
    dong_id: Mapped[int | None] = mapped_column(ForeignKey("regions.id", name="shops_dong_fkey"))
    opened_on: Mapped[dt.date | None]
    closed_on: Mapped[dt.date | None]
    phone: Mapped[TextOrEmpty]
    homepage: Mapped[TextOrEmpty]
    opening_hours: Mapped[Any] = mapped_column(JSONB, server_default=text("'[]'::jsonb"))
    open_minutes: Mapped[Any] = mapped_column(INT4MULTIRANGE, Computed(GENERATED, persisted=True))
    source: Mapped[Source]
    source_id: Mapped[str | None]
    verified_on: Mapped[dt.date | None]
    overrides: Mapped[Any] = mapped_column(JSONB, server_default=text("'{}'::jsonb"))
    merged_into_id: Mapped[int | None] = mapped_column(
        ForeignKey("shops.id", name="shops_merged_into_fkey")
    )
    shop_titles: Mapped[list[str]] = mapped_column(ARRAY(Text), server_default=text("'{}'::text[]"))
    created_at: Mapped[NowByDefault]
    modified_at: Mapped[NowByDefault]
    name_jamo: Mapped[GeneratedText]
    closed_by: Mapped[str | None]


class ShopStats(Base):
    """Rating histogram and facet votes of a shop; no row means no review yet."""

    __tablename__ = "shop_stats"
    shop_id: Mapped[int] = mapped_column(
        ForeignKey("shops.id", name="shop_stats_shop_fkey", ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    )
    star_1: Mapped[Count]
    star_2: Mapped[Count]
    star_3: Mapped[Count]
    star_4: Mapped[Count]
    star_5: Mapped[Count]
    purity_good: Mapped[Count]
    purity_bad: Mapped[Count]
    retouch_good: Mapped[Count]
    retouch_bad: Mapped[Count]
    item_good: Mapped[Count]
    item_bad: Mapped[Count]


class ShopDisplay(Base):
    """Display texts of shops by language, as JSON; a missing or outdated one is built per request."""

    __tablename__ = "shop_displays"
    shop_id: Mapped[int] = mapped_column(
        ForeignKey("shops.id", name="shop_displays_shop_fkey", ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    )
    made_of: Mapped[int]
    ko: Mapped[str]
    en: Mapped[str]
    ja: Mapped[str]
    zh_hans: Mapped[str]
    zh_hant: Mapped[str]


class AuditEntry(Base):
    """Changes by operators, with reasons."""

    __tablename__ = "audit_log"
    __table_args__ = (Index("audit_log_subject_idx", "subject", "subject_id"),)
    id: Mapped[Id]
    happened_at: Mapped[NowByDefault]
    actor: Mapped[str]
    action: Mapped[str]
    subject: Mapped[str]
    subject_id: Mapped[int | None]
    reason: Mapped[str]
    detail: Mapped[Any] = mapped_column(JSONB, server_default=text("'{}'::jsonb"))


class Member(Base):
    """Members; a withdrawn member is kept as a row without personal data."""

    __tablename__ = "members"
    __table_args__ = (UniqueConstraint("nickname_key", name="members_nickname_key_unique"),)
    id: Mapped[Id]
    nickname: Mapped[str | None]
    nickname_key: Mapped[str | None]
    created_at: Mapped[NowByDefault]
    withdrawn_at: Mapped[dt.datetime | None]


class MemberIdentity(Base):
    """The link of a member to the identity provider; deleted on withdrawal."""

    __tablename__ = "member_identities"
    __table_args__ = (UniqueConstraint("member_id", name="member_identities_member_unique"),)
    issuer: Mapped[str] = mapped_column(primary_key=True, autoincrement=False)
    subject: Mapped[str] = mapped_column(primary_key=True, autoincrement=False)
    member_id: Mapped[int] = mapped_column(
        ForeignKey("members.id", name="member_identities_member_fkey")
    )
    provider: Mapped[str]
    unlink_token: Mapped[bytes | None]
    created_at: Mapped[NowByDefault]


class PendingUnlink(Base):
    """Pending unlinks at identity providers; a row is deleted when the unlink succeeds."""

    __tablename__ = "pending_unlinks"
    __table_args__ = (Index("pending_unlinks_next_attempt_at_idx", "next_attempt_at"),)
    id: Mapped[Id]
    provider: Mapped[str]
    issuer: Mapped[str]
    subject: Mapped[str]
    unlink_token: Mapped[bytes | None]
    created_at: Mapped[NowByDefault]
    attempts: Mapped[Count]
    next_attempt_at: Mapped[NowByDefault]
    last_error: Mapped[TextOrEmpty]


class MemberSession(Base):
    """Sessions, one row per sign-in; an ended or expired one is rejected by every worker immediately."""

    __tablename__ = "sessions"
    __table_args__ = (
        Index("sessions_expires_at_idx", "expires_at"),
        Index("sessions_member_id_idx", "member_id"),
    )
    id: Mapped[Id]
    member_id: Mapped[int] = mapped_column(ForeignKey("members.id", name="sessions_member_fkey"))
    device: Mapped[TextOrEmpty]
    created_at: Mapped[NowByDefault]
    last_used_at: Mapped[NowByDefault]
    expires_at: Mapped[dt.datetime]
    ended_at: Mapped[dt.datetime | None]
    refresh_hash: Mapped[bytes]
    previous_refresh_hash: Mapped[bytes | None]
    rotated_at: Mapped[dt.datetime | None]


class IdempotencyKey(Base):
    """Results of creating commands by Idempotency-Key, kept at least 24 hours."""

    __tablename__ = "idempotency_keys"
    __table_args__ = (Index("idempotency_keys_created_at_idx", "created_at"),)
    member_id: Mapped[int] = mapped_column(
        ForeignKey("members.id", name="idempotency_keys_member_fkey", ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    )
    key: Mapped[str] = mapped_column(primary_key=True, autoincrement=False)
    request_hash: Mapped[bytes]
    body: Mapped[str]
    created_at: Mapped[NowByDefault]
    outcome: Mapped[str]
    item_id: Mapped[int | None]


class Review(Base):
    """Reviews of shops by members."""

    __tablename__ = "reviews"
    __table_args__ = (
        Index("reviews_member_created_idx", "member_id", text("created_at DESC"), text("id DESC")),
        Index(
            "reviews_member_shop_idx",
            "member_id",
            "shop_id",
            "created_at",
            postgresql_where=text("(hidden_at IS NULL)"),
        ),
        Index("reviews_shop_created_idx", "shop_id", text("created_at DESC"), text("id DESC")),
    )
    id: Mapped[Id]
    shop_id: Mapped[int] = mapped_column(
        ForeignKey("shops.id", name="reviews_shop_fkey", deferrable=True, initially="DEFERRED"),
    )
    member_id: Mapped[int] = mapped_column(ForeignKey("members.id", name="reviews_member_fkey"))
    star_rating: Mapped[int] = mapped_column(Integer)
    content: Mapped[str]
    purity: Mapped[Facet]
    retouch: Mapped[Facet]
    item: Mapped[Facet]
    created_at: Mapped[dt.datetime]
    modified_at: Mapped[dt.datetime]
    hidden_at: Mapped[dt.datetime | None]


class Report(Base):
    """Reports of members to moderation; open until an operator closes them."""

    __tablename__ = "reports"
    __table_args__ = (
        Index(
            "reports_open_review_unique",
            "member_id",
            "review_id",
            unique=True,
            postgresql_where=text(OPEN_REPORTS),
        ),
        Index(
            "reports_open_shop_unique",
            "member_id",
            "shop_id",
            unique=True,
            postgresql_where=text(OPEN_REPORTS),
        ),
        Index(
            "reports_open_created_idx",
            "created_at",
            "id",
            postgresql_where=text(OPEN_REPORTS),
        ),
        Index("reports_member_id_idx", "member_id"),
        Index("reports_review_id_idx", "review_id"),
        Index("reports_shop_id_idx", "shop_id"),
    )
    id: Mapped[Id]
    member_id: Mapped[int | None] = mapped_column(
        ForeignKey("members.id", name="reports_member_fkey")
    )
    review_id: Mapped[int | None] = mapped_column(
        ForeignKey("reviews.id", name="reports_review_fkey", ondelete="CASCADE")
    )
    shop_id: Mapped[int | None] = mapped_column(
        ForeignKey("shops.id", name="reports_shop_fkey", ondelete="CASCADE")
    )
    reason: Mapped[str]
    content: Mapped[str] = mapped_column(server_default=text("''"))
    created_at: Mapped[dt.datetime]
    closed_at: Mapped[dt.datetime | None]
    outcome: Mapped[str | None]


class Favorite(Base):
    """Favorite shops of members."""

    __tablename__ = "favorites"
    __table_args__ = (
        UniqueConstraint("member_id", "shop_id", name="favorites_member_shop_unique"),
        Index(
            "favorites_member_created_idx", "member_id", text("created_at DESC"), text("id DESC")
        ),
        Index("favorites_shop_created_idx", "shop_id", "created_at"),
    )
    id: Mapped[Id]
    member_id: Mapped[int] = mapped_column(ForeignKey("members.id", name="favorites_member_fkey"))
    shop_id: Mapped[int] = mapped_column(
        ForeignKey("shops.id", name="favorites_shop_fkey", deferrable=True, initially="DEFERRED"),
    )
    created_at: Mapped[dt.datetime]


class Title(Base):
    """Catalogue of member titles."""

    __tablename__ = "titles"
    __table_args__ = (UniqueConstraint("name", name="titles_name_unique"),)
    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    name: Mapped[str]
    content: Mapped[str]
    standard: Mapped[str]
    target: Mapped[int] = mapped_column(Integer)
    earned_by: Mapped[str]
    color: Mapped[str]
    emblem: Mapped[str]


class MemberTitle(Base):
    """Titles that members hold; never withdrawn."""

    __tablename__ = "member_titles"
    __table_args__ = (
        Index("member_titles_one_main", "member_id", unique=True, postgresql_where=text("is_main")),
    )
    member_id: Mapped[int] = mapped_column(
        ForeignKey("members.id", name="member_titles_member_fkey"),
        primary_key=True,
        autoincrement=False,
    )
    title_id: Mapped[int] = mapped_column(
        ForeignKey("titles.id", name="member_titles_title_fkey"),
        primary_key=True,
        autoincrement=False,
    )
    awarded_at: Mapped[dt.datetime]
    is_main: Mapped[Flag]


class PopulationCell(Base):
    """Population by grid cell or small area; an optional import."""

    __tablename__ = "population_cells"
    __table_args__ = (
        UniqueConstraint("source", "source_id", name="population_cells_source_id_unique"),
        Index("population_cells_cell_idx", "cell", postgresql_using="gist"),
    )
    id: Mapped[Id]
    source: Mapped[Source]
    source_id: Mapped[str | None]
    population: Mapped[float]
    cell: Mapped[WKBElement] = mapped_column(
        Geometry("MULTIPOLYGON", srid=4326, spatial_index=False)
    )


class ReviewerSalt(Base):
    """Secret salt of the reviewer keys in the analysts' views."""

    __tablename__ = "reviewer_salt"
    id: Mapped[Id]
    salt: Mapped[bytes]


class CrowdedTile(Base):
    """Tiles that are served from precomputed cells."""

    __tablename__ = "crowded_tiles"
    zoom: Mapped[int] = mapped_column(SmallInteger, primary_key=True, autoincrement=False)
    x: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    y: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    refreshed_at: Mapped[dt.datetime]


class TileCell(Base):
    """Clusters of crowded tiles."""

    __tablename__ = "tile_cells"
    selection: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    zoom: Mapped[int] = mapped_column(SmallInteger, primary_key=True, autoincrement=False)
    x: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    y: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    cell: Mapped[int] = mapped_column(SmallInteger, primary_key=True, autoincrement=False)
    place_x: Mapped[int] = mapped_column(SmallInteger)
    place_y: Mapped[int] = mapped_column(SmallInteger)
    expansion_zoom: Mapped[int] = mapped_column(SmallInteger)
    shop_cnt: Mapped[int] = mapped_column(Integer)
    review_cnt: Mapped[int]
    star_rating_sum: Mapped[int]
    shop_id: Mapped[int | None]


def _index(
    name: str, model: type[Base], expression: str, *, using: str = "btree", where: str | None = None
) -> Index:
    return Index(
        name,
        text(expression),
        postgresql_using=using,
        postgresql_where=text(where) if where else None,
        _table=table_of(model),
    )


# expression indexes of the search; their collation is only in sql/schema
WORDS = "search_words(name_jamo, road_address, lot_address, brand_id, sido_id, sigungu_id, dong_id)"
_index("shops_words_idx", Shop, WORDS, using="gin", where=OPEN_SHOPS)
_index(
    "shops_sounds_idx", Shop, "shop_sounds(place_name, lot_address)", using="gin", where=OPEN_SHOPS
)
_index("shops_roads_idx", Shop, "road_sound(road_address)", where=OPEN_SHOPS)
_index("brands_sounds_idx", Brand, "name_sounds(name)", using="gin")
_index("station_aliases_spellings_idx", StationAlias, "brand_spellings(alias)", using="gin")
for _model, _name, _terms, _spellings in (
    (Brand, "name", "brand_terms(name)", "brand_spellings(name)"),
    (BrandAlias, "alias", "alias_terms(alias)", "brand_spellings(alias)"),
    (Region, "name", "region_terms(name, name_en, level)", "region_spellings(name, name_en, level)"),
    (RegionAlias, "alias", "alias_terms(alias)", "brand_spellings(alias)"),
    (Station, "name", "station_terms(name, name_en)", "station_spellings(name, name_en)"),
):  # fmt: skip
    _table = _model.__tablename__
    _index(f"{_table}_terms_idx", _model, _terms, using="gin")
    _index(f"{_table}_spellings_idx", _model, _spellings, using="gin")
    _index(f"{_table}_jamo_idx", _model, f"jamo({_name})")
    _index(f"{_table}_initials_idx", _model, f"jamo_initials(jamo({_name}))")
for _model in (Region, Station):
    _table = _model.__tablename__
    _index(f"{_table}_jamo_en_idx", _model, "jamo(name_en)", where="(name_en <> ''::text)")
