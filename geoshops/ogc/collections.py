"""Defines the collections: the published rows and properties, and the index for bounding boxes.

Paths, documents, filters and schemas of a collection are derived from its entry in COLLECTIONS."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from geoalchemy2 import Geometry
from sqlalchemy import (
    JSON,
    Boolean,
    ColumnElement,
    Double,
    FromClause,
    Numeric,
    Select,
    Text,
    and_,
    bindparam,
    case,
    cast,
    func,
    or_,
    select,
)
from sqlalchemy.dialects.postgresql import array
from sqlalchemy.orm import aliased

from geoshops.database.models import REGION_LEVELS, Brand, Region, RegionPart, Shop, Station
from geoshops.ogc.filters import GEOMETRY, Queryable

POINT = Geometry("POINT", 4326)
EDGES = ("west", "south", "east", "north")
WEST, SOUTH, EAST, NORTH = (bindparam(edge, type_=Double) for edge in EDGES)
# decimal places of boundary coordinates: a tenth of a metre, the precision of the sources
BOUNDARY_DECIMALS = 6


@dataclass(frozen=True)
class Property(Queryable):
    """A published property, which can be used in filters; `values` lists its possible values if they are few.

    example: its value in the example feature of the OpenAPI document."""

    example: object = ""
    type: str = "string"
    nullable: bool = False
    values: tuple[str, ...] = ()


@dataclass(frozen=True)
class Collection:
    """A collection of features with bigint keys.

    name, singular: names in paths; key: the column that identifies a feature.
    keys: the keys of all features; joined: joins the tables that properties need.
    geometry: as GeoJSON, of the type `geometry_type`; shape: the geometry for filters.
    in_box: the keys, as `id`, of features that intersect the box of the parameters EDGES.
    shapes: geometries, as `shape`, that have the collection's extent.
    example_coordinates, example_extent: position of the example feature in the OpenAPI document, and example of the extent."""

    name: str
    singular: str
    title: str
    about: str
    key: Any
    keys: Select[Any]
    joined: Callable[[Select[Any]], Select[Any]]
    properties: Mapping[str, Property]
    geometry: ColumnElement[Any]
    geometry_type: str
    shape: Queryable
    in_box: FromClause
    shapes: Select[Any]
    example_coordinates: list[Any]
    example_extent: list[float]
    has_null_geometry: bool = False
    default_limit: int = 1000
    max_limit: int = 10_000

    @property
    def type_name(self) -> str:
        """The singular as a part of schema names and operation ids."""
        return self.singular.capitalize()

    @property
    def queryables(self) -> dict[str, Queryable]:
        """The properties that filters may use."""
        return {"id": Queryable(self.key, "integer"), **self.properties, "geometry": self.shape}


def _degrees(coordinate: ColumnElement[Any]) -> ColumnElement[Any]:
    return func.trim_scale(func.round(cast(coordinate, Numeric), 7))


def _point(spot: ColumnElement[Any]) -> ColumnElement[Any]:
    coordinates = (_degrees(func.ST_X(spot)), _degrees(func.ST_Y(spot)))
    return func.json_build_object(
        "type", "Point", "coordinates", func.json_build_array(*coordinates)
    )


SPOT = cast(Shop.geog, POINT)
OPEN = Shop.status != "CLOSED"
SIDO, SIGUNGU, DONG = aliased(Region), aliased(Region), aliased(Region)


def _with_names_of_shops(shops: Select[Any]) -> Select[Any]:
    return (
        shops.outerjoin(Brand, Brand.id == Shop.brand_id)
        .outerjoin(SIDO, SIDO.id == Shop.sido_id)
        .outerjoin(SIGUNGU, SIGUNGU.id == Shop.sigungu_id)
        .outerjoin(DONG, DONG.id == Shop.dong_id)
    )


SHOPS = Collection(
    name="shops",
    singular="shop",
    title="Photo-booth shops",
    about="Photo-booth shops that are not closed, with their ratings",
    key=Shop.id,
    keys=select(Shop.id).where(OPEN),
    joined=_with_names_of_shops,
    properties={
        "place_name": Property(Shop.place_name, example="포토이즘박스 강남역점"),
        "brand_name": Property(Brand.name, example="포토이즘박스", nullable=True),
        "place_address": Property(
            func.coalesce(func.nullif(Shop.road_address, ""), Shop.lot_address),
            example="서울특별시 강남구 테헤란로 30",
        ),
        "sido": Property(SIDO.name, example="서울특별시", nullable=True),
        "sigungu": Property(SIGUNGU.name, example="강남구", nullable=True),
        "dong": Property(DONG.name, example="역삼동", nullable=True),
        "status": Property(Shop.status, example="OPEN", values=("OPEN", "TEMP_CLOSED")),
        "star_rating_avg": Property(
            func.mean_rating(Shop.star_rating_sum, Shop.review_cnt), example=4.3, type="number"
        ),
        "review_cnt": Property(Shop.review_cnt, example=14, type="integer"),
        "favorite_cnt": Property(Shop.favorite_cnt, example=5, type="integer"),
        "phone": Property(Shop.phone, example="0507-0000-1262"),
        "homepage": Property(Shop.homepage),
        "opened_on": Property(Shop.opened_on, example="2025-05-21", type="date", nullable=True),
    },
    geometry=_point(SPOT),
    geometry_type="Point",
    shape=Queryable(SPOT, GEOMETRY),
    in_box=func.shops_in_box(WEST, SOUTH, EAST, NORTH).table_valued("id"),
    shapes=select(SPOT.label("shape")).where(OPEN),
    example_coordinates=[127.0266, 37.501239],
    example_extent=[126.310506, 33.245379, 129.431131, 38.259393],
)  # fmt: skip

PARENT, GRANDPARENT = aliased(Region), aliased(Region)


def _with_names_of_parents(regions: Select[Any]) -> Select[Any]:
    return regions.outerjoin(PARENT, PARENT.id == Region.parent_id).outerjoin(
        GRANDPARENT, GRANDPARENT.id == PARENT.parent_id
    )


def _pieces_in(west: Any, east: Any) -> ColumnElement[bool]:
    """Pieces of boundaries that intersect a box; GEOS requires a line or a point for a box without area."""
    corners = func.ST_MakeLine(func.ST_MakePoint(west, SOUTH), func.ST_MakePoint(east, NORTH))
    box = func.ST_Envelope(func.ST_SetSRID(corners, 4326))
    return func.ST_Intersects(RegionPart.part, box, type_=Boolean)


def _regions_intersect(shape: Any) -> ColumnElement[bool]:
    """Whether a region intersects a shape, by its indexed pieces; null without a boundary, like a comparison with null."""
    pieces = select(RegionPart.region_id).where(func.ST_Intersects(RegionPart.part, shape))
    return case((Region.boundary.is_not(None), Region.id.in_(pieces)))


REGIONS = Collection(
    name="regions",
    singular="region",
    title="Administrative regions",
    about="Provinces (시도), districts (시군구) and neighbourhoods (읍면동) with their boundaries, where they are loaded",
    key=Region.id,
    keys=select(Region.id),
    joined=_with_names_of_parents,
    properties={
        "level": Property(Region.level, example="sigungu", values=REGION_LEVELS),
        "name": Property(Region.name, example="강남구"),
        "full_name": Property(
            func.concat_ws(" ", GRANDPARENT.name, PARENT.name, Region.name, type_=Text),
            example="서울특별시 강남구",
        ),
        "name_en": Property(Region.name_en, example="Gangnam-gu"),
        "code": Property(func.coalesce(Region.code, cast(Region.id, Text)), example="11680"),
        "parent_id": Property(Region.parent_id, example=1, type="integer", nullable=True),
        "sido": Property(
            func.coalesce(GRANDPARENT.name, PARENT.name, Region.name), example="서울특별시"
        ),
    },
    geometry=cast(
        func.ST_AsGeoJSON(func.ST_ForcePolygonCCW(Region.boundary), BOUNDARY_DECIMALS, 0), JSON
    ),
    geometry_type="MultiPolygon",
    shape=Queryable(Region.boundary, GEOMETRY, _regions_intersect),
    in_box=select(RegionPart.region_id.label("id"))
    .distinct()
    .where(
        or_(
            and_(WEST <= EAST, _pieces_in(WEST, EAST)),
            and_(WEST > EAST, or_(_pieces_in(WEST, 180), _pieces_in(-180, EAST))),
        )
    )
    .subquery(),
    shapes=select(RegionPart.part.label("shape")),
    example_coordinates=[[[[127.018, 37.534], [127.034, 37.484], [127.095, 37.456], [127.067, 37.521], [127.018, 37.534]]]],
    example_extent=[124.609718, 33.113108, 131.870988, 38.616525],
    has_null_geometry=True,
    # a boundary is as large as hundreds of points
    default_limit=100,
    max_limit=1000,
)  # fmt: skip

STOP = cast(Station.geog, POINT)
BOX = array([WEST, SOUTH, EAST, NORTH])
CIRCLE = func.circle_around(BOX).table_valued("center", "radius_m")

STATIONS = Collection(
    name="stations",
    singular="station",
    title="Stations",
    about="Railway and subway stations, one a line",
    key=Station.id,
    keys=select(Station.id),
    joined=lambda stations: stations,
    properties={
        "name": Property(Station.name, example="강남"),
        "name_en": Property(Station.name_en, example="Gangnam"),
        "line": Property(Station.line, example="2호선"),
    },
    geometry=_point(STOP),
    geometry_type="Point",
    shape=Queryable(STOP, GEOMETRY),
    # the index is on geography, which has no boxes in degrees
    in_box=select(Station.id)
    .where(
        func.ST_DWithin(Station.geog, CIRCLE.c.center, CIRCLE.c.radius_m),
        func.is_in_box(Station.geog, BOX),
    )
    .subquery(),
    shapes=select(STOP.label("shape")),
    example_coordinates=[127.0278, 37.498],
    example_extent=[126.3866, 34.7534, 129.3525, 37.8848],
)

COLLECTIONS = (SHOPS, REGIONS, STATIONS)
