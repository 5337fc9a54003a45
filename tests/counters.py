"""What the shops' counters must be, counted in Python from the rows: the oracle of the counter tests."""

from __future__ import annotations

from collections import Counter
from typing import Any

from tests.make import Maker

STATS = (
    "star_1", "star_2", "star_3", "star_4", "star_5", "purity_good", "purity_bad",
    "retouch_good", "retouch_bad", "item_good", "item_bad",
)  # fmt: skip


def stored(make: Maker, shop_id: int) -> dict[str, int]:
    """The counters as they are stored."""
    row = make.rows(
        "SELECT review_cnt, star_rating_sum, favorite_cnt FROM shops WHERE id = %s", shop_id
    )[0]
    counters = dict(zip(("review_cnt", "star_rating_sum", "favorite_cnt"), row, strict=True))
    stats = make.rows(f"SELECT {', '.join(STATS)} FROM shop_stats WHERE shop_id = %s", shop_id)
    return {**counters, **dict(zip(STATS, stats[0] if stats else (0,) * len(STATS), strict=True))}


def counted(make: Maker, shop_id: int) -> dict[str, int]:
    """The same from the rows."""
    reviews = make.rows(
        "SELECT star_rating, purity, retouch, item FROM reviews WHERE shop_id = %s AND hidden_at IS NULL",
        shop_id,
    )
    (favorite_cnt,) = make.rows("SELECT count(*) FROM favorites WHERE shop_id = %s", shop_id)[0]
    seen: Counter[str] = Counter()
    for stars, purity, retouch, item in reviews:
        seen[f"star_{stars}"] += 1
        for name, vote in (("purity", purity), ("retouch", retouch), ("item", item)):
            seen[f"{name}_{vote.lower()}"] += 1
    found: dict[str, Any] = {name: seen[name] for name in STATS}
    found["review_cnt"] = len(reviews)
    found["star_rating_sum"] = sum(row[0] for row in reviews)
    found["favorite_cnt"] = favorite_cnt
    return found


def assert_exact(make: Maker, shop_id: int) -> None:
    """The stored counters equal the rows."""
    assert stored(make, shop_id) == counted(make, shop_id)
