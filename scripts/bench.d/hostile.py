"""Hostile keywords of one to twelve words: words of the database, sentences and all Unicode scripts; reproducible.

Measures PostgreSQL's CPU time of each, then radius searches while clients repeat the most expensive ones."""

from __future__ import annotations

import random
import sys
import threading
import time
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from data import cursor_of, service_cursor_of
from load import metered, percentile, server
from tqdm import tqdm

SEED = 20261123
MAX_LENGTH = 100
MAX_WORDS = 12
# Unicode ranges of scripts and of symbols
SCRIPTS = {
    "Hangul": (0xAC00, 0xD7A3),
    "compatibility jamo": (0x3131, 0x3163),
    "conjoining jamo": (0x1100, 0x11FF),
    "Han": (0x4E00, 0x9FFF),
    "hiragana": (0x3041, 0x3096),
    "katakana": (0x30A1, 0x30FA),
    "halfwidth": (0xFF66, 0xFFDC),
    "fullwidth": (0xFF01, 0xFF5E),
    "Latin": (0x61, 0x7A),
    "accented Latin": (0xC0, 0x17F),
    "Cyrillic": (0x410, 0x44F),
    "Greek": (0x391, 0x3C9),
    "Arabic": (0x620, 0x64A),
    "Hebrew": (0x5D0, 0x5EA),
    "Thai": (0xE01, 0xE4F),
    "Devanagari": (0x904, 0x950),
    "digits": (0x30, 0x39),
    "punctuation": (0x21, 0x2F),
    "combining marks": (0x300, 0x36F),
    "emoji": (0x1F300, 0x1F64F),
}
SENTENCES = (
    "{} 근처에 {} 있는지 알려주세요 지금 갈게요",
    "{}에서 {}까지 가는 길에 {} 있나요",
    "내일 {} 친구랑 {} 사진 찍으러 갈 건데 추천해줘",
    "where is the nearest {} photo booth to {} station exit 2",
    "self photo studio near {} university with {} and parking",
    "life four cuts in {} or {} open late tonight please",
    "{}の近くの{}はどこですか 写真を撮りたい",
    "{}附近的{}在哪里 我想拍照",
    "где находится {} рядом с {} метро",
    "¿dónde está {} cerca de {}?",
    "{} ใกล้ {} อยู่ที่ไหน",
    "أين {} بالقرب من {}",
)
ENGLISH = (
    "life", "four", "cuts", "photo", "self", "studio", "near", "station", "university", "exit", "street", "road",
    "booth", "film", "hongik", "hongdae", "gangnam", "myeongdong", "the", "best", "of", "and", "in", "at", "open",
    "late", "night", "cheap", "seoul", "busan", "city", "hall", "park", "tower", "market", "school",
)  # fmt: skip
# keys of the Korean two-set keyboard in the Unicode order of the letters
KEYS_FIRST = list("rRseEfaqQtTdwWczxvg")
KEYS_MIDDLE = [
    "k", "o", "i", "O", "j", "p", "u", "P", "h", "hk", "ho", "hl", "y", "n", "nj", "np", "nl", "b", "m", "ml", "l",
]  # fmt: skip
KEYS_LAST = [
    "", "r", "R", "rt", "s", "sw", "sg", "e", "f", "fr", "fa", "fq", "ft", "fx", "fv", "fg", "a", "q", "qt", "t", "T",
    "d", "w", "c", "z", "x", "v", "g",
]  # fmt: skip


@dataclass(frozen=True)
class Words:
    """Names in the database by kind."""

    regions: Sequence[str]
    stations: Sequence[str]
    brands: Sequence[str]
    foreign: Sequence[str]
    shops: Sequence[str]
    addresses: Sequence[str]

    def any(self, rng: random.Random) -> str:
        """Draws a word of a random kind."""
        kinds = (
            self.regions,
            self.stations,
            self.brands,
            self.foreign,
            self.shops,
            self.addresses,
            ENGLISH,
        )
        return rng.choice(rng.choice([kind for kind in kinds if kind]))


def read_words(cursor: Any) -> Words:
    """Loads the words of the database."""

    def column(statement: str) -> list[str]:
        cursor.execute(statement)
        return [row[0] for row in cursor.fetchall() if row[0].strip()]

    return Words(
        regions=column("SELECT DISTINCT name COLLATE \"C\" FROM regions ORDER BY 1"),
        stations=column("SELECT DISTINCT name COLLATE \"C\" FROM stations ORDER BY 1"),
        brands=column("SELECT name COLLATE \"C\" FROM brands ORDER BY 1"),
        foreign=column(
            "SELECT alias COLLATE \"C\" FROM brand_aliases UNION SELECT alias FROM region_aliases"
            " UNION SELECT name_en FROM regions UNION SELECT name_en FROM stations ORDER BY 1"
        ),
        shops=column("SELECT place_name FROM shops ORDER BY id LIMIT 500"),
        addresses=column(
            "SELECT DISTINCT word COLLATE \"C\" FROM (SELECT road_address FROM shops ORDER BY id LIMIT 500) AS s"
            " CROSS JOIN regexp_split_to_table(road_address, '\\s+') AS word ORDER BY 1"
        ),
    )  # fmt: skip


def keywords(words: Words, count: int) -> Iterator[str]:
    """Generates non-blank keywords of at most a hundred characters."""
    rng = random.Random(SEED)
    makers: list[Callable[[Words, random.Random], str]] = [
        _spaced, _spaced, _joined, _sentence, _in_scripts, _misspelt, _on_keys, _half_typed, _pieces, _mixed,
    ]  # fmt: skip
    made = 0
    while made < count:
        keyword = rng.choice(makers)(words, rng)[:MAX_LENGTH].replace("\x00", "").strip()
        if any(unicodedata.category(sign)[0] in "LN" for sign in keyword):
            made += 1
            yield keyword


def _number(rng: random.Random) -> int:
    return rng.randint(1, MAX_WORDS)


def _spaced(words: Words, rng: random.Random) -> str:
    return " ".join(words.any(rng) for _ in range(_number(rng)))


def _joined(words: Words, rng: random.Random) -> str:
    return "".join(words.any(rng).replace(" ", "") for _ in range(_number(rng)))


def _sentence(words: Words, rng: random.Random) -> str:
    sentence = rng.choice(SENTENCES)
    return sentence.format(*(words.any(rng) for _ in range(sentence.count("{}"))))


def _in_scripts(_: Words, rng: random.Random) -> str:
    one = rng.choice(list(SCRIPTS.values()))
    return " ".join(
        _signs(one if rng.random() < 0.7 else rng.choice(list(SCRIPTS.values())), rng)
        for _ in range(_number(rng))
    )


def _signs(script: tuple[int, int], rng: random.Random) -> str:
    return "".join(chr(rng.randint(*script)) for _ in range(rng.randint(1, 12)))


def _misspelt(words: Words, rng: random.Random) -> str:
    return " ".join(_with_typo(words.any(rng), rng) for _ in range(_number(rng)))


def _with_typo(word: str, rng: random.Random) -> str:
    letters = list(unicodedata.normalize("NFD", word))
    at = rng.randrange(len(letters))
    low, high = next(
        ((a, b) for a, b in ((0x1100, 0x1112), (0x1161, 0x1175), (0x11A8, 0x11C2), (0x61, 0x7A)) if a <= ord(letters[at]) <= b),
        (0x30, 0x39),
    )  # fmt: skip
    letters[at : at + rng.randint(0, 1)] = [chr(rng.randint(low, high))] * rng.randint(0, 1)
    return unicodedata.normalize("NFC", "".join(letters)) or word


def _on_keys(words: Words, rng: random.Random) -> str:
    return rng.choice([" ", ""]).join(_keys(words.any(rng)) for _ in range(_number(rng)))


def _keys(word: str) -> str:
    codes = [ord(sign) - 0xAC00 for sign in word]
    return "".join(
        KEYS_FIRST[code // 588] + KEYS_MIDDLE[code % 588 // 28] + KEYS_LAST[code % 28] if 0 <= code < 11172 else sign
        for code, sign in zip(codes, word, strict=True)
    )  # fmt: skip


def _half_typed(words: Words, rng: random.Random) -> str:
    typed = [words.any(rng) for _ in range(_number(rng))]
    letters = unicodedata.normalize("NFD", typed[-1])
    typed[-1] = unicodedata.normalize("NFC", letters[: rng.randint(1, len(letters))])
    return " ".join(typed)


def _pieces(words: Words, rng: random.Random) -> str:
    """Returns syllables from the middle of words: substrings of many names that are no dictionary words."""
    pieces = []
    for _ in range(_number(rng)):
        word = words.any(rng).replace(" ", "")
        first = rng.randrange(len(word))
        pieces.append(word[first : first + rng.randint(1, 3)])
    return rng.choice([" ", " ", ""]).join(pieces)


def _mixed(words: Words, rng: random.Random) -> str:
    makers = [_spaced, _in_scripts, _misspelt, _on_keys, _half_typed, _pieces]
    typed = " ".join(rng.choice(makers)(words, rng) for _ in range(3)).split()
    rng.shuffle(typed)
    return " ".join(typed[: _number(rng)])


SEARCH = """
SELECT shops_by_keyword(%s, %s, %s, NULL, 'distance', '', 300, 300, 0)"""
SUGGEST = "SELECT shops_suggest(%s, %s, %s)"
FILTERED_AND_PAGED = """
SELECT shops_by_keyword(%s, %s, %s, jsonb_populate_record(NULL::shop_filters, %s), 'distance', '', 10000, 20, 0)"""
# no shop of the sample data has a review, few are open at night, and none is on the island of the box
FILTERS = (
    '{"min_rating": 4}',
    '{"open_minute": 240}',
    '{"box": [131.8, 37.2, 131.9, 37.3]}',
    '{"clean": 0.5}',
    None,
)
COUNT, QUICK_COUNT, WARMING = 50_000, 1_000, 500
MOST_EXPENSIVE = 10
HOSTILE_CLIENTS, RADIUS_CLIENTS = 8, 4
LIMITS_MS = {"search": (60, 150), "filtered": (60, 150), "suggest": (40, 80)}
RADIUS_LIMIT_MS = 200
SHOPS_ON_A_MAP = 65


def cpu_ms(cursor: Any, statement: str, values: Sequence[object]) -> float:
    """Measures the backend's CPU time of one statement."""

    def run() -> None:
        cursor.execute(statement, values)
        cursor.fetchall()

    return cpu_ms_of(cursor, run)


def cpu_ms_of(cursor: Any, run: Callable[[], object]) -> float:
    """Measures the CPU time of the cursor's backend while the function runs, with the scheduler's nanoseconds."""
    schedstat = Path(f"/proc/{cursor.connection.info.backend_pid}/schedstat")
    before = int(schedstat.read_text().split()[0])
    run()
    return (int(schedstat.read_text().split()[0]) - before) / 1e6


def measure(
    url: str, count: int, places: Sequence[tuple[float, float]]
) -> dict[str, list[tuple[float, str]]]:
    """Returns CPU milliseconds and keyword of searches, filtered and paged searches, and suggestions, the most expensive first."""
    cursor = service_cursor_of(url)
    words = read_words(cursor)
    # reading blocks from the disk costs CPU time, too
    for keyword in keywords(words, WARMING):
        for statement in (SEARCH, SUGGEST):
            cursor.execute(statement, (keyword, *places[0]))
    times: dict[str, list[tuple[float, str]]] = {name: [] for name in LIMITS_MS}
    progress = tqdm(keywords(words, count), total=count, desc="hostile keywords", file=sys.stderr)
    for number, keyword in enumerate(progress):
        values = (keyword, *places[number % len(places)])
        filtered = (*values, FILTERS[number % len(FILTERS)])
        times["search"].append((cpu_ms(cursor, SEARCH, values), keyword))
        times["filtered"].append((cpu_ms(cursor, FILTERED_AND_PAGED, filtered), keyword))
        times["suggest"].append((cpu_ms(cursor, SUGGEST, values), keyword))
    return {name: sorted(found, reverse=True) for name, found in times.items()}


def _repeat(
    client: Any, ended: threading.Event, paths: list[tuple[str, str, str]], at: tuple[float, float]
) -> int:
    """Requests the paths in a circle until the end; returns the number of requests."""
    number = 0
    while not ended.is_set():
        path, name, keyword = paths[number % len(paths)]
        client.ms(path, at, **{name: keyword})
        number += 1
    return number


def radius_of_a_map(url: str, at: tuple[float, float]) -> int:
    """Returns the radius in metres that holds about as many shops as a map shows."""
    cursor = cursor_of(url)
    cursor.execute("SELECT count(*) FROM shops_near(point_at(%s, %s), 1000)", at)
    (shops,) = cursor.fetchone()
    return round(1000 * float(min(1, (SHOPS_ON_A_MAP / max(shops, 1)) ** 0.5)))


def beside_hostile_clients(
    make_client: Callable[[str], Any],
    url: str,
    paths: list[tuple[str, str, str]],
    at: tuple[float, float],
    seconds: int,
) -> dict[str, object]:
    """Returns p95 of radius searches over HTTP while other clients repeat the keywords, and the numbers of requests.

    Ends with an error where any response is not 200."""
    radius_m = radius_of_a_map(url, at)

    def search(client: Any, ended: threading.Event) -> list[float]:
        rng, times = random.Random(SEED), []
        while not ended.is_set():
            moved = at[0] + rng.uniform(-0.02, 0.02), at[1] + rng.uniform(-0.02, 0.02)
            values = {"mapLng": str(moved[0]), "mapLat": str(moved[1]), "radius": str(radius_m)}
            times.append(client.ms("/shops/brand", moved, **values))
            time.sleep(0.02)
        return times

    ended = threading.Event()
    with server(url) as origin, ThreadPoolExecutor(HOSTILE_CLIENTS + RADIUS_CLIENTS) as clients:
        hostile = [
            clients.submit(_repeat, make_client(origin), ended, paths[first:] + paths[:first], at)
            for first in range(HOSTILE_CLIENTS)
        ]
        radius = [clients.submit(search, make_client(origin), ended) for _ in range(RADIUS_CLIENTS)]
        time.sleep(seconds)
        ended.set()
        # result() raises what ended a client
        times = sorted(ms for client in radius for ms in client.result())
        requests = [client.result() for client in hostile]
    return {
        "radius_p95_ms_meanwhile": round(percentile(times, 95), 1),
        "radius_requests": len(times),
        "hostile_requests": sum(requests),
        "hostile_requests_of_slowest_client": min(requests),
    }


def report(
    make_client: Callable[[str], Any],
    url: str,
    places: Sequence[tuple[float, float]],
    *,
    quick: bool,
    rounds: int | None,
) -> dict[str, object]:
    """Prints the most expensive keywords and returns the figures."""
    count = rounds or (QUICK_COUNT if quick else COUNT)
    figures: dict[str, object] = {"keywords": count}
    with metered() as noise:
        times = measure(url, count, places)
    figures["foreign_cpu_percent"] = noise["foreign_percent"]
    for name, (p99_limit, max_limit) in LIMITS_MS.items():
        ordered = sorted(ms for ms, _ in times[name])
        figures[f"{name}_cpu_p50_ms"] = round(percentile(ordered, 50), 1)
        figures[f"{name}_cpu_p99_ms"] = round(percentile(ordered, 99), 1)
        figures[f"{name}_cpu_max_ms"] = round(ordered[-1], 1)
        print(
            f"\n{name}: the most expensive (limits: p99 {p99_limit} ms, at most {max_limit} ms)",
            file=sys.stderr,
        )
        for ms, keyword in times[name][:MOST_EXPENSIVE]:
            print(f"{ms:8.1f} ms  {keyword!r}", file=sys.stderr)
    paths = [
        *(("/shops", "keyword", keyword) for _, keyword in times["search"][:MOST_EXPENSIVE]),
        *(("/shops/suggest", "q", keyword) for _, keyword in times["suggest"][:MOST_EXPENSIVE]),
    ]
    seconds = 10 if quick else 60
    return figures | beside_hostile_clients(make_client, url, paths, places[0], seconds)
