"""Measures the cluster for the queueing model: its costs at low load, and throughput and latency at several loads."""

from __future__ import annotations

import http.client
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote

from demands import (
    Run,
    flush_times_s,
    idle_share,
    mean_demand,
    run,
    scaled,
    shapes,
)
from layout import Layout
from programs import say
from queue_model import Costs, Group
from traffic import make_members, owner_cursor, shop_ids
from wrk import BODY, Clients

MEMBERS, SHOPS, POINTS = 200, 500, 80
# one of five searches is by keyword, as docs/scaling.md plans
KEYWORDS = ("강남구", "마포구", "인생네컷", "강남구 인생네컷", "강남역", "포토이", "서울숲", "홍대입구",
            "인셍네컷", "photoism", "부산 해운대구", "없는동네", "포토이즘 강남구", "수원", "하루필름", "ㅇㅅㄴㅋ",
            "서울 송파구", "제주", "포토그레이", "대구 중구")  # fmt: skip
PLACES = """SELECT ST_X(geog::geometry), ST_Y(geog::geometry) FROM shops WHERE status = 'OPEN'
ORDER BY id * 7919 %% 10007, id LIMIT %s"""
WARM_UP_S, LOW_S, LEVEL_S = 3, 8, 10
READERS, WRITERS = 16, 8
WRITES_OF_ALL = 0.2
# Offered load as a share of the capacity that the demands allow; 0: no think times, which saturates the cores.
SHARES = (0.2, 0.4, 0.6, 0.8, 0.0)


@dataclass(frozen=True)
class Requests:
    """The paths that clients request, and the tokens of members."""

    searches: list[str]
    reviews: list[str]
    tokens: list[str]

    def clients(self, group: Group) -> Clients:
        """Returns clients of a group, which search or write reviews."""
        paths, tokens = (self.reviews, self.tokens) if group.is_write else (self.searches, [])
        return Clients(paths, tokens, group.connections, group.think_s)


@dataclass(frozen=True)
class Level:
    """A load: groups of clients, and what was measured."""

    name: str
    share: float
    groups: list[Group]
    measured: Run


def requests_of(layout: Layout) -> Requests:
    """Returns searches around shops and by keyword, and reviews of many shops by many members."""
    with owner_cursor(layout) as cursor:
        cursor.execute(PLACES, (POINTS,))
        places = [
            f"mapLat={y:.5f}&mapLng={x:.5f}&userLat={y + 0.009:.5f}&userLng={x:.5f}"
            for x, y in cursor
        ]
    around = [f"/shops/brand?{place}&radius=1000" for place in places]
    words = zip(KEYWORDS, places, strict=False)
    by_word = [f"/shops?keyword={quote(word)}&{place}" for word, place in words]
    return Requests(
        around + by_word,
        [f"/reviews/shop/{shop}" for shop in shop_ids(layout, SHOPS)],
        [member.token for member in make_members(layout, MEMBERS)],
    )


def measure_costs(layout: Layout, requests: Requests) -> tuple[Costs, Level]:
    """Measures the model's costs at low load, except the delay of a message; returns them with the low load of searches
    from which that delay is derived."""
    say("  idle load, demands of requests at low load")
    run(layout, [requests.clients(Group("read", 16)), requests.clients(Group("write", 8))], WARM_UP_S)  # fmt: skip
    idle = idle_share(layout)

    def low(group: Group) -> Level:
        measured = run(layout, [requests.clients(group)], LOW_S)
        return Level("low", 0.0, [group], measured)

    reads, writes = low(Group("read", 4, 0.05)), low(Group("write", 4, 0.1))
    read, write = mean_demand(reads.measured, idle), mean_demand(writes.measured, idle)
    say("  distribution of demands, flushes")
    costs = Costs(
        read=scaled(read, shapes(layout, lambda c, n: _search(c, requests, n))),
        write=scaled(write, shapes(layout, lambda c, n: _review(c, requests, n))),
        flush_s=flush_times_s(layout.folder, 1),
        standby_flush_s=flush_times_s(layout.folder, 2),
        message_s=0.0,
        background=sum(idle.values()),
        idle=idle,
    )
    return costs, reads


def _search(connection: http.client.HTTPConnection, requests: Requests, number: int) -> None:
    connection.request("GET", requests.searches[number * 7 % len(requests.searches)])
    connection.getresponse().read()


def _review(connection: http.client.HTTPConnection, requests: Requests, number: int) -> None:
    token = requests.tokens[number % len(requests.tokens)]
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    path = requests.reviews[number % len(requests.reviews)]
    connection.request("POST", path, body=BODY.encode(), headers=headers)
    connection.getresponse().read()


def loads(costs: Costs, cores: int) -> list[tuple[str, float, list[Group]]]:
    """Returns name, share of the capacity and groups of clients of each level: searches, then with writes."""
    read_s, write_s = costs.mean_s("read"), costs.mean_s("write")
    mixed_s = (1 - WRITES_OF_ALL) * read_s + WRITES_OF_ALL * write_s
    free = cores - costs.background

    def think_s(connections: int, per_s: float) -> float:
        return connections / per_s if per_s else 0.0

    found = []
    for share in SHARES:
        per_s = share * free / read_s
        group = Group("read", READERS + WRITERS, think_s(READERS + WRITERS, per_s))
        found.append((f"searches, {_named(share)}", share, [group]))
    for share in SHARES:
        per_s = share * free / mixed_s
        groups = [
            Group("read", READERS, think_s(READERS, per_s * (1 - WRITES_OF_ALL))),
            Group("write", WRITERS, think_s(WRITERS, per_s * WRITES_OF_ALL)),
        ]
        found.append((f"mix, {_named(share)}", share, groups))
    return found


def _named(share: float) -> str:
    return f"{share:.0%}" if share else "saturated"


def measure_levels(
    layout: Layout, requests: Requests, planned: Sequence[tuple[str, float, list[Group]]]
) -> list[Level]:
    """Measures all levels."""
    levels = []
    for name, share, groups in planned:
        say(f"  {name}")
        clients = [requests.clients(group) for group in groups]
        levels.append(Level(name, share, groups, run(layout, clients, LEVEL_S)))
    return levels
