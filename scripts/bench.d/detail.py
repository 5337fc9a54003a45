"""Shop detail: rows and the SQL function in pgbench, and the service as shipped."""

from __future__ import annotations

from collections.abc import Callable

from data import Bench
from figures import interleave, table
from load import pgbench, server, wrk
from members import visited

ASKED = 1000
# the shop, its regions, statistics and three newest reviews with their authors
ROWS = """
SELECT s.id, s.place_name, ST_X(s.geog::geometry) AS longitude, ST_Y(s.geog::geometry) AS latitude, s.road_address,
  s.status, s.shop_titles, b.name AS brand_name, b.image_path, s.review_cnt, s.star_rating_sum, s.favorite_cnt,
  ST_Distance(s.geog, ST_SetSRID(ST_MakePoint(127.0276, 37.4979), 4326)::geography) AS distance_m,
  s.phone, s.homepage, s.opened_on, s.closed_on, s.opening_hours, r1.name, r2.name, r3.name, t.*,
  v.id, v.created_at, v.modified_at, v.star_rating, v.content, v.purity, v.retouch, v.item, m.id, m.nickname
FROM shops s LEFT JOIN brands b ON b.id = s.brand_id
LEFT JOIN regions r1 ON r1.id = s.sido_id LEFT JOIN regions r2 ON r2.id = s.sigungu_id LEFT JOIN regions r3 ON r3.id = s.dong_id
LEFT JOIN shop_stats t ON t.shop_id = s.id
LEFT JOIN LATERAL (SELECT * FROM reviews v WHERE v.shop_id = s.id AND v.hidden_at IS NULL
  ORDER BY v.created_at DESC, v.id DESC LIMIT 3) v ON true
LEFT JOIN members m ON m.id = v.member_id
WHERE s.id = :s;"""
FUNCTION = "SELECT shop_detail(:s, 127.0276, 37.4979, 'http://127.0.0.1:8000', 'Asia/Seoul');"


def main(bench: Bench) -> dict[str, object]:
    """Prints the table and returns the figures."""
    return of_one_shop(
        bench,
        ROWS,
        "shop_detail",
        FUNCTION,
        lambda shop: f"/shops/{shop}?userLat=37.4979&userLng=127.0276",
    )


def of_one_shop(
    bench: Bench, rows: str, name: str, function: str, path: Callable[[int], str]
) -> dict[str, object]:
    """Loads the detail of one of a thousand shops: rows and function in pgbench, and over HTTP.

    The raw limit is the function, which runs the same query as the service."""
    copy = visited(bench, bench.size())
    seconds, rounds = (3, bench.rounds or 3) if bench.quick else (6, bench.rounds or 5)
    asked = copy.shops[:ASKED]
    one = f"\\set s random({asked[0]}, {asked[-1]})\n"
    paths = list(map(path, asked))
    with server(copy.url) as origin:
        wrk(origin, paths, seconds=2)
        found = interleave(
            {
                "pgbench rows": lambda: pgbench(copy.url, one + rows, seconds=seconds),
                f"pgbench {name}": lambda: pgbench(copy.url, one + function, seconds=seconds),
                "HTTP as shipped": lambda: wrk(origin, paths, seconds=seconds),
            },
            rounds,
        )
    http, limit = found["HTTP as shipped"], found[f"pgbench {name}"]
    return {
        "ratio_to_limit": http.of(limit),
        "ratio_to_rows": http.of(found["pgbench rows"]),
        "requests_per_s": round(http.median("per_s")),
        "p50_ms": http.median("p50_ms"),
        "p99_ms": http.median("p99_ms"),
        "errors": http.errors(),
        "cases": table(found.values(), limit),
    }
