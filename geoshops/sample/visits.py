"""Generates reviews, which match a shop's quality, and favorites."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from geoshops.sample.clock import DAY_S, second_of_day
from geoshops.sample.members import Roster
from geoshops.sample.phrases import another_sentence, review_text

FACETS = ("purity", "retouch", "item")
VOTES_SHARE = 0.55
EDITED_SHARE = 0.04
RISING_SHARE = 0.04
LATELY_DAYS = 30
# Shares of one to five stars at the worst and the best shop; others are interpolated.
WORST, BEST = (0.28, 0.24, 0.22, 0.16, 0.10), (0.01, 0.02, 0.05, 0.22, 0.70)


class Review(NamedTuple):
    """A review; times are seconds of the clock, facets are in the order of FACETS."""

    member: int
    stars: int
    content: str
    votes: tuple[str, ...]
    created: int
    modified: int


class Favorite(NamedTuple):
    """A favorite; the time is a second of the clock."""

    member: int
    created: int


class Character(NamedTuple):
    """Quality of a shop (0 to 1) overall and by facet, and whether its popularity is rising."""

    stars: float
    facets: tuple[float, ...]
    rising: bool


def character(random: Random) -> Character:
    """Draws the quality of a shop."""
    overall = 1 - random.random() * random.random()
    facets = tuple(min(0.98, max(0.1, overall + random.random() * 0.5 - 0.2)) for _ in FACETS)
    return Character(overall, facets, random.random() < RISING_SHARE)


class Booth(NamedTuple):
    """The province and the period of the visits."""

    sido: str
    opened: int
    last_day: int
    character: Character


def reviews(random: Random, booth: Booth, count: int, roster: Roster) -> list[Review]:
    """Generates the reviews of a shop in chronological order, with distinct texts."""
    texts: set[str] = set()
    written = []
    for created in sorted(_moment(random, booth) for _ in range(count)):
        author = roster.someone(random, created, booth.sido)
        if author is None:
            continue
        stars = _stars(random, booth.character.stars)
        votes = {
            facet: _vote(random, share, stars)
            for facet, share in zip(FACETS, booth.character.facets, strict=True)
        }
        text = _new_text(random, stars, votes, texts)
        modified = _modified(random, created, booth.last_day * DAY_S)
        written.append(Review(author.number, stars, text, (*votes.values(),), created, modified))
    return written


def favorites(random: Random, booth: Booth, count: int, roster: Roster) -> list[Favorite]:
    """Generates at most `count` favorites of a shop in chronological order, one per member."""
    found: dict[int, Favorite] = {}
    for created in sorted(_moment(random, booth) for _ in range(count)):
        member = roster.someone(random, created, booth.sido)
        if member is not None:
            found.setdefault(member.number, Favorite(member.number, created))
    return list(found.values())


def _moment(random: Random, booth: Booth) -> int:
    """Draws a second of the shop's lifetime, weighted by hour; later if its popularity is rising."""
    days = booth.last_day - booth.opened
    if booth.character.rising and random.random() < 0.6:
        back = int(min(days, LATELY_DAYS) * random.random())
        return (booth.last_day - 1 - back) * DAY_S + second_of_day(random)
    return (booth.opened + int(days * random.random() ** 0.8)) * DAY_S + second_of_day(random)


def _stars(random: Random, quality: float) -> int:
    chance = random.random()
    for stars, (worst, best) in enumerate(zip(WORST, BEST, strict=True), 1):
        chance -= worst + (best - worst) * quality
        if chance < 0:
            return stars
    return 5


def _vote(random: Random, share: float, stars: int) -> str:
    if random.random() > VOTES_SHARE:
        return "UNSELECTED"
    return "GOOD" if random.random() < (share if stars >= 3 else share / 2) else "BAD"


def _new_text(random: Random, stars: int, votes: dict[str, str], texts: set[str]) -> str:
    text = review_text(random, stars, votes)
    while text in texts:
        text = another_sentence(random, text)
    texts.add(text)
    return text


def _modified(random: Random, created: int, end: int) -> int:
    if random.random() >= EDITED_SHARE:
        return created
    return min(created + 60 + int(random.random() * 3 * DAY_S), end - 1)
