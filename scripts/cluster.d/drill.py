"""The drills: what is done to the cluster while people write and read, and what came of it."""

from __future__ import annotations

import signal
import statistics
import time
from collections.abc import Callable
from typing import Any

import requests
from control import (
    answers,
    ask,
    cut,
    followers,
    heal,
    leader,
    require_whole,
    set_synchronous,
    switch,
)
from layout import NODES, ClusterError, Layout
from processes import children, postmaster, require, send, wait_until, wal_senders
from programs import patroni, pgbouncer, say, start_node
from traffic import Ledger, Traffic, audit, post_review, review_of

WARM_UP_S, COOL_DOWN_S = 4.0, 3.0
# what the followers have not got when the leader dies
FROZEN_S = 0.5
FAILOVER_WITHIN_S = 60


def under_load(layout: Layout, act: Callable[[Traffic], dict[str, Any]]) -> dict[str, Any]:
    """Does something to the cluster while members write; the figures, with the audit of the rows."""
    traffic = Traffic(layout)
    traffic.start()
    time.sleep(WARM_UP_S)
    try:
        figures = act(traffic)
        time.sleep(COOL_DOWN_S)
    finally:
        ledger = traffic.stop()
    return {**figures, **audit(layout, ledger), **seen(ledger)}


def seen(ledger: Ledger) -> dict[str, Any]:
    """What the clients saw besides acknowledgements."""
    return {
        "refusals": dict(ledger.refusals),
        "reads": ledger.reads,
        "reads_failed": sum(ledger.reads_failed.values()),
        "reads_failed_why": dict(ledger.reads_failed),
        "slowest_read_s": ledger.slowest_read_s,
    }


def load(layout: Layout, seconds: float) -> dict[str, Any]:
    """Nothing happens: writes a second, reads a second, nothing lost."""

    def nothing(_: Traffic) -> dict[str, Any]:
        time.sleep(max(0.0, seconds - WARM_UP_S - COOL_DOWN_S))
        return {}

    started = time.monotonic()
    found = under_load(layout, nothing)
    took_s = time.monotonic() - started
    rates = {
        f"{name}_per_s": round(found[of] / took_s, 1)
        for name, of in (("writes", "acknowledged"), ("reads", "reads"))
    }
    return {**rates, **found}


def failover(layout: Layout, *, synchronous: bool = True) -> dict[str, Any]:
    """kill -9 of the whole leading node, Patroni included: only the lease's end tells the others."""
    old = _leader(layout)
    found = under_load(layout, lambda traffic: _kill_and_wait(layout, old, traffic))
    say(f"  starting {old} again")
    started = time.monotonic()
    start_node(layout, old)
    require(lambda: old in followers(layout), 90, f"{old} as a follower of the new leader")
    require_whole(layout, synchronous=synchronous)
    return {**found, "rejoined_s": round(time.monotonic() - started, 2)}


def _kill_and_wait(layout: Layout, old: str, traffic: Traffic) -> dict[str, Any]:
    say(f"  kill -9 of everything on {old}, its WAL senders frozen {FROZEN_S} s before")
    killed_at = kill_node(layout, old)
    require(
        lambda: traffic.ledger.write_back_after(killed_at),
        FAILOVER_WITHIN_S,
        "the first write after the kill",
    )
    new = _leader(layout)
    return {
        "old_leader": old,
        "new_leader": new,
        "writes_back_s": traffic.ledger.write_back_after(killed_at),
    }


def kill_node(layout: Layout, node: str) -> float:
    """Ends a node as a power cut does, and returns the moment. Its senders are frozen first, so that
    what is acknowledged without a follower's word is on no other node."""
    server = postmaster(layout, node)
    send(signal.SIGSTOP, *wal_senders(layout, node))
    time.sleep(FROZEN_S)
    # named before, because nobody finds them by their parent once it is gone
    ends = [
        patroni(layout, node).pid(),
        server,
        *children(server or 0),
        pgbouncer(layout, node).pid(),
    ]
    killed_at = time.monotonic()
    send(signal.SIGKILL, *ends)
    return killed_at


def switchover(layout: Layout, rounds: int = 3) -> dict[str, Any]:
    """A planned change, some times over: how long no write was acknowledged, in the middle and each time."""

    def changes(traffic: Traffic) -> dict[str, Any]:
        gaps_s = [_switch_once(layout, traffic) for _ in range(rounds)]
        return {"switchover_gap_s": statistics.median(gaps_s), "gaps_s": gaps_s}

    return under_load(layout, changes)


def _switch_once(layout: Layout, traffic: Traffic) -> float:
    require_whole(layout)
    old, started = _leader(layout), time.monotonic()
    switch(layout)
    require(lambda: leader(layout) not in (None, old), 30, "another leader")
    say(f"  from {old} to {_leader(layout)}")
    time.sleep(COOL_DOWN_S)
    gap_s = traffic.ledger.longest_gap_s(started - 1)
    require_whole(layout)
    return gap_s


def partition(layout: Layout) -> dict[str, Any]:
    """The leader loses the network: it must step down before another one leads."""
    old = _leader(layout)
    found = under_load(layout, lambda traffic: _cut_and_wait(layout, old, traffic))
    started = time.monotonic()
    heal(layout, old)
    require(lambda: old in followers(layout), 90, f"{old} as a follower of the new leader")
    require_whole(layout)
    return {**found, "rejoined_s": round(time.monotonic() - started, 2)}


def _cut_and_wait(layout: Layout, old: str, traffic: Traffic) -> dict[str, Any]:
    say(f"  cutting {old} off")
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
        # None: it restarts, and takes no write either
        if stepped_down_at is None and ask(layout, old, "SELECT pg_is_in_recovery()") is not False:
            stepped_down_at = now
        if promoted_at is None and any(answers(layout, node, "/primary") for node in others):
            promoted_at = now
        time.sleep(0.1)
    require(lambda: traffic.ledger.write_back_after(cut_at), FAILOVER_WITHIN_S, "writes")
    return {
        "old_leader": old,
        "new_leader": next(node for node in others if answers(layout, node, "/primary")),
        "stepped_down_s": round(stepped_down_at - cut_at, 2),
        "promoted_s": round(promoted_at - cut_at, 2),
        "writes_back_s": traffic.ledger.write_back_after(cut_at),
    }


def paused_replay(layout: Layout, rounds: int = 25) -> dict[str, Any]:
    """Followers that stand still: who has just written sees it at once, whatever the followers show."""
    still = followers(layout)
    traffic = Traffic(layout, writers=0, readers=0)
    session = requests.Session()
    missed = 0
    for node in still:
        ask(layout, node, "SELECT pg_wal_replay_pause()")
    try:
        for number in range(rounds):
            member, shop = traffic.members[number % 4], traffic.shops[number]
            key = f"drill-{traffic.ledger.run}-own-{number}"
            answer = post_review(session, layout.origin, member, shop, key)
            answer.raise_for_status()
            missed += review_of(answer) not in own_reviews(session, layout, member.token)
    finally:
        for node in still:
            ask(layout, node, "SELECT pg_wal_replay_resume()")
    require_whole(layout)
    return {"own_reads": rounds, "own_writes_not_seen": missed}


def own_reviews(session: requests.Session, layout: Layout, token: str) -> list[int]:
    """Ids of the member's newest reviews as the service answers them."""
    answer = session.get(
        f"{layout.origin}/reviews/member?size=20&page=1",
        headers={"Authorization": f"Bearer {token}"},
        timeout=10,
    )
    answer.raise_for_status()
    return [int(each["review_info"]["id"]) for each in answer.json()]


def asynchronous(layout: Layout) -> dict[str, Any]:
    """The negative control: without waiting for a follower, acknowledged writes are lost."""
    set_synchronous(layout, False)
    try:
        return failover(layout, synchronous=False)
    finally:
        wait_until(lambda: leader(layout), FAILOVER_WITHIN_S)
        set_synchronous(layout, True)


def drill(layout: Layout) -> dict[str, Any]:
    """Everything, one after the other; the figures of the failover stand at the top."""
    parts: dict[str, dict[str, Any]] = {}
    acts = (failover, switchover, partition, paused_replay, asynchronous)
    for act in acts:
        say(f"{act.__name__.replace('_', ' ')}: {(act.__doc__ or '').splitlines()[0]}")
        parts[act.__name__] = act(layout)
        say(f"  {parts[act.__name__]}")
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


def _leader(layout: Layout) -> str:
    found = leader(layout)
    if found is None:
        raise ClusterError("no node leads now; scripts/cluster status shows why")
    return found
