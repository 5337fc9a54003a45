"""Brands of the sample with sub-brands, aliases, badge colours and shares of shops."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache

from geoshops.sample.places import DATA


@dataclass(frozen=True, slots=True)
class Brand:
    """A brand; `parent` is the name of its parent brand or empty."""

    name: str
    parent: str
    is_representative: bool
    badge_color: str
    share: int
    aliases: tuple[str, ...]
    # language and name
    foreign: tuple[tuple[str, str], ...]


@cache
def brands() -> tuple[Brand, ...]:
    """Returns all brands, parents before their sub-brands."""
    with (DATA / "brands.csv").open(encoding="utf-8", newline="") as file:
        return tuple(
            Brand(
                r["name"],
                r["parent"],
                r["representative"] == "yes",
                r["badge_color"],
                int(r["share"]),
                tuple(r["aliases"].split("|")),
                tuple((lang, name) for lang, _, name in map(_parted, r["foreign"].split("|"))),
            )
            for r in csv.DictReader(file)
        )


def _parted(text: str) -> tuple[str, str, str]:
    return text.partition(":")


def brand_of(place_name: str) -> Brand | None:
    """Returns the brand with the longest name that a generated name starts with."""
    fitting = [brand for brand in brands() if place_name.startswith(brand.name)]
    return max(fitting, key=lambda brand: len(brand.name), default=None)
