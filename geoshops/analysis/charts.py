"""Charts of results without geometry."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

from geoshops.analysis.styles import CATEGORIES, LABELS, Row

BRANDS_SHOWN = 7
DAYS = ["월", "화", "수", "목", "금", "토", "일"]


def draw(axes: Any, number: str, rows: list[Row]) -> None:
    """Draws the chart of a script, or a note that there are no rows."""
    if not rows:
        axes.text(0.5, 0.5, "결과 없음", transform=axes.transAxes, ha="center", fontsize=14)
        return
    CHARTS[number](axes, rows)
    axes.spines[["top", "right"]].set_visible(False)


def openings(axes: Any, rows: list[Row]) -> None:
    """Open shops at the end of each month for the largest brands; below, openings and closings."""
    stock: dict[str, dict[Any, int]] = defaultdict(lambda: defaultdict(int))
    changes: dict[Any, list[int]] = defaultdict(lambda: [0, 0])
    for row in rows:
        stock[row["brand"]][row["month"]] += row["open_at_end"]
        changes[row["month"]][0] += row["opened"]
        changes[row["month"]][1] -= row["closed"]
    largest = sorted(stock, key=lambda b: -max(stock[b].values()))[:BRANDS_SHOWN]
    for brand, color in zip(largest, CATEGORIES, strict=False):
        axes.plot(
            list(stock[brand]),
            list(stock[brand].values()),
            label=LABELS.get(brand, brand),
            color=color,
        )
    axes.set_ylabel("월말 영업 지점 수 (개)")
    axes.set_ylim(bottom=0)
    axes.legend(fontsize=8, frameon=False, loc="upper left")
    bars = axes.figure.add_subplot(2, 1, 2, sharex=axes)
    for place, (label, color) in enumerate((("개점", CATEGORIES[0]), ("폐점", CATEGORIES[5]))):
        heights = [change[place] for change in changes.values()]
        bars.bar(list(changes), heights, width=25, color=color, label=label)
    bars.axhline(0, color="#222222", linewidth=0.6)
    bars.yaxis.set_major_formatter(lambda value, _: f"{abs(value):g}")
    bars.set_ylabel("월별 개점·폐점 (개)")
    bars.legend(fontsize=8, frameon=False, ncols=2, loc="upper left")
    bars.spines[["top", "right"]].set_visible(False)
    axes.set_subplotspec(bars.get_gridspec()[0])


def rivals(axes: Any, rows: list[Row]) -> None:
    """Mean rating by distance to the nearest rival."""
    labels = [
        f"{r['band_from_m']:g}–{r['band_to_m']:g}" if r["band_to_m"] else f"{r['band_from_m']:g}+"
        for r in rows
    ]
    axes.bar(labels, [r["avg_rating"] or 0 for r in rows], color=CATEGORIES[0])
    for n, row in enumerate(rows):
        rating = "평점 없음" if row["avg_rating"] is None else f"평점 {row['avg_rating']:.2f}"
        label = f"{rating}\n지점 {row['shops']}개\n평균 리뷰 {row['avg_reviews'] or 0:.1f}개"
        axes.text(n, (row["avg_rating"] or 0) + 0.05, label, ha="center", fontsize=8)
    axes.set_ylim(0, 6)
    axes.set_yticks(range(6))
    axes.set_xlabel("가장 가까운 경쟁 지점까지 거리 (m)")
    axes.set_ylabel("평균 평점 (1–5점)")


def tempo(axes: Any, rows: list[Row]) -> None:
    """Reviews per week with their moving average; below, a heat map by weekday and hour."""
    weeks = [r for r in rows if r["part"] == "week"]
    axes.plot(
        [r["week"] for r in weeks], [r["reviews"] for r in weeks], color="#b0c4d8", label="주간"
    )
    axes.plot(
        [r["week"] for r in weeks],
        [r["moving_avg"] for r in weeks],
        color=CATEGORIES[0],
        label="4주 이동평균",
    )
    axes.set_ylabel("주별 리뷰 수 (개)")
    axes.set_ylim(bottom=0)
    # above the axes, which the lines fill
    axes.legend(fontsize=8, frameon=False, loc="lower right", bbox_to_anchor=(1, 0.98), ncols=2)
    hours = [[0] * 24 for _ in DAYS]
    for row in rows:
        if row["part"] == "hour":
            hours[row["dow"] - 1][row["hour"]] = row["reviews"]
    heat = axes.figure.add_subplot(2, 1, 2)
    shades = heat.imshow(hours, aspect="auto", cmap="Blues")
    axes.figure.colorbar(shades, ax=heat, label="리뷰 수 (개)", pad=0.01)
    heat.set_yticks(range(7), DAYS)
    heat.set_xticks(range(0, 24, 3), [f"{h}시" for h in range(0, 24, 3)])
    axes.set_subplotspec(heat.get_gridspec()[0])
    heat.set_title("요일과 시간", fontsize=9)


CHARTS: dict[str, Callable[[Any, list[Row]], None]] = {
    "15": openings,
    "19": rivals,
    "24": tempo,
}
