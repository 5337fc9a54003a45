"""FastAPI on asyncpg: rows serialised by the framework or by orjson, and the JSON of the service's SQL function."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import asyncpg
import orjson
from fastapi import FastAPI, Request, Response
from shop_json import COLUMNS, shop

# a join, because representative brands may have any ids
ROWS = f"""
SELECT {COLUMNS}, ST_Distance(s.geog, ST_SetSRID(ST_MakePoint($3, $4), 4326)::geography) AS distance_m
FROM shops s JOIN brands b ON b.id = s.brand_id
WHERE b.is_representative AND s.status <> 'CLOSED'
  AND ST_DWithin(s.geog, ST_SetSRID(ST_MakePoint($1, $2), 4326)::geography, $5)
ORDER BY distance_m, s.id"""
FUNCTION = "SELECT shops_around($1, $2, $3, $4, $5, NULL, $6, 1000)"


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Creates a pool per process with the size of the service's."""
    async with asyncpg.create_pool(os.environ["DATABASE_URL"], min_size=4, max_size=4) as pool:
        app.state.pool = pool
        yield


app = FastAPI(lifespan=lifespan)


def _json(body: bytes | str) -> Response:
    return Response(body, media_type="application/json")


async def shops(request: Request, *circle: float) -> list[dict[str, Any]]:
    """Returns rows as dictionaries, validated and serialised by the framework as in its documentation."""
    found = await request.app.state.pool.fetch(ROWS, *circle)
    origin = str(request.base_url).rstrip("/")
    return [shop(row, row["distance_m"], origin) for row in found]


async def by_orjson(request: Request, *circle: float) -> Response:
    """The same with orjson, bypassing the framework's serialisation."""
    return _json(orjson.dumps(await shops(request, *circle)))


async def function(request: Request, *circle: float) -> Response:
    """Returns the JSON of the SQL function."""
    origin = str(request.base_url).rstrip("/")
    text = await request.app.state.pool.fetchval(FUNCTION, *circle, origin)
    return _json(text.partition("\n")[2])  # after the line with the number of shops


def serve(path: str, answer: Callable[..., Awaitable[Any]], model: Any = None) -> None:
    """Declares the parameters, which are the same for all routes."""

    @app.get(path, response_model=model)
    async def around(
        request: Request,
        mapLng: float,  # noqa: N803
        mapLat: float,  # noqa: N803
        userLng: float,  # noqa: N803
        userLat: float,  # noqa: N803
        radius: float = 2000,
    ) -> Any:
        return await answer(request, mapLng, mapLat, userLng, userLat, radius)


serve("/rows", shops, list[dict[str, Any]])
serve("/orjson", by_orjson)
serve("/function", function)
