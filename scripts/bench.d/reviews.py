"""The reviews of a shop: raw limit in pgbench as rows and as our function, and the service as shipped."""

from __future__ import annotations

from data import Bench
from figures import interleave, table
from load import pgbench, server, wrk
from members import visited

ASKED = 1000
PAGE = 20
ROWS = f"""
SELECT r.id, r.created_at, r.modified_at, r.star_rating, r.content, r.purity, r.retouch, r.item,
  m.id, m.nickname, t.name AS main_title
FROM (SELECT * FROM reviews v WHERE v.shop_id = :s AND v.hidden_at IS NULL
  ORDER BY v.created_at DESC, v.id DESC LIMIT {PAGE}) r
JOIN members m ON m.id = r.member_id
LEFT JOIN member_titles h ON h.member_id = m.id AND h.is_main LEFT JOIN titles t ON t.id = h.title_id
ORDER BY r.created_at DESC, r.id DESC;"""
FUNCTION = f"SELECT body, total, truncated FROM shop_reviews_json(:s, 'newest', 'Asia/Seoul', 10000, {PAGE}, 0);"


def main(bench: Bench) -> dict[str, object]:
    """Prints the table and returns the figures."""
    copy = visited(bench, bench.size())
    seconds, rounds = (3, bench.rounds or 3) if bench.quick else (6, bench.rounds or 5)
    asked = copy.shops[:ASKED]
    one = f"\\set s random({asked[0]}, {asked[-1]})\n"
    paths = [f"/reviews/shop/{shop}?page=1&size={PAGE}" for shop in asked]
    with server(copy.url) as origin:
        wrk(origin, paths, seconds=2)
        found = interleave(
            {
                "pgbench rows": lambda: pgbench(copy.url, one + ROWS, seconds=seconds),
                "pgbench shop_reviews_json": lambda: pgbench(
                    copy.url, one + FUNCTION, seconds=seconds
                ),
                "HTTP as shipped": lambda: wrk(origin, paths, seconds=seconds),
            },
            rounds,
        )
    rows, http = found["pgbench rows"], found["HTTP as shipped"]
    return {
        "ratio_to_limit": http.of(rows),
        "ratio_to_function": http.of(found["pgbench shop_reviews_json"]),
        "requests_per_s": round(http.median("per_s")),
        "p50_ms": http.median("p50_ms"),
        "p99_ms": http.median("p99_ms"),
        "errors": http.errors(),
        "cases": table(found.values(), rows),
    }
