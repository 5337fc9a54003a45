"""Self-contained HTML pages: maps and charts without external requests."""

from __future__ import annotations

import base64
import itertools
import json
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

import click
import shapely

from geoshops.analysis import styles
from geoshops.analysis.formats import plain
from geoshops.analysis.ground import Ground
from geoshops.analysis.scripts import Script
from geoshops.web import assets

MAPLIBRE = assets.VENDOR / "maplibre-gl"
TEMPLATES = Path(__file__).parent / "templates"
FEW = 60
TINY_SHARE, TINY_SHARE_OF_MANY = 0.02, 0.004  # share of the map's extent


class Painter:
    """Assigns colours to the values of a column: classes by name, amounts by quantiles."""

    def __init__(self, values: Sequence[Any], style: styles.Style) -> None:
        known = [v for v in values if v is not None]
        self.has_null = len(known) < len(values)
        self.categorical = styles.is_categorical(known, style)
        self.classes = styles.class_colors(known, style) if self.categorical else {}
        self.amounts = [] if self.categorical else sorted(map(_rounded, known))
        self.breaks = styles.breaks(self.amounts)
        # zeros that form a class get a neutral colour instead of the brightest one
        below = [a for a in self.amounts if self.breaks and a < self.breaks[0]]
        self.has_nothing = bool(below) and below[-1] == 0 == below[0]

    def color(self, value: Any) -> str:
        """Returns the colour of a value or of null."""
        if value is None:
            return styles.UNKNOWN
        if self.categorical:
            return self.classes.get(str(value), styles.OTHER)
        return self._shade(self._place(_rounded(value)))

    def legend(self) -> list[tuple[str, str]]:
        """Returns labels with their colours."""
        if self.categorical:
            entries = [
                (styles.LABELS.get(n, n), c) for n, c in self.classes.items() if c != styles.OTHER
            ]
            if styles.OTHER in self.classes.values():
                entries.append(("그 밖", styles.OTHER))
        else:
            entries = self._ranges()
        return [*entries, ("값 없음", styles.UNKNOWN)] if self.has_null else entries

    def _ranges(self) -> list[tuple[str, str]]:
        """Labels each class with its least and greatest amount, since bounds would belong to two classes."""
        classes = [
            (place, list(amounts))
            for place, amounts in itertools.groupby(self.amounts, self._place)
        ]
        return [(_span(amounts[0], amounts[-1]), self._shade(n)) for n, amounts in classes]

    def _place(self, amount: float) -> int:
        return sum(amount >= bound for bound in self.breaks)

    def _shade(self, place: int) -> str:
        if place == 0 and self.has_nothing:
            return styles.NOTHING
        steps = max(len(self.breaks), 1)
        return styles.SEQUENCE[round(place * (len(styles.SEQUENCE) - 1) / steps)]


def tiny_shapes(shapes: Sequence[Any]) -> list[bool]:
    """Returns which shapes are too small to be visible on a map of all; with many shapes the limit is lower."""
    if not shapes:
        return []
    west, south, east, north = shapely.total_bounds(shapes)
    least = (TINY_SHARE if len(shapes) <= FEW else TINY_SHARE_OF_MANY) * max(
        east - west, north - south
    )
    boxes = shapely.bounds(shapes)
    return [bool(max(box[2] - box[0], box[3] - box[1]) < least) for box in boxes]


def map_page(
    heading: tuple[str, str],
    script: Script,
    *,
    style: styles.Style,
    rows: list[styles.Row],
    shapes: list[Any],
    ground: Ground,
) -> str:
    """Returns the page with the interactive map of a result."""
    title, subtitle = heading
    painter = Painter([row[style.column] for row in rows], style)
    features = [
        _feature(shape, {**row, "_color": painter.color(row[style.column]), "_tiny": small})
        for row, shape, small in zip(rows, shapes, tiny_shapes(shapes), strict=True)
    ]
    data = {
        "result": {"type": "FeatureCollection", "features": features},
        "ground": {
            "type": "FeatureCollection",
            "features": [_feature(area, {"level": level}) for level, area in ground.areas]
            + [_feature(shapely.Point(x, y), {"name": name}) for name, x, y in ground.names],
        },
        "bounds": list(shapely.total_bounds(shapes)) if shapes else None,
        "legend": painter.legend(),
        "title": style.title,
    }
    return filled(
        "map.html",
        question=escape(title),
        subtitle=escape(subtitle),
        name=escape(script.name),
        rows=str(len(rows)),
        style=_asset("maplibre-gl.css"),
        library=_packed("maplibre-gl.mjs"),
        worker=_packed("maplibre-gl-worker.mjs"),
        data=_inline(data),
    )


def chart_page(heading: tuple[str, str], script: Script, svg: str) -> str:
    """Returns the page of a chart."""
    title, subtitle = heading
    return filled(
        "chart.html",
        question=escape(title),
        subtitle=escape(subtitle),
        name=escape(script.name),
        svg=svg[svg.index("<svg") :],
    )


def filled(template: str, **parts: str) -> str:
    """Fills the [[parts]] of a template."""
    text = (TEMPLATES / template).read_text(encoding="utf-8")
    for name, part in parts.items():
        text = text.replace(f"[[{name}]]", part)
    return text


def _asset(name: str) -> str:
    try:
        return (MAPLIBRE / name).read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise click.ClickException("MapLibre is missing; run scripts/setup") from error


def _packed(name: str) -> str:
    """Returns a module as base64, which cannot end the enclosing HTML element."""
    return base64.b64encode(_asset(name).encode()).decode()


def _inline(data: Any) -> str:
    """Returns JSON that is safe inside a script element."""
    return json.dumps(data, ensure_ascii=False).replace("<", "\\u003c")


def _feature(shape: Any, properties: dict[str, Any]) -> dict[str, Any]:
    rounded = shapely.transform(shape, lambda xy: xy.round(6))
    return {
        "type": "Feature",
        "properties": {name: plain(value) for name, value in properties.items()},
        "geometry": json.loads(shapely.to_geojson(rounded)),
    }


def _rounded(amount: float) -> float:
    """Rounds to six digits, because equal densities differ in the last digits."""
    return float(f"{amount:.6g}")


def _span(least: float, greatest: float) -> str:
    ends = _short(least), _short(greatest)
    return ends[0] if ends[0] == ends[1] else " – ".join(ends)


def _short(value: float) -> str:
    if abs(value) < 1e-3:
        return "0"
    if value == int(value) and abs(value) < 1e9:
        return f"{int(value):,}"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
