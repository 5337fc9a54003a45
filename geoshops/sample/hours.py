"""Opening hours of the sample."""

from __future__ import annotations

import json

EVERY_DAY = range(1, 8)
TUESDAY = 2
WEEKEND = (5, 6)


def _week(open_: str, close: str, *, late: str = "", closed_on: int = 0) -> str:
    """Returns equal hours for all days; `late` closes later on Friday and Saturday, `closed_on` is a day off."""
    return json.dumps(
        [
            {"day": day, "open": open_, "close": late if late and day in WEEKEND else close}
            for day in EVERY_DAY
            if day != closed_on
        ]
    )


UNKNOWN = "[]"
AROUND_THE_CLOCK = _week("00:00", "24:00")
WEEKS = (
    (30, AROUND_THE_CLOCK),
    (16, _week("10:00", "22:00")),
    (14, _week("11:00", "23:00")),
    (10, _week("10:00", "24:00")),
    (8, _week("11:00", "02:00")),
    (6, _week("10:00", "23:00", late="01:00")),
    (4, _week("12:00", "04:00", late="06:00")),
    (4, _week("11:00", "21:00", closed_on=TUESDAY)),
    (8, UNKNOWN),
)
WEEK_TABLE = tuple(week for weight, week in WEEKS for _ in range(weight))
