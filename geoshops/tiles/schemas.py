"""Query and response schemas of vector tiles."""

from __future__ import annotations

from marshmallow import Schema, fields

from geoshops.web.shop_schemas import BrandArgs, ShopFilterArgs


class TileArgs(BrandArgs, ShopFilterArgs):
    """Filters and brand of the shops, as in GET /shops/brand."""


class VectorLayer(Schema):
    """A layer and the meaning of its fields."""

    id = fields.String(required=True)
    description = fields.String(required=True)
    minzoom = fields.Integer(required=True)
    maxzoom = fields.Integer(required=True)
    fields_ = fields.Dict(
        keys=fields.String(), values=fields.String(), required=True, data_key="fields"
    )


class TileJson(Schema):
    """TileJSON 3.0."""

    tilejson = fields.String(required=True)
    name = fields.String(required=True)
    description = fields.String(required=True)
    tiles = fields.List(fields.String(), required=True)
    minzoom = fields.Integer(required=True)
    maxzoom = fields.Integer(required=True)
    bounds = fields.List(fields.Float(), required=True)
    vector_layers = fields.List(fields.Nested(VectorLayer), required=True)
    clusters_refreshed_at = fields.String(
        required=True,
        allow_none=True,
        metadata={
            "format": "date-time",
            "description": "Time at which the clusters of crowded tiles were counted; null if all are live",
        },
    )
