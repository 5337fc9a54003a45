"""Keywords and suggestions in each language, and the throughput of responses with `lang`."""

from __future__ import annotations

import http.client
import json
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from urllib.parse import urlencode, urlsplit

from data import cursor_of, moved, service_cursor_of
from hostile import SEARCH, SUGGEST, cpu_ms
from load import metered, percentile, server, wrk

from geoshops.messages import LANGUAGES

SEED = 20261123
KEYWORDS = {
    "Korean": {
        "region": ["강남구", "마포구", "해운대구", "수원", "송파구"],
        "brand": ["인생네컷", "하루필름", "포토이즘"],
        "shop": ["인생네컷 홍대입구역점", "포토이즘 강남역점", "하루필름 서면역점"],
        "suggest": ["강나", "홍대입", "인생네", "부ㅅ", "마포"],
    },
    "Latin": {
        "region": ["gangnam-gu", "mapo", "Haeundae-gu", "suwon", "songpa-gu"],
        "brand": ["Life4Cuts", "haru film", "photoism"],
        "shop": ["Life4Cuts hongdae", "photoism gangnam station", "haru film seomyeon"],
        "suggest": ["gangn", "hongik", "life4", "busa", "map"],
    },
    "Japanese": {
        "region": ["カンナム区", "マポ区", "ヘウンデ区", "スウォン", "ソンパ区"],
        "brand": ["人生四カット", "ハルフィルム", "フォトイズム"],
        "shop": ["人生四カット ホンデイプク駅", "フォトイズム カンナム駅", "ハルフィルム ソミョン"],
        "suggest": ["カンナ", "ホンデイ", "人生四", "プサ", "マポ"],
    },
    "Chinese": {
        "region": ["江南区", "麻浦區", "海雲台區", "釜山", "首尔"],
        "brand": ["人生四格", "弘大四格", "一日胶片"],
        "shop": ["人生四格 弘大入口站", "人生四格 江南站", "一日胶片 西面站"],
        "suggest": ["江南", "弘大入", "人生", "釜", "麻浦"],
    },
    "mixed": {
        "region": ["서울 gangnam-gu", "江南區 서울", "부산 ヘウンデ区"],
        "brand": ["Life4Cuts 인생네컷", "photoism フォトイズム"],
        "shop": ["인생네컷 gangnam station", "弘大入口站 인생네컷", "Life4Cuts カンナム駅", "서면 haru film"],
        "suggest": ["인생네컷 gangn", "서울 カンナ", "Life4Cuts 弘大"],
    },
}  # fmt: skip
LIMITS_MS = {"region": 25, "brand": 25, "shop": 25, "suggest": 20}
LISTS = {"/shops": {"keyword": "강남구 인생네컷"}, "/shops/brand": {"radius": "1000"}}
PAGE = {"page": "1", "size": "20"}
LEAST_OF_PLAIN = 0.8


def searches() -> Iterator[tuple[str, str, str, str]]:
    """Yields group, path, statement and keyword of every search."""
    for language, kinds in KEYWORDS.items():
        for kind, keywords in kinds.items():
            path, statement = (
                ("/shops/suggest", SUGGEST) if kind == "suggest" else ("/shops", SEARCH)
            )
            for keyword in keywords:
                yield f"{language}, {kind}", path, statement, keyword


def measure(
    make_client: Callable[[str], Any],
    url: str,
    places: Sequence[tuple[float, float]],
    rounds: int,
) -> dict[str, dict[str, float]]:
    """Returns p50 and p99 over HTTP and of the backend's CPU time in ms by language and kind."""
    rng = random.Random(SEED)
    http_ms: dict[str, list[float]] = {}
    cpu: dict[str, list[float]] = {}
    cursor = service_cursor_of(url)
    with server(url) as origin:
        client = make_client(origin)
        for number in range(rounds + 2):
            for group, path, statement, keyword in searches():
                at = moved(places[number % len(places)], rng)
                took_ms = client.ms(path, at, keyword=keyword)
                used_ms = cpu_ms(cursor, statement, (keyword, *at))
                if number > 1:
                    http_ms.setdefault(group, []).append(took_ms)
                    cpu.setdefault(group, []).append(used_ms)
    return {
        group: {
            "p50_ms": round(percentile(sorted(times), 50), 1),
            "p99_ms": round(percentile(sorted(times), 99), 1),
            "cpu_p50_ms": round(percentile(sorted(cpu[group]), 50), 1),
            "cpu_p99_ms": round(percentile(sorted(cpu[group]), 99), 1),
        }
        for group, times in http_ms.items()
    }


def _path(path: str, at: tuple[float, float], **more: str) -> str:
    around = {"userLng": at[0], "userLat": at[1]}
    around |= {"mapLng": at[0], "mapLat": at[1]} if path == "/shops/brand" else {}
    return f"{path}?{urlencode({**LISTS[path], **PAGE, **around, **more})}"


def _make_displays(url: str, origin: str, paths: Sequence[str]) -> None:
    """Stores the display texts of the shops that the paths return, as the scheduler does for all shops."""
    client = http.client.HTTPConnection(urlsplit(origin).netloc)
    cursor = cursor_of(url)
    ids = set()
    for path in paths:
        client.request("GET", path)
        response = client.getresponse()
        body = response.read()
        if response.status != 200:
            raise SystemExit(f"{path}: {response.status} {body.decode()}")
        ids |= {shop["id"] for shop in json.loads(body)}
    for shop in sorted(ids):
        cursor.execute("SELECT refresh_shop_displays(%s, 1, false)", (shop - 1,))


def throughput(
    url: str, at: tuple[float, float], rounds: int, seconds: int
) -> dict[str, dict[str, float]]:
    """Returns requests per second without and with `lang`, in interleaved runs, by path; the best run of each."""
    rng = random.Random(SEED)
    points = [moved(at, rng) for _ in range(20)]
    found: dict[str, dict[str, float]] = {}
    with server(url) as origin:
        for path in LISTS:
            plain = [_path(path, point) for point in points]
            _make_displays(url, origin, plain)
            shown = [_path(path, point, lang=lang) for point in points for lang in LANGUAGES[1:]]
            best = {"plain_per_s": 0.0, "lang_per_s": 0.0}
            for _ in range(rounds):
                for name, paths in (("plain_per_s", plain), ("lang_per_s", shown)):
                    run = wrk(origin, paths, seconds=seconds)
                    if run.errors:
                        raise SystemExit(f"{path}: {run.errors} errors")
                    best[name] = max(best[name], round(run.per_s, 1))
            found[path] = {**best, "ratio": round(best["lang_per_s"] / best["plain_per_s"], 2)}
    return found


def report(
    make_client: Callable[[str], Any],
    url: str,
    places: Sequence[tuple[float, float]],
    *,
    rounds: int,
    seconds: int,
) -> dict[str, object]:
    """Prints both tables and returns the figures."""
    with metered() as noise:
        groups = measure(make_client, url, places, rounds)
        lists = throughput(url, places[0], 3, seconds)
    print(f"{'':24}{'p50 ms':>8}{'p99':>8}{'limit':>8}{'CPU p50':>10}{'p99':>8}", file=sys.stderr)
    for group, f in groups.items():
        limit = LIMITS_MS[group.rpartition(" ")[2]]
        print(
            f"{group:24}{f['p50_ms']:8.1f}{f['p99_ms']:8.1f}{limit:8}{f['cpu_p50_ms']:10.1f}{f['cpu_p99_ms']:8.1f}",
            file=sys.stderr,
        )
    for path, rates in lists.items():
        print(
            f"{path:16}{rates['plain_per_s']:8.0f}/s, with lang {rates['lang_per_s']:8.0f}/s:"
            f" {rates['ratio']:.2f} (at least {LEAST_OF_PLAIN})",
            file=sys.stderr,
        )
    return {"groups": groups, "lang": lists, "foreign_cpu_percent": noise["foreign_percent"]}
