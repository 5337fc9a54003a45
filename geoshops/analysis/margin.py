"""Place names, legend, scale bar and north arrow of printed maps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

LEGEND_COLUMNS = 4
BELOW_PT = -8  # offset of the scale bar from the frame


def legend(axes: Any, title: str, entries: Sequence[tuple[str, str]]) -> None:
    """Draws the legend below the map on the left."""
    from matplotlib.patches import Patch

    axes.legend(
        handles=[Patch(color=color, label=label) for label, color in entries],
        title=title,
        loc="upper left",
        bbox_to_anchor=(0, -0.005),
        borderaxespad=0,
        alignment="left",
        ncols=LEGEND_COLUMNS,
        fontsize=8,
        title_fontsize=8,
        frameon=False,
    )


def source(axes: Any, text: str) -> None:
    """Writes the source below everything else."""
    from matplotlib.transforms import offset_copy

    drawn = axes.figure.get_tightbbox()
    left = offset_copy(axes.transAxes, axes.figure, y=-12, units="points")
    lowest = axes.figure.dpi_scale_trans.transform((0, drawn.y0))[1]
    place = axes.transAxes.inverted().transform((0, lowest))[1]
    axes.text(0, place, text, transform=left, fontsize=7, color="#555555", va="center")


def names(axes: Any, places: Sequence[tuple[str, float, float]]) -> None:
    """Writes the names of places in view, in the given order; skips names that would overlap."""
    from matplotlib.patheffects import withStroke

    west, east = axes.get_xlim()
    south, north = axes.get_ylim()
    axes.figure.draw_without_rendering()
    taken: list[Any] = []
    for name, x, y in places:
        if not (west < x < east and south < y < north):
            continue
        label = axes.text(
            x, y, name, fontsize=8, color="#3d3a35", ha="center", va="center", clip_on=True,
            path_effects=[withStroke(linewidth=2, foreground="#fffdfa")], zorder=10,
        )  # fmt: skip
        label.set_in_layout(False)
        box = label.get_window_extent().padded(2)
        if any(box.overlaps(other) for other in taken) or not _within(box, axes):
            label.remove()
        else:
            taken.append(box)


def _within(box: Any, axes: Any) -> bool:
    frame = axes.get_window_extent()
    return bool(
        frame.x0 <= box.x0 and box.x1 <= frame.x1 and frame.y0 <= box.y0 and box.y1 <= frame.y1
    )


def scale_bar(axes: Any) -> None:
    """Draws a scale bar of a round length below the map on the right."""
    from matplotlib.transforms import offset_copy

    left, right = axes.get_xlim()
    length = round_length((right - left) / 4)
    line = offset_copy(axes.get_xaxis_transform(), axes.figure, y=BELOW_PT, units="points")
    axes.plot(
        [right - length, right],
        [0, 0],
        transform=line,
        clip_on=False,
        color="black",
        linewidth=2.5,
        solid_capstyle="butt",
    )
    label = f"{length / 1000:g} km" if length >= 1000 else f"{length:g} m"
    before = offset_copy(line, axes.figure, x=-5, units="points")
    axes.text(right - length, 0, label, transform=before, ha="right", va="center", fontsize=8)


def north_arrow(axes: Any) -> None:
    """Draws a north arrow above the map on the right."""
    from matplotlib.transforms import offset_copy

    axes.annotate(
        "N",
        xy=(1, 1),
        xycoords=offset_copy(axes.transAxes, axes.figure, x=-8, y=30, units="points"),
        xytext=(0, -22),
        textcoords="offset points",
        ha="center",
        va="center",
        fontsize=11,
        annotation_clip=False,
        arrowprops={"arrowstyle": "-|>", "color": "black", "linewidth": 1.5},
    )


def round_length(metres: float) -> float:
    """Returns the largest 1, 2 or 5 times a power of ten that is not above `metres`."""
    power = 10.0 ** math.floor(math.log10(metres))
    return next(m * power for m in (5, 2, 1) if m * power <= metres)
