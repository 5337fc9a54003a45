"""Generates shops with their reviews and favorites from a seed."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from random import Random
from typing import NamedTuple

from geoshops.sample.clock import Clock, shared_out
from geoshops.sample.ground import Ground
from geoshops.sample.members import Roster, members
from geoshops.sample.shops import Shop, lives, shops
from geoshops.sample.visits import Booth, Favorite, Review, character, favorites, reviews

FAVORITES_A_MEMBER = 25


class Size(NamedTuple):
    """Numbers of rows to generate."""

    shops: int = 1600
    reviews: int = 20_000
    members: int = 300


class Entry(NamedTuple):
    """A shop with its reviews and favorites."""

    shop: Shop
    reviews: list[Review]
    favorites: list[Favorite]


class Country:
    """Sample data determined by `seed`, `size` and `today`.

    Each subject has its own random stream, so that the number of reviews does not affect the shops."""

    def __init__(self, seed: int, size: Size, today: date, ground: Ground) -> None:
        self.clock = Clock(today)
        self.ground = ground
        self.size = size
        self._seed = seed
        self._lives = lives(self._random("lives"), size.shops, self.clock)
        self.roster = Roster(members(self._random("members"), size.members, self.clock))
        wanted = self._lives.popularity
        self._review_counts = shared_out(size.reviews, wanted)
        self._favorite_counts = shared_out(size.members * FAVORITES_A_MEMBER, wanted)

    def entries(self) -> Iterator[Entry]:
        """Yields all shops, the same ones in every call."""
        nature, writing = self._random("nature"), self._random("reviews")
        choosing = self._random("favorites")
        for shop in shops(self._random("shops"), self._lives, self.clock, self.ground):
            last_day = self._lives.last_day(shop.number, self.clock)
            sido = shop.spot.dong.sigungu.sido.short
            booth = Booth(sido, shop.opened, last_day, character(nature))
            yield Entry(
                shop,
                reviews(writing, booth, self._review_counts[shop.number], self.roster),
                favorites(choosing, booth, self._favorite_counts[shop.number], self.roster),
            )

    def _random(self, subject: str) -> Random:
        return Random(f"{self._seed}:{subject}")
