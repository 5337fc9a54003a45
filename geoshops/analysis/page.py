"""Pages of one file: MapLibre, data and style inside, no request to anywhere."""

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
from geoshops.analysis.scripts import Script

HERE = Path(__file__).resolve().parent
VENDOR = HERE.parent / "map" / "static" / "vendor" / "maplibre-gl"
TEMPLATES = HERE / "templates"


class Painter:
    """Colours of a column: classes by name, amounts by quantiles."""

    def __init__(self, values: Sequence[Any], style: styles.Style) -> None:
        known = [v for v in values if v is not None]
        self.has_null = len(known) < len(values)
        self.categorical = styles.is_categorical(known, style)
        self.classes = styles.class_colors(known, style) if self.categorical else {}
        self.breaks = [] if self.categorical else styles.breaks([float(v) for v in known])
        self.extent = (min(known), max(known)) if known and not self.categorical else None

    def color(self, value: Any) -> str:
        """The colour of a value; grey for none."""
        if value is None:
            return styles.OTHER
        if self.categorical:
            return self.classes.get(str(value), styles.OTHER)
        return self._shade(sum(value >= bound for bound in self.breaks))

    def legend(self) -> list[tuple[str, str]]:
        """Labels with their colours."""
        if self.categorical:
            entries = [(n, c) for n, c in self.classes.items() if c != styles.OTHER]
            if styles.OTHER in self.classes.values():
                entries.append(("그 밖", styles.OTHER))
        else:
            entries = self._ranges()
        return [*entries, ("값 없음", styles.OTHER)] if self.has_null else entries

    def _ranges(self) -> list[tuple[str, str]]:
        if self.extent is None:
            return []
        if self.extent[0] == self.extent[1]:
            return [(_short(self.extent[0]), self._shade(0))]
        bounds = [self.extent[0], *self.breaks, self.extent[1]]
        pairs = itertools.pairwise(bounds)
        return [(f"{_short(a)} – {_short(b)}", self._shade(n)) for n, (a, b) in enumerate(pairs)]

    def _shade(self, place: int) -> str:
        steps = max(len(self.breaks), 1)
        return styles.SEQUENCE[round(place * (len(styles.SEQUENCE) - 1) / steps)]


def map_page(
    script: Script,
    subtitle: str,
    style: styles.Style,
    rows: list[styles.Row],
    shapes: list[Any],
    ground: list[Any],
) -> str:
    """The interactive map of an answer."""
    painter = Painter([row[style.column] for row in rows], style)
    features = [
        _feature(shape, {**row, "_color": painter.color(row[style.column])})
        for row, shape in zip(rows, shapes, strict=True)
    ]
    data = {
        "answer": {"type": "FeatureCollection", "features": features},
        "ground": {"type": "FeatureCollection", "features": [_feature(s, {}) for s in ground]},
        "bounds": list(shapely.total_bounds(shapes)) if shapes else None,
        "legend": painter.legend(),
        "title": style.title,
    }
    return filled(
        "map.html",
        question=escape(script.question),
        subtitle=escape(subtitle),
        name=escape(script.name),
        rows=str(len(rows)),
        style=_asset("maplibre-gl.css"),
        library=_packed("maplibre-gl.mjs"),
        worker=_packed("maplibre-gl-worker.mjs"),
        data=_inline(data),
    )


def chart_page(script: Script, subtitle: str, svg: str) -> str:
    """The page of a chart."""
    return filled(
        "chart.html",
        question=escape(script.question),
        subtitle=escape(subtitle),
        name=escape(script.name),
        svg=svg[svg.index("<svg") :],
    )


def filled(template: str, **parts: str) -> str:
    """A page of templates/ with its [[parts]] in place."""
    text = (TEMPLATES / template).read_text(encoding="utf-8")
    for name, part in parts.items():
        text = text.replace(f"[[{name}]]", part)
    return text


def _asset(name: str) -> str:
    try:
        return (VENDOR / name).read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise click.ClickException("MapLibre is missing; remedy: scripts/setup") from error


def _packed(name: str) -> str:
    """A module as base64: nothing in it can end the element that holds it."""
    return base64.b64encode(_asset(name).encode()).decode()


def _inline(data: Any) -> str:
    """JSON for a script element."""
    return json.dumps(data, ensure_ascii=False).replace("<", "\\u003c")


def _feature(shape: Any, properties: dict[str, Any]) -> dict[str, Any]:
    rounded = shapely.transform(shape, lambda xy: xy.round(6))
    return {
        "type": "Feature",
        "properties": {name: plain(value) for name, value in properties.items()},
        "geometry": json.loads(shapely.to_geojson(rounded)),
    }


def _short(value: float) -> str:
    if abs(value) < 1e-3:
        return "0"
    if value == int(value) and abs(value) < 1e9:
        return f"{int(value):,}"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
