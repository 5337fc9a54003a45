"""Keyword search over one HTTP connection, by kind of keyword, from nearby and far away, compared with LIKE on raw
text and with plain trigrams; growth by table size; size and build time of the indexes."""

from __future__ import annotations

import http.client
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from urllib.parse import urlencode, urlsplit

import hostile
import languages
from data import PREFIX, Bench, cursor_of, moved, recreate, row_of, server_url
from load import ROOT, metered, percentile, server

from geoshops.database import deferred_indexes

SEED = 20261123
SMALL, LARGE = 10_000, 1_000_000
NEAR, FAR = (127.0276, 37.4979), (126.5312, 33.4996)
OF_THE_SEARCH = (
    "shops_brand_spot_idx",
    "shops_region_spot_idx",
    "shops_roads_idx",
    "shops_sounds_idx",
    "shops_words_idx",
)
GROUPS = {
    "a fifth of all (서울)": ["서울", "서울특별시", "서울시"],
    "region": ["강남구", "강남", "마포구", "서울 송파구", "부산 해운대구", "수원", "중구"],
    "region and brand": ["강남구 인생네컷", "포토이즘 강남구", "강남포토이즘", "마포구 포토그레이", "송파구 하루필름"],
    "brand": ["인생네컷", "photoism", "ㅇㅅㄴㅋ"],
    "brand and shop": ["인생네컷 홍대입구역점", "포토이즘 강남역점", "서울숲 인생네컷", "인생네컷 서울숲점", "하루필름 서면역점"],
    "station": ["강남역", "홍대입구", "서울숲", "강남역 2호선"],
    "half typed": ["인생네ㅋ", "인생넼", "포토이", "하루필르"],
    "nothing": ["없는동네", "꿹뛟", "아무말대잔치"],
    "typo": ["인셍네컷", "하루필림", "포토그래이", "강남구 인셍네컷"],
}  # fmt: skip
# no shop of the sample data has a review
FILTERED = "a filter that no shop passes"
NOT_PASSED = ["인생네컷", "서울", "포토"]
KEYSTROKES = [
    "ㄱ", "가", "강", "강ㄴ", "강나", "강남", "강남ㄱ", "강남구", "ㅇ", "이", "인", "인생", "인생ㄴ", "인생넼",
    "인생네컷", "홍", "홍대", "홍대입", "서울", "ㅇㅅ", "ㅇㅅㄴㅋ", "rkdska",
]  # fmt: skip
COMPARED = ("서울", "강남", "강남구 인생네컷", "인생네컷 서울숲점", "없는동네", "인셍네컷")
ALTERNATIVE = """
SELECT id FROM shops WHERE status <> 'CLOSED' AND place_name || ' ' || road_address LIKE ALL (%s)
ORDER BY ST_Distance(geog, ST_Point(%s, %s)::geography), id LIMIT 300"""


def country(shops: int) -> tuple[str, float]:
    """Returns the URL of sample data with that many shops, and the build time of its search indexes."""
    name = f"{PREFIX}keyword_{shops}"
    row = row_of(name, "SELECT (SELECT count(*) FROM shops), seconds FROM search_build")
    seconds = float(row[1]) if row and row[0] == shops else _make(name, shops)
    return server_url(name), seconds


def _make(name: str, shops: int) -> float:
    recreate(name)
    cursor = cursor_of(server_url(name))
    command = [sys.executable, "-c", "from geoshops.cli import main; main()", "seed", "--yes"]
    sizes = ["--shops", str(shops), "--reviews", "0", "--members", "1"]
    subprocess.run(
        [*command, *sizes],
        check=True,
        cwd=ROOT,
        env={**os.environ, "DATABASE_URL": server_url(name)},
    )
    cursor.execute(f"DROP INDEX {', '.join(OF_THE_SEARCH)}")
    started = time.perf_counter()
    deferred_indexes.build_missing(server_url(name), lambda _: None)
    seconds = time.perf_counter() - started
    cursor.execute("CREATE TABLE search_build AS SELECT %s::float8 AS seconds", (seconds,))
    cursor.execute("VACUUM (ANALYZE)")
    return seconds


class Client:
    """A keep-alive connection."""

    def __init__(self, origin: str) -> None:
        self.connection = http.client.HTTPConnection(urlsplit(origin).netloc)

    def ms(self, path: str, at: tuple[float, float], **query: str) -> float:
        """Returns the milliseconds of a request."""
        asked = f"{path}?{urlencode({**query, 'userLng': at[0], 'userLat': at[1]})}"
        started = time.perf_counter()
        self.connection.request("GET", asked)
        answer = self.connection.getresponse()
        body = answer.read()
        if answer.status != 200:
            raise SystemExit(f"{asked}: {answer.status} {body[:200]!r}")
        return (time.perf_counter() - started) * 1000


def searches() -> Iterator[tuple[str, str, dict[str, str]]]:
    """Yields group, path and query of every search."""
    for group, keywords in GROUPS.items():
        for keyword in keywords:
            yield group, "/shops", {"keyword": keyword}
    for keyword in NOT_PASSED:
        yield FILTERED, "/shops", {"keyword": keyword, "minRating": "4"}
    for typed in KEYSTROKES:
        yield "suggest", "/shops/suggest", {"q": typed}


def measure(url: str, rounds: int) -> dict[str, dict[str, float]]:
    """Returns p50 and p99 in ms by group and place; interleaves the groups, so that noise affects all alike."""
    rng = random.Random(SEED)
    times: dict[str, list[float]] = {}
    with server(url) as origin:
        client = Client(origin)
        for number in range(rounds + 3):
            for place, at in (("near", NEAR), ("far", FAR)):
                for group, path, query in searches():
                    took = client.ms(path, moved(at, rng), **query)
                    if number >= 3:
                        times.setdefault(f"{group}, {place}", []).append(took)
    return {
        group: {
            "p50_ms": round(percentile(sorted(t), 50), 1),
            "p99_ms": round(percentile(sorted(t), 99), 1),
        }
        for group, t in times.items()
    }


def alternatives(url: str, trigrams: bool) -> dict[str, float]:
    """Returns the best of three times in ms of LIKE on raw text, with or without a trigram index."""
    cursor = cursor_of(url)
    cursor.execute(
        "CREATE INDEX IF NOT EXISTS bench_trigrams ON shops USING gin ((place_name || ' ' || road_address) gin_trgm_ops)"
    )
    cursor.execute(f"SET enable_bitmapscan = {'on' if trigrams else 'off'}")
    best_ms = {}
    for keyword in COMPARED:
        patterns = [f"%{word}%" for word in keyword.split()]
        took = []
        for _ in range(3):
            started = time.perf_counter()
            cursor.execute(ALTERNATIVE, (patterns, *NEAR))
            cursor.fetchall()
            took.append((time.perf_counter() - started) * 1000)
        best_ms[keyword] = round(min(took), 1)
    return best_ms


def sizes_mb(url: str) -> dict[str, float]:
    """Returns the sizes of the search indexes on shops and of the trigram index."""
    cursor = cursor_of(url)
    cursor.execute(
        "SELECT relname, round(pg_relation_size(oid) / 1048576.0, 1) FROM pg_class WHERE relname = ANY (%s)",
        ([*OF_THE_SEARCH, "bench_trigrams"],),
    )
    return {name: float(size) for name, size in cursor.fetchall()}


def main(bench: Bench) -> dict[str, object]:
    """Prints the table and returns the figures."""
    shops = bench.shops or (100_000 if bench.quick else LARGE)
    if bench.hostile:
        url, _ = country(shops)
        return {
            "shops": shops,
            **hostile.report(Client, url, (NEAR, FAR), quick=bench.quick, rounds=bench.rounds),
        }
    rounds = bench.rounds or (10 if bench.quick else 40)
    if bench.languages:
        url, _ = country(shops)
        seconds = 3 if bench.quick else 10
        found = languages.report(Client, url, (NEAR, FAR), rounds=rounds, seconds=seconds)
        return {"shops": shops, **found}
    small, _ = country(SMALL)
    large, build_s = country(shops)
    with metered() as noise:
        before, after = measure(small, rounds), measure(large, rounds)
        like, trigram = alternatives(large, False), alternatives(large, True)
    for group, figures in after.items():
        growth = figures["p50_ms"] / before[group]["p50_ms"]
        figures["growth_p50"] = round(growth, 2)
        print(
            f"{group:28}{figures['p50_ms']:9.1f}{figures['p99_ms']:9.1f}{growth:7.1f}x",
            file=sys.stderr,
        )
    for keyword in COMPARED:
        print(
            f"{keyword:28}LIKE {like[keyword]:8.1f} ms   trigrams {trigram[keyword]:8.1f} ms",
            file=sys.stderr,
        )
    return {
        "shops": shops, "build_s": round(build_s, 1), "foreign_cpu_percent": noise["foreign_percent"],
        "worst_p99_ms": max(figures["p99_ms"] for figures in after.values()),
        "groups": after, "groups_at_10k": before, "sizes_mb": sizes_mb(large),
        "like_ms": like, "trigrams_ms": trigram,
    }  # fmt: skip
