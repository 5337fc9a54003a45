"""FastAPI on asyncpg: rows to dictionaries, and the JSON that the same SQL function writes."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import asyncpg
import orjson
from fastapi import FastAPI, Request, Response
from shop_answer import COLUMNS, shop

# the id of a representative brand may be any, hence a join
ROWS = f"""
SELECT {COLUMNS}, ST_Distance(s.geog, ST_SetSRID(ST_MakePoint($3, $4), 4326)::geography) AS distance_m
FROM shops s JOIN brands b ON b.id = s.brand_id
WHERE b.is_representative AND s.status <> 'CLOSED'
  AND ST_DWithin(s.geog, ST_SetSRID(ST_MakePoint($1, $2), 4326)::geography, $5)
ORDER BY distance_m, s.id"""
FUNCTION = "SELECT body FROM shops_around($1, $2, $3, $4, $5, NULL, $6, 1000)"


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    """One pool a process, as large as the service's own."""
    async with asyncpg.create_pool(os.environ["DATABASE_URL"], min_size=4, max_size=4) as pool:
        app.state.pool = pool
        yield


app = FastAPI(lifespan=lifespan)


def _json(body: bytes | str) -> Response:
    return Response(body, media_type="application/json")


@app.get("/rows")
async def rows(
    request: Request,
    mapLng: float,  # noqa: N803
    mapLat: float,  # noqa: N803
    userLng: float,  # noqa: N803
    userLat: float,  # noqa: N803
    radius: float = 2000,
) -> Response:
    """Rows to dictionaries, dictionaries to JSON by orjson."""
    found = await request.app.state.pool.fetch(ROWS, mapLng, mapLat, userLng, userLat, radius)
    origin = str(request.base_url).rstrip("/")
    answer: list[dict[str, Any]] = [shop(row, row["distance_m"], origin) for row in found]
    return _json(orjson.dumps(answer))


@app.get("/function")
async def function(
    request: Request,
    mapLng: float,  # noqa: N803
    mapLat: float,  # noqa: N803
    userLng: float,  # noqa: N803
    userLat: float,  # noqa: N803
    radius: float = 2000,
) -> Response:
    """The text that shops_around writes."""
    origin = str(request.base_url).rstrip("/")
    values = (mapLng, mapLat, userLng, userLat, radius, origin)
    return _json(await request.app.state.pool.fetchval(FUNCTION, *values))
