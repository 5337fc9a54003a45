"""Drills: failures and switchovers of the cluster under a load of writes and reads."""

from __future__ import annotations

import signal
import statistics
import time
from collections.abc import Callable
from typing import Any

import requests
from control import (
    cut,
    followers,
    heal,
    is_ok,
    leader,
    query,
    require_leader,
    require_whole,
    set_synchronous,
    switch,
)
from layout import NODES, ClusterError, Layout
from processes import children, postmaster, require, send, wait_until, wal_senders
from programs import patroni, pgbouncer, say, start_node
from traffic import Ledger, Traffic, audit, post_review, review_of

WARM_UP_S, COOL_DOWN_S = 4.0, 3.0
# WAL of this period has not reached the followers when the leader is killed
FROZEN_S = 0.5
FAILOVER_WITHIN_S = 60


def under_load(layout: Layout, action: Callable[[Traffic], dict[str, Any]]) -> dict[str, Any]:
    """Runs an action while members write; returns its figures with the audit of the rows."""
    traffic = Traffic(layout)
    traffic.start()
    time.sleep(WARM_UP_S)
    try:
        figures = action(traffic)
        time.sleep(COOL_DOWN_S)
    finally:
        ledger = traffic.stop()
    return {**figures, **audit(layout, ledger), **seen(ledger)}


def seen(ledger: Ledger) -> dict[str, Any]:
    """Returns the failed and the slow requests of the clients."""
    return {
        "rejections": dict(ledger.rejections),
        "reads": ledger.reads,
        "reads_failed": sum(ledger.reads_failed.values()),
        "reads_failed_why": dict(ledger.reads_failed),
        "slowest_read_s": ledger.slowest_read_s,
    }


def load(layout: Layout, seconds: float) -> dict[str, Any]:
    """Runs only the load; returns writes and reads per second and lost writes."""

    def wait(_: Traffic) -> dict[str, Any]:
        time.sleep(max(0.0, seconds - WARM_UP_S - COOL_DOWN_S))
        return {}

    started = time.monotonic()
    figures = under_load(layout, wait)
    took_s = time.monotonic() - started
    rates = {
        f"{name}_per_s": round(figures[of] / took_s, 1)
        for name, of in (("writes", "acknowledged"), ("reads", "reads"))
    }
    return {**rates, **figures}


def failover(layout: Layout, *, synchronous: bool = True) -> dict[str, Any]:
    """Kills the leader node including Patroni, so that the others notice only when its lease expires."""
    old = require_leader(layout)
    figures = under_load(layout, lambda traffic: _kill_and_wait(layout, old, traffic))
    say(f"  starting {old} again")
    started = time.monotonic()
    start_node(layout, old)
    require(lambda: old in followers(layout), 90, f"{old} as a follower of the new leader")
    require_whole(layout, synchronous=synchronous)
    return {**figures, "rejoined_s": round(time.monotonic() - started, 2)}


def _kill_and_wait(layout: Layout, old: str, traffic: Traffic) -> dict[str, Any]:
    say(f"  kill -9 of all processes of {old}, its WAL senders stopped {FROZEN_S} s before")
    killed_at = kill_node(layout, old)
    require(
        lambda: traffic.ledger.write_back_after(killed_at),
        FAILOVER_WITHIN_S,
        "the first write after the kill",
    )
    new = require_leader(layout)
    return {
        "old_leader": old,
        "new_leader": new,
        "writes_back_s": traffic.ledger.write_back_after(killed_at),
    }


def kill_node(layout: Layout, node: str) -> float:
    """Kills a node and returns the moment. Stops its WAL senders first, so that commits that do not wait
    for a follower exist on no other node."""
    server = postmaster(layout, node)
    send(signal.SIGSTOP, *wal_senders(layout, node))
    time.sleep(FROZEN_S)
    # collected before: without their parent they cannot be found
    pids = [
        patroni(layout, node).pid(),
        server,
        *children(server or 0),
        pgbouncer(layout, node).pid(),
    ]
    killed_at = time.monotonic()
    send(signal.SIGKILL, *pids)
    return killed_at


def switchover(layout: Layout, rounds: int = 3) -> dict[str, Any]:
    """Changes the leader as planned maintenance does; returns each gap between acknowledged writes and the median."""

    def changes(traffic: Traffic) -> dict[str, Any]:
        gaps_s = [_switch_once(layout, traffic) for _ in range(rounds)]
        return {"switchover_gap_s": statistics.median(gaps_s), "gaps_s": gaps_s}

    return under_load(layout, changes)


def _switch_once(layout: Layout, traffic: Traffic) -> float:
    require_whole(layout)
    old, started = require_leader(layout), time.monotonic()
    switch(layout)
    require(lambda: leader(layout) not in (None, old), 30, "another leader")
    say(f"  from {old} to {require_leader(layout)}")
    time.sleep(COOL_DOWN_S)
    gap_s = traffic.ledger.longest_gap_s(started - 1)
    require_whole(layout)
    return gap_s


def partition(layout: Layout) -> dict[str, Any]:
    """Disconnects the leader, which must step down before another node is promoted."""
    old = require_leader(layout)
    figures = under_load(layout, lambda traffic: _cut_and_wait(layout, old, traffic))
    started = time.monotonic()
    heal(layout, old)
    require(lambda: old in followers(layout), 90, f"{old} as a follower of the new leader")
    require_whole(layout)
    return {**figures, "rejoined_s": round(time.monotonic() - started, 2)}


def _cut_and_wait(layout: Layout, old: str, traffic: Traffic) -> dict[str, Any]:
    say(f"  disconnecting {old}")
    cut_at = time.monotonic()
    cut(layout, old)
    try:
        return _after_cut(layout, old, traffic, cut_at)
    except ClusterError:
        heal(layout, old)
        raise


def _after_cut(layout: Layout, old: str, traffic: Traffic, cut_at: float) -> dict[str, Any]:
    others = [node for node in NODES if node != old]
    stepped_down_at = promoted_at = None
    while promoted_at is None or stepped_down_at is None:
        now = time.monotonic()
        if now - cut_at > FAILOVER_WITHIN_S:
            raise ClusterError(f"{old} did not step down, or no other node took over")
        # None: it restarts, and accepts no writes either
        if (
            stepped_down_at is None
            and query(layout, old, "SELECT pg_is_in_recovery()") is not False
        ):
            stepped_down_at = now
        if promoted_at is None and any(is_ok(layout, node, "/primary") for node in others):
            promoted_at = now
        time.sleep(0.1)
    require(lambda: traffic.ledger.write_back_after(cut_at), FAILOVER_WITHIN_S, "writes")
    return {
        "old_leader": old,
        "new_leader": next(node for node in others if is_ok(layout, node, "/primary")),
        "stepped_down_s": round(stepped_down_at - cut_at, 2),
        "promoted_s": round(promoted_at - cut_at, 2),
        "writes_back_s": traffic.ledger.write_back_after(cut_at),
    }


def paused_replay(layout: Layout, rounds: int = 25) -> dict[str, Any]:
    """Pauses replay on the followers; members must still read their own writes."""
    paused = followers(layout)
    traffic = Traffic(layout, writers=0, readers=0)
    session = requests.Session()
    missed = 0
    for node in paused:
        query(layout, node, "SELECT pg_wal_replay_pause()")
    try:
        for number in range(rounds):
            member, shop = traffic.members[number % 4], traffic.shops[number]
            key = f"drill-{traffic.ledger.run}-own-{number}"
            response = post_review(session, layout.origin, member, shop, key)
            response.raise_for_status()
            missed += review_of(response) not in own_reviews(session, layout, member.token)
    finally:
        for node in paused:
            query(layout, node, "SELECT pg_wal_replay_resume()")
    require_whole(layout)
    return {"own_reads": rounds, "own_writes_not_seen": missed}


def own_reviews(session: requests.Session, layout: Layout, token: str) -> list[int]:
    """Returns the ids of the member's newest reviews from the service."""
    response = session.get(
        f"{layout.origin}/reviews/member?size=20&page=1",
        headers={"Authorization": f"Bearer {token}"},
        timeout=10,
    )
    response.raise_for_status()
    return [int(each["review_info"]["id"]) for each in response.json()]


def asynchronous(layout: Layout) -> dict[str, Any]:
    """Negative control: with asynchronous replication acknowledged writes are lost."""
    set_synchronous(layout, False)
    try:
        return failover(layout, synchronous=False)
    finally:
        wait_until(lambda: leader(layout), FAILOVER_WITHIN_S)
        set_synchronous(layout, True)


def drill(layout: Layout) -> dict[str, Any]:
    """Runs all drills; the figures of the failover are at the top level."""
    parts: dict[str, dict[str, Any]] = {}
    for part in (failover, switchover, partition, paused_replay, asynchronous):
        say(f"{part.__name__.replace('_', ' ')}: {(part.__doc__ or '').splitlines()[0]}")
        parts[part.__name__] = part(layout)
        say(f"  {parts[part.__name__]}")
    wanted = (
        "acknowledged",
        "acknowledged_lost",
        "duplicates",
        "counters_wrong",
        "writes_back_s",
        "rejoined_s",
        "reads",
        "reads_failed",
    )
    return {
        **{name: parts["failover"][name] for name in wanted},
        "switchover_gap_s": parts["switchover"]["switchover_gap_s"],
        "own_writes_not_seen": parts["paused_replay"]["own_writes_not_seen"],
        "asynchronous_lost": parts["asynchronous"]["acknowledged_lost"],
        "parts": parts,
    }
