"""Flask with SQLAlchemy entities, GeoAlchemy2 and marshmallow."""

from __future__ import annotations

import os
from typing import Any

from flask import Flask, Response, jsonify, request
from geoalchemy2 import Geography
from geoalchemy2.functions import ST_Distance, ST_DWithin
from geoalchemy2.shape import to_shape
from marshmallow import Schema, fields
from shop_json import degrees, distance_text, rating
from sqlalchemy import ForeignKey, String, create_engine, func, select
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import (
    DeclarativeBase,
    Mapped,
    contains_eager,
    mapped_column,
    relationship,
    sessionmaker,
)


class Base(DeclarativeBase):
    """Base class of the entities."""


class Brand(Base):
    """A brand."""

    __tablename__ = "brands"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]
    image_path: Mapped[str]
    is_representative: Mapped[bool]


class Shop(Base):
    """A shop."""

    __tablename__ = "shops"
    id: Mapped[int] = mapped_column(primary_key=True)
    brand_id: Mapped[int] = mapped_column(ForeignKey("brands.id"))
    place_name: Mapped[str]
    geog: Mapped[Any] = mapped_column(Geography("POINT", 4326))
    road_address: Mapped[str]
    lot_address: Mapped[str]
    status: Mapped[str]
    shop_titles: Mapped[list[str]] = mapped_column(ARRAY(String))
    review_cnt: Mapped[int]
    star_rating_sum: Mapped[int]
    favorite_cnt: Mapped[int]
    brand: Mapped[Brand] = relationship()


class BrandSchema(Schema):
    """The brand in a summary."""

    brand_name = fields.String(attribute="name")
    file_path = fields.Function(lambda brand: request.host_url.rstrip("/") + brand.image_path)


class ShopSchema(Schema):
    """A summary."""

    id = fields.Integer()
    place_name = fields.String()
    longitude = fields.Function(lambda s: degrees(to_shape(s.geog).x))
    latitude = fields.Function(lambda s: degrees(to_shape(s.geog).y))
    place_address = fields.Function(lambda s: s.road_address or s.lot_address)
    status = fields.String()
    shop_titles = fields.List(fields.String())
    brand = fields.Nested(BrandSchema)
    distance = fields.Function(lambda s: distance_text(s.distance_m))
    distance_m = fields.Integer()
    star_rating_avg = fields.Function(lambda s: rating(s.star_rating_sum, s.review_cnt))
    review_cnt = fields.Integer()
    favorite_cnt = fields.Integer()
    favorite = fields.Constant(False)


class Around(Schema):
    """The query."""

    mapLat = fields.Float(required=True)  # noqa: N815
    mapLng = fields.Float(required=True)  # noqa: N815
    userLat = fields.Float(required=True)  # noqa: N815
    userLng = fields.Float(required=True)  # noqa: N815
    radius = fields.Integer(load_default=2000)


app = Flask(__name__)
engine = create_engine(
    os.environ["DATABASE_URL"].replace("postgresql://", "postgresql+psycopg2://", 1),
    pool_size=4,
)
Session = sessionmaker(engine)
SHOPS = ShopSchema(many=True)


def _point(longitude: float, latitude: float) -> Any:
    return func.ST_SetSRID(func.ST_MakePoint(longitude, latitude), 4326).cast(Geography)


@app.get("/shops/brand")
def around() -> Response:
    """Loads entities with their distances and serialises them with marshmallow."""
    args = Around().load(request.args)
    distance = ST_Distance(Shop.geog, _point(args["userLng"], args["userLat"]))
    near = ST_DWithin(Shop.geog, _point(args["mapLng"], args["mapLat"]), args["radius"])
    question = (
        select(Shop, distance.label("distance_m"))
        .join(Shop.brand)
        .options(contains_eager(Shop.brand))
        .where(Brand.is_representative, Shop.status != "CLOSED", near)
        .order_by(distance, Shop.id)
    )
    with Session() as session:
        shops = []
        for shop, distance_m in session.execute(question):
            shop.distance_m = int(distance_m + 0.5)
            shops.append(shop)
        return jsonify(SHOPS.dump(shops))
