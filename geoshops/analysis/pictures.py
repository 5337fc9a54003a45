"""Answers as pictures: printed maps and charts by matplotlib, pages with an interactive map."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import click
import shapely
from pyproj import Transformer

from geoshops.analysis import files, formats, page, runner, styles
from geoshops.analysis.outlines import outlines
from geoshops.analysis.scripts import Script

PLANE = 5179
FEW = 60
SPECK = 0.02  # of the map's width
KOREA = (122.0, 32.0, 133.0, 40.0)
FONTS = ["NanumGothic", "Noto Sans CJK KR", "Noto Sans KR", "Apple SD Gothic Neo", "Malgun Gothic"]
SOURCE = "자료: geoshops · 분석 {name}"


@dataclass(frozen=True)
class Picture:
    """What a picture shows: rows with geometry apart, and how it is painted."""

    script: Script
    values: Mapping[str, str]
    rows: list[styles.Row]
    shapes: list[Any]

    @property
    def style(self) -> styles.Style:
        """The style of the question."""
        return styles.STYLES[self.script.name[:2]]

    @property
    def subtitle(self) -> str:
        """The parameters that were given, for the reader of a print."""
        given = ", ".join(f"{n}={v}" for n, v in self.values.items() if v)
        return given or "전국"


def collect(
    url: str, script: Script, values: Mapping[str, str], timeout_s: int = runner.TIMEOUT_S
) -> Picture:
    """Asks the script and keeps the rows that its picture shows."""
    style = styles.STYLES.get(script.name[:2])
    with runner.answer(url, script, values, timeout_s) as answer:
        place = answer.geometry
        names = [c.name for c in answer.columns]
        rows = [dict(zip(names, row, strict=True)) for row in answer.rows]
    if style and place is not None:
        rows = styles.chosen(rows, style)
        shapes = list(shapely.set_srid(shapely.from_wkb([r.pop("geom") for r in rows]), 0))
        return Picture(script, values, rows, shapes)
    return Picture(script, values, rows, [])


def write(
    url: str, script: Script, values: Mapping[str, str], kind: str, output: str, timeout_s: int
) -> None:
    """Writes a png or html picture of the answer."""
    picture = collect(url, script, values, timeout_s)
    if kind == "html":
        with files.text_output(output) as stream:
            stream.write(html(url, picture))
        return
    with files.new_file(output) as path:
        path.write_bytes(png(url, picture))


def html(url: str, picture: Picture) -> str:
    """A page of one file: an interactive map, or a chart where there is no geometry."""
    if picture.script.name[:2] not in styles.STYLES:
        return page.chart_page(
            picture.script, picture.subtitle, figure(url, picture, "svg").decode()
        )
    return page.map_page(
        picture.script,
        picture.subtitle,
        picture.style,
        picture.rows,
        picture.shapes,
        outlines(url, _bounds(picture)),
    )


def png(url: str, picture: Picture) -> bytes:
    """A printed map or chart."""
    return figure(url, picture, "png")


def figure(url: str, picture: Picture, kind: str) -> bytes:
    """The map or chart by matplotlib, as png or svg."""
    import io

    try:
        import matplotlib
    except ImportError as error:
        raise click.ClickException(formats.EXTRA) from error
    matplotlib.use("Agg")
    from matplotlib import font_manager, pyplot

    installed = set(font_manager.get_font_names())
    matplotlib.rcParams["font.family"] = [f for f in FONTS if f in installed] + ["DejaVu Sans"]
    matplotlib.rcParams["axes.unicode_minus"] = False
    matplotlib.rcParams["svg.hashsalt"] = "geoshops"
    drawing, axes = pyplot.subplots(figsize=(8, _height_in(picture)), layout="constrained")
    if kind == "png":  # a page has them as its own text
        _label(drawing, axes, picture)
    if picture.script.name[:2] in styles.STYLES:
        _draw_map(axes, picture, outlines(url, _bounds(picture)))
    else:
        from geoshops.analysis import charts

        charts.draw(axes, picture.script.name[:2], picture.rows)
    output = io.BytesIO()
    drawing.savefig(
        output,
        format=kind,
        dpi=130,
        bbox_inches="tight",
        metadata={"Date": None} if kind == "svg" else None,
    )
    pyplot.close(drawing)
    return output.getvalue()


def _label(drawing: Any, axes: Any, picture: Picture) -> None:
    """Question, parameters and source, which a print has to carry itself."""
    drawing.suptitle(picture.script.question, fontsize=11)
    axes.set_title(picture.subtitle, fontsize=9, color="#555555")
    source = SOURCE.format(name=picture.script.name)
    drawing.supxlabel(source, fontsize=7, color="#555555", x=0.01, ha="left")


def _bounds(picture: Picture) -> tuple[float, float, float, float]:
    if not picture.shapes:
        return KOREA
    west, south, east, north = shapely.total_bounds(picture.shapes)
    margin = max((east - west) * 0.05, (north - south) * 0.05, 0.01)
    return west - margin, south - margin, east + margin, north + margin


def _height_in(picture: Picture) -> float:
    """Height of the paper, eight inches wide, in inches: a map keeps its shape, a chart is broad."""
    if picture.script.name[:2] not in styles.STYLES:
        return 5
    west, south, east, north = _in_plane(_bounds(picture))
    return min(max(8 * (north - south) / (east - west), 4), 11) + 0.9


def _in_plane(bounds: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
    transformer = Transformer.from_crs(4326, PLANE, always_xy=True)
    west, south, east, north = transformer.transform_bounds(*bounds)
    return float(west), float(south), float(east), float(north)


def _draw_map(axes: Any, picture: Picture, ground: list[Any]) -> None:
    import geopandas

    base = geopandas.GeoSeries(ground, crs=4326).to_crs(PLANE)
    axes.set_facecolor("#eef3f6")
    if len(base):
        base.plot(ax=axes, color="#fbfaf7", edgecolor="#b5b5b5", linewidth=0.5)
    frame = geopandas.GeoDataFrame(picture.rows, geometry=picture.shapes or [], crs=4326).to_crs(
        PLANE
    )
    if len(frame):
        _paint(axes, frame, picture.style)
    _frame(axes, _bounds(picture))
    if len(frame) == 0:
        axes.text(0.5, 0.5, "결과 없음", transform=axes.transAxes, ha="center", fontsize=14)
    _scale_bar(axes)
    _north_arrow(axes)


def _paint(axes: Any, frame: Any, style: styles.Style) -> None:
    from matplotlib.patches import Patch

    values = [None if v is None or v != v else v for v in frame[style.column].tolist()]
    painter = page.Painter(values, style)
    colors = [painter.color(v) for v in values]
    kinds = set(frame.geometry.geom_type)
    options: dict[str, Any] = {"ax": axes, "color": colors}
    few = len(frame) <= FEW
    if kinds <= {"Point"}:
        size = 70 if few else 14 if len(frame) < 3000 else 4
        options |= {"markersize": size, "edgecolor": "white", "linewidth": 0.3}
    elif kinds <= {"LineString"}:
        options |= {"linewidth": 2.0 if few else 1.0}
    else:
        options |= {"alpha": 0.85, "edgecolor": "#ffffff", "linewidth": 0.15}
    if few and kinds <= {"LineString"}:  # a line of ten metres is no longer than its own width
        frame.centroid.plot(ax=axes, color=colors, markersize=50)
    if kinds <= {"Polygon", "MultiPolygon"}:
        _mark_small(axes, frame, colors)
    frame.plot(**options)
    axes.legend(
        handles=[Patch(color=color, label=label) for label, color in painter.legend()],
        title=style.title,
        loc="lower right",
        fontsize=7,
        title_fontsize=8,
        framealpha=0.9,
    )


def _mark_small(axes: Any, frame: Any, colors: list[str]) -> None:
    """A dot for each area that would be a speck: a cluster of some streets on the map of a city."""
    west, south, east, north = frame.total_bounds
    sizes = frame.bounds
    widths = (sizes.maxx - sizes.minx).combine(sizes.maxy - sizes.miny, max)
    small = (widths < SPECK * max(east - west, north - south)).tolist()
    if any(small) and len(frame) <= FEW:
        dots = frame.geometry[small].centroid
        dots.plot(
            ax=axes, color=[c for c, s in zip(colors, small, strict=True) if s], markersize=30
        )


def _frame(axes: Any, bounds: tuple[float, float, float, float]) -> None:
    """The picture's part of the plane; no ticks, a map is read by its scale bar."""
    west, south, east, north = _in_plane(bounds)
    axes.set_xlim(west, east)
    axes.set_ylim(south, north)
    axes.set_aspect("equal")
    axes.set_xticks([])
    axes.set_yticks([])
    axes.set_xlabel("")
    axes.set_ylabel("")


def _scale_bar(axes: Any) -> None:
    left, right = axes.get_xlim()
    bottom, top = axes.get_ylim()
    length = _round_length((right - left) / 4)
    x, y = left + (right - left) * 0.04, bottom + (top - bottom) * 0.03
    axes.plot([x, x + length], [y, y], color="black", linewidth=2.5, solid_capstyle="butt")
    label = f"{length / 1000:g} km" if length >= 1000 else f"{length:g} m"
    axes.text(
        x + length / 2, y + (top - bottom) * 0.008, label, ha="center", va="bottom", fontsize=8
    )


def _round_length(metres: float) -> float:
    """The largest of 1, 2, 5 times a power of ten that is not above."""
    power = 10.0 ** math.floor(math.log10(metres))
    return next(m * power for m in (5, 2, 1) if m * power <= metres)


def _north_arrow(axes: Any) -> None:
    axes.annotate(
        "N",
        xy=(0.05, 0.97),
        xytext=(0.05, 0.90),
        xycoords="axes fraction",
        ha="center",
        va="center",
        fontsize=11,
        arrowprops={"arrowstyle": "-|>", "color": "black", "linewidth": 1.5},
    )
