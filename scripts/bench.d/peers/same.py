"""Checks before measuring that the peers return the same shops as the service."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Callable
from typing import Any

from peers.catalogue import Peer, Question

Distances = dict[int, float]  # metres from the map centre by shop id


def fetch(url: str) -> Any:
    """Fetches JSON from a URL."""
    with urllib.request.urlopen(url, timeout=60) as answer:
        return json.load(answer)


def difference(
    peer: Peer, ours: list[int], theirs: list[int], near: Distances, radius_m: float
) -> str:
    """Returns the difference of a peer's result from the service's; empty if it is the same.

    near: shops in and near the circle with their geodesic distances from the centre."""
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
    """Exits if a peer returns other shops; returns the number of compared shops."""
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
        raise SystemExit(f"{peer.name}: no query returned a shop")
    return compared
