"""Writes: reviews of one hot shop and of many, favorites; the same SQL in pgbench and the service as shipped."""

from __future__ import annotations

import secrets
import statistics
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from data import cursor_of
from load import Load, metered, pgbench, run_wrk, server
from members import access_tokens

from geoshops.web.tokens import Caller

MEMBERS = 500
FIRST_ID = 900_000_001  # of members and of their sessions
CLIENTS = 8
SECONDS, ROUNDS = 4, 3
WHO = f"\\set m random({FIRST_ID}, {FIRST_ID + MEMBERS - 1})\n"
REVIEW = """SELECT outcome, body, item_id, replayed FROM create_review(:m, :m, :s, 4, '조명이 밝고 소품이 많아요',
  'GOOD', 'GOOD', 'BAD', now(), 'Asia/Seoul', 'http://127.0.0.1:8000', 0, NULL, NULL);"""
INSERT = """INSERT INTO bench_reviews (shop_id, member_id, star_rating, content, purity, retouch, item, created_at, modified_at)
VALUES (:s, :m, 4, '조명이 밝고 소품이 많아요', 'GOOD', 'GOOD', 'BAD', now(), now());"""
FAVORITE = """SELECT outcome, body, item_id, replayed FROM add_favorite(:m, :m, :s, NULL, NULL, now(), 'Asia/Seoul',
  'http://127.0.0.1:8000', NULL, NULL);"""
# each member has twenty reviews, so that evaluating titles has a realistic cost
EARLIER = """INSERT INTO reviews (shop_id, member_id, star_rating, content, purity, retouch, item, created_at, modified_at)
SELECT s.first + m % 500 * 31 % 900 + n * 37 % 100, m, 4, '조명이 밝고 소품이 많아요', 'GOOD', 'GOOD', 'BAD',
  now() - interval '1 day' * n, now() - interval '1 day' * n
FROM generate_series({first}, {last}) m, generate_series(1, 20) n, (SELECT min(id) AS first FROM shops) s"""
BODY = '{"star_rating":4,"content":"조명이 밝고 소품이 많아요","purity":"GOOD","retouch":"GOOD","item":"BAD"}'
LUA = """
local tokens = {{ {tokens} }}
local shops = {{ {shops} }}
local n = 0
request = function()
  n = n + 1
  local shop = shops[math.random(#shops)]
  local headers = {{ ["Authorization"] = "Bearer " .. tokens[n % #tokens + 1], ["Content-Type"] = "application/json" }}
  return wrk.format("POST", "{path}" .. shop, headers, {body})
end
"""


def main(database_url: str) -> dict[str, object]:
    """Returns the median rates of interleaved runs, and whether a write was lost."""
    cursor = cursor_of(database_url)
    with _members(cursor), metered() as noise:
        shops = _shops(cursor)
        loads = _compare(database_url, shops)
        lost = _lost(cursor)
    rates = {
        name: round(statistics.median(x.per_s for x in found), 1) for name, found in loads.items()
    }
    _print(loads)
    return {
        **{f"{name}_per_s": rate for name, rate in rates.items()},
        "http_hot_of_sql": round(rates["http_review_hot"] / rates["sql_review_hot"], 3),
        "http_spread_of_sql": round(rates["http_review_spread"] / rates["sql_review_spread"], 3),
        "http_favorite_of_sql": round(rates["http_favorite"] / rates["sql_favorite"], 3),
        "review_of_insert_only": round(rates["sql_review_spread"] / rates["sql_insert_only"], 3),
        "errors": sum(load.errors for found in loads.values() for load in found),
        "lost_updates": lost,
        "foreign_percent": noise["foreign_percent"],
    }  # fmt: skip


def _compare(url: str, shops: list[int]) -> dict[str, list[Load]]:
    key = secrets.token_urlsafe(48)
    ids = range(FIRST_ID, FIRST_ID + MEMBERS)
    tokens = access_tokens(url, key, [Caller(member, member) for member in ids])
    spread = f"\\set s random({shops[0]}, {shops[-1]})\n"
    hot = f"\\set s {shops[0]}\n"

    def sql(script: str) -> Callable[[], Load]:
        return lambda: pgbench(url, WHO + script, seconds=SECONDS, clients=CLIENTS)

    with server(url, GEOSHOPS_SECRET_KEY=key) as origin:

        def http(path: str, where: list[int], body: str) -> Callable[[], Load]:
            lua = _lua(path, where, body, tokens)
            return lambda: run_wrk(origin, lua, seconds=SECONDS, connections=CLIENTS)

        cases = {
            "sql_insert_only": sql(spread + INSERT),
            "sql_review_spread": sql(spread + REVIEW),
            "sql_review_hot": sql(hot + REVIEW),
            "sql_favorite": sql(spread + FAVORITE),
            "http_review_spread": http("/reviews/shop/", shops, BODY),
            "http_review_hot": http("/reviews/shop/", shops[:1], BODY),
            "http_favorite": http("/favorites/", shops, ""),
        }
        return _rounds(cases)


def _rounds(cases: dict[str, Callable[[], Load]]) -> dict[str, list[Load]]:
    loads: dict[str, list[Load]] = {name: [] for name in cases}
    for number in range(ROUNDS):
        for name, run in cases.items():
            loads[name].append(run())
        print(f"round {number + 1} of {ROUNDS}", file=sys.stderr)
    return loads


@contextmanager
def _members(cursor: Any) -> Iterator[None]:
    """Adds members with sessions; restores the database afterwards."""
    _clean(cursor)
    last = FIRST_ID + MEMBERS - 1
    cursor.execute(
        "INSERT INTO members (id, nickname, nickname_key) SELECT n, 'b' || n, 'b' || n"
        f" FROM generate_series({FIRST_ID}, {last}) n"
    )
    cursor.execute(
        "INSERT INTO sessions (id, member_id, expires_at, refresh_hash)"
        f" SELECT n, n, now() + interval '1 day', sha256('b') FROM generate_series({FIRST_ID}, {last}) n"
    )
    cursor.execute(
        "CREATE UNLOGGED TABLE bench_counters AS SELECT id, review_cnt, star_rating_sum, favorite_cnt FROM shops"
    )
    cursor.execute("CREATE TABLE bench_reviews (LIKE reviews INCLUDING ALL)")
    for name, table in (("shop_id", "shops"), ("member_id", "members")):
        cursor.execute(
            f"ALTER TABLE bench_reviews ADD FOREIGN KEY ({name}) REFERENCES {table} (id)"
        )
    cursor.execute(EARLIER.format(first=FIRST_ID, last=last))
    # counters of generated shops include reviews without rows, so the new ones are added
    cursor.execute(
        "UPDATE shops s SET review_cnt = review_cnt + r.n, star_rating_sum = star_rating_sum + 4 * r.n"
        " FROM (SELECT shop_id, count(*)::integer AS n FROM reviews GROUP BY 1) r WHERE r.shop_id = s.id"
    )
    # as autovacuum would: plans made for empty tables use sequential scans
    cursor.execute("ANALYZE members, sessions, reviews, shop_stats, favorites, member_titles")
    try:
        yield
    finally:
        _clean(cursor)


def _clean(cursor: Any) -> None:
    cursor.execute("DROP TABLE IF EXISTS bench_reviews")
    mine = f"member_id >= {FIRST_ID}"
    for table in ("reviews", "favorites", "member_titles", "sessions"):
        cursor.execute(f"DELETE FROM {table} WHERE {mine}")
    cursor.execute("DELETE FROM members WHERE id >= %s", (FIRST_ID,))
    cursor.execute("SELECT to_regclass('bench_counters')")
    if cursor.fetchone()[0]:
        cursor.execute(
            "UPDATE shops s SET review_cnt = b.review_cnt, star_rating_sum = b.star_rating_sum,"
            " favorite_cnt = b.favorite_cnt FROM bench_counters b WHERE b.id = s.id"
            " AND (s.review_cnt, s.favorite_cnt) <> (b.review_cnt, b.favorite_cnt)"
        )
        cursor.execute("DELETE FROM shop_stats t USING bench_counters b WHERE b.id = t.shop_id")
        cursor.execute("DROP TABLE bench_counters")


def _shops(cursor: Any) -> list[int]:
    """Returns a thousand shops with consecutive ids; the first is the hot one."""
    cursor.execute("SELECT min(id) FROM shops")
    first = cursor.fetchone()[0]
    return list(range(first, first + 1000))


def _lua(path: str, shops: list[int], body: str, tokens: list[str]) -> str:
    return LUA.format(
        tokens=",".join(f'"{token}"' for token in tokens),
        shops=",".join(map(str, shops)),
        path=path,
        body=f"[[{body}]]" if body else "nil",
    )


def _lost(cursor: Any) -> int:
    """Returns the shops whose counters did not change by the number of written rows."""
    cursor.execute(
        "SELECT count(*) FROM shops s JOIN bench_counters b USING (id)"
        " LEFT JOIN (SELECT shop_id AS id, count(*) AS n FROM reviews GROUP BY 1) r USING (id)"
        " LEFT JOIN (SELECT shop_id AS id, count(*) AS n FROM favorites GROUP BY 1) f USING (id)"
        " WHERE s.review_cnt - b.review_cnt <> coalesce(r.n, 0)"
        " OR s.favorite_cnt - b.favorite_cnt <> coalesce(f.n, 0)"
    )
    return int(cursor.fetchone()[0])


def _print(loads: dict[str, list[Load]]) -> None:
    print(f"{'case':22}{'per s':>9}{'p50 ms':>9}{'p99 ms':>9}{'errors':>8}", file=sys.stderr)
    for name, found in loads.items():
        rate, p50, p99 = (
            statistics.median(getattr(x, figure) for x in found)
            for figure in ("per_s", "p50_ms", "p99_ms")
        )
        errors = sum(x.errors for x in found)
        print(f"{name:22}{rate:9.1f}{p50:9.2f}{p99:9.2f}{errors:8}", file=sys.stderr)
