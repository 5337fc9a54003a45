"""The filters of shop searches as one value."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from sqlalchemy import bindparam, func, literal_column

# the parameter `filters` as the SQL type
FILTERS = func.jsonb_populate_record(literal_column("NULL::shop_filters"), bindparam("filters"))


@dataclass(frozen=True)
class ShopFilters:
    """Conditions on shops, named as the arguments of the searches; None sets no condition.

    `box` is (west, south, east, north) in degrees; the shares are Wilson lower bounds from 0 to 1."""

    box: tuple[float, float, float, float] | None = None
    min_rating: float | None = None
    open_now: bool = False
    clean: float | None = None
    retouch: float | None = None
    props: float | None = None

    def to_json(self, zone: str) -> str | None:
        """The JSON that `jsonb_populate_record` reads as the SQL type `shop_filters`; None without filters.

        `open_now` is converted to the current minute of the week in the time zone."""
        values: dict[str, object] = dict(vars(self))
        values["open_minute"] = _minute_of_week(zone) if values.pop("open_now") else None
        values = {name: value for name, value in values.items() if value is not None}
        return json.dumps(values) if values else None


def _minute_of_week(zone: str) -> int:
    now = datetime.now(ZoneInfo(zone))
    return now.weekday() * 1440 + now.hour * 60 + now.minute
