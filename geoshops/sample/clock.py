"""Time of the sample: days and seconds since its first day, in Korean time."""

from __future__ import annotations

from array import array
from datetime import date, timedelta
from itertools import accumulate
from random import Random

YEARS = 6
DAY_S = 86_400
# relative number of visits by hour of the day
HOURS = (3, 2, 1, 1, 1, 0, 0, 1, 1, 2, 4, 6, 9, 10, 11, 12, 12, 13, 14, 15, 15, 14, 11, 7)
HOUR_TABLE = tuple(hour for hour, weight in enumerate(HOURS) for _ in range(weight))


class Clock:
    """The days before `today`."""

    def __init__(self, today: date) -> None:
        self.today = today
        self.days = YEARS * 365
        self.first = today - timedelta(days=self.days)
        self._texts = [(self.first + timedelta(days=n)).isoformat() for n in range(self.days + 1)]

    def date_text(self, day: int) -> str:
        """Returns the day as YYYY-MM-DD."""
        return self._texts[day]

    def moment_text(self, second: int) -> str:
        """Returns a second as a PostgreSQL timestamp in Korean time."""
        day, rest = divmod(second, DAY_S)
        return f"{self._texts[day]} {rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02}+09"


def second_of_day(random: Random) -> int:
    """Draws a second of the day, weighted by the visits of its hour."""
    hour = HOUR_TABLE[int(random.random() * len(HOUR_TABLE))]
    return hour * 3600 + int(random.random() * 3600)


def shared_out(total: int, weights: array[float]) -> array[int]:
    """Returns integers proportional to the weights with the sum `total`."""
    sums = array("d", accumulate(weights))
    if not sums or sums[-1] <= 0:
        return array("l", [0] * len(weights))
    marks = [int(total * part / sums[-1] + 0.5) for part in sums]
    return array("l", (mark - before for before, mark in zip([0, *marks], marks, strict=False)))
