"""Flask on Redis GEOSEARCH: precomputed JSON; computes only the distance from the user."""

from __future__ import annotations

import math
import os

import redis
from flask import Flask, Response, request
from shop_json import distance_text

EARTH_M = 6372797.560856  # Redis' own radius
store = redis.Redis.from_url(os.environ["REDIS_URL"], decode_responses=True)
app = Flask(__name__)


def haversine_m(lon: float, lat: float, to_lon: float, to_lat: float) -> float:
    """Returns metres on the sphere."""
    lat, to_lat = math.radians(lat), math.radians(to_lat)
    across = math.sin(math.radians(to_lon - lon) / 2)
    up = math.sin((to_lat - lat) / 2)
    return (
        2
        * EARTH_M
        * math.asin(math.sqrt(up * up + math.cos(lat) * math.cos(to_lat) * across * across))
    )


@app.get("/shops/brand")
def around() -> Response:
    """Searches the circle, then fetches the shops: two round trips."""
    args = request.args
    radius_m = int(args.get("radius", 2000))
    centre = {"longitude": float(args["mapLng"]), "latitude": float(args["mapLat"])}
    user = float(args["userLng"]), float(args["userLat"])
    found = store.geosearch("shops", **centre, radius=radius_m, unit="m", withcoord=True)
    near = sorted((haversine_m(*user, *at), int(shop)) for shop, at in found)
    cards = store.hmget("cards", [shop for _, shop in near]) if near else []
    written = (
        f'{card}"distance":"{distance_text(int(m + 0.5))}","distance_m":{int(m + 0.5)},"favorite":false}}'
        for card, (m, _) in zip(cards, near, strict=True)
    )
    return Response(f"[{','.join(written)}]", mimetype="application/json")
