"""Brands of the sample: names, sub-brands, other names, badge colours and shares of booths."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache

from geoshops.sample.places import DATA


@dataclass(frozen=True, slots=True)
class Brand:
    """A brand; `parent` is the name of the brand it belongs to, empty for most."""

    name: str
    parent: str
    is_representative: bool
    badge_color: str
    share: int
    aliases: tuple[str, ...]


@cache
def brands() -> tuple[Brand, ...]:
    """All brands, parents before their sub-brands."""
    with (DATA / "brands.csv").open(encoding="utf-8", newline="") as file:
        return tuple(
            Brand(
                r["name"],
                r["parent"],
                r["representative"] == "yes",
                r["badge_color"],
                int(r["share"]),
                tuple(r["aliases"].split("|")),
            )
            for r in csv.DictReader(file)
        )


def brand_of(place_name: str) -> Brand | None:
    """The brand a generated name begins with: the longest, as 포토이즘 begins 포토이즘박스."""
    fitting = [brand for brand in brands() if place_name.startswith(brand.name)]
    return max(fitting, key=lambda brand: len(brand.name), default=None)
