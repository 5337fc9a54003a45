"""Requests of a signed-in member: the favorites list compared with its raw limit, and the radius search with a token
compared with the anonymous one."""

from __future__ import annotations

from data import Bench, downtown_points
from figures import interleave, table
from load import Load, pgbench, run_wrk, server, wrk
from members import visited
from radius import paths

ROWS = """
SELECT f.id, s.id, s.place_name, ST_X(s.geog::geometry)::text AS longitude, ST_Y(s.geog::geometry)::text AS latitude,
  ST_Distance(s.geog, ST_SetSRID(ST_MakePoint(127.0276, 37.4979), 4326)::geography) AS distance_m,
  CASE WHEN s.review_cnt = 0 THEN 0 ELSE round(s.star_rating_sum::numeric / s.review_cnt, 1) END AS star_rating_avg,
  s.review_cnt, s.favorite_cnt, b.name AS brand_name, b.image_path, s.road_address
FROM favorites f JOIN shops s ON s.id = f.shop_id LEFT JOIN brands b ON b.id = s.brand_id
WHERE f.member_id = :m ORDER BY f.created_at DESC, f.id DESC;"""
FUNCTION = """
SELECT favorites_json(:m, :m, 127.0276, 37.4979, 'http://127.0.0.1:8000', 1000, 1000, 0);"""
LUA = """
local tokens = {{ {tokens} }}
local paths = {{ {paths} }}
math.randomseed(os.time())
request = function()
  local headers = {{ ["Authorization"] = "Bearer " .. tokens[math.random(#tokens)] }}
  return wrk.format("GET", paths[math.random(#paths)], headers)
end
"""


def signed(
    origin: str, asked: list[str], tokens: list[str], seconds: int, *, connections: int = 8
) -> Load:
    """Requests random paths, each as a random member."""
    quoted = {"tokens": tokens, "paths": asked}
    lua = LUA.format(**{k: ",".join(f'"{x}"' for x in v) for k, v in quoted.items()})
    return run_wrk(origin, lua, seconds=seconds, connections=connections)


def main(bench: Bench) -> dict[str, object]:
    """Prints the tables and returns the figures."""
    copy = visited(bench, bench.size())
    seconds, rounds = (3, bench.rounds or 3) if bench.quick else (6, bench.rounds or 5)
    around, listed = paths(downtown_points()), ["/favorites?userLat=37.4979&userLng=127.0276"]
    member = f"\\set m random(1, {len(copy.tokens)})\n"
    with server(copy.url, GEOSHOPS_SECRET_KEY=copy.key) as origin:
        signed(origin, listed + around, copy.tokens, 2)
        found = interleave(
            {
                "pgbench rows": lambda: pgbench(copy.url, member + ROWS, seconds=seconds),
                "pgbench favorites_json": lambda: pgbench(
                    copy.url, member + FUNCTION, seconds=seconds
                ),
                "GET /favorites": lambda: signed(origin, listed, copy.tokens, seconds),
                "GET /shops/brand, anonymous": lambda: wrk(origin, around, seconds=seconds),
                "GET /shops/brand, signed in": lambda: signed(origin, around, copy.tokens, seconds),
            },
            rounds,
        )
    limit, http = found["pgbench favorites_json"], found["GET /favorites"]
    stranger, member_too = (
        found["GET /shops/brand, anonymous"],
        found["GET /shops/brand, signed in"],
    )
    return {
        "ratio_to_limit": http.of(limit),
        "ratio_to_rows": http.of(found["pgbench rows"]),
        "signed_in_of_anonymous": member_too.of(stranger),
        "requests_per_s": round(http.median("per_s")),
        "signed_in_per_s": round(member_too.median("per_s")),
        "anonymous_per_s": round(stranger.median("per_s")),
        "errors": sum(runs.errors() for runs in found.values()),
        "cases": table(found.values(), limit),
    }
