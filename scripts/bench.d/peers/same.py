"""Do the peers answer the same shops? Compared with the service, question by question, before anything is measured."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Callable
from typing import Any

from peers.catalogue import Peer, Question

Distances = dict[int, float]  # of a shop from the map centre, in metres


def fetch(url: str) -> Any:
    """The JSON at an address."""
    with urllib.request.urlopen(url, timeout=60) as answer:
        return json.load(answer)


def difference(
    peer: Peer, ours: list[int], theirs: list[int], near: Distances, radius_m: float
) -> str:
    """What is wrong with a peer's answer; empty when it is the same.

    near: every shop that may be at the edge, with its geodesic distance from the centre."""
    if len(set(theirs)) != len(theirs):
        return "a shop comes twice"
    odd = set(ours) ^ set(theirs)
    edge_m = peer.margin * radius_m
    wrong = sorted(i for i in odd if abs(near.get(i, float("inf")) - radius_m) > edge_m)
    if wrong:
        return f"{len(wrong)} other shops, such as {wrong[0]}"
    if peer.ordered and not odd and ours != theirs:
        return "another order"
    return ""


def check(
    peer: Peer,
    origin: str,
    questions: list[Question],
    expected: Callable[[Peer, Question], list[int]],
    near: Callable[[Question], Distances],
    radius_m: float,
) -> int:
    """Refuses to go on with a peer that answers something else; returns the number of shops compared."""
    compared = 0
    for question in questions:
        theirs = peer.read(fetch(origin + peer.path(question)))
        ours = expected(peer, question)
        compared += len(ours)
        wrong = difference(peer, ours, theirs, near(question) if peer.margin else {}, radius_m)
        if wrong:
            raise SystemExit(
                f"{peer.name} at {question}: {wrong}; ours {len(ours)}, theirs {len(theirs)}"
            )
    if not compared:
        raise SystemExit(f"{peer.name}: no question had a shop in its answer")
    return compared
