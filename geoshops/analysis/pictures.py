"""Pictures of results: maps and charts by matplotlib, pages with an interactive map."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import click
import shapely
from pyproj import Transformer

from geoshops.analysis import files, margin, page, runner, styles
from geoshops.analysis.ground import Ground, ground
from geoshops.analysis.scripts import Script

PLANE = 5179
TO_PLANE = Transformer.from_crs(4326, PLANE, always_xy=True)
KOREA = (122.0, 32.0, 133.0, 40.0)
FONTS = ["NanumGothic", "Noto Sans CJK KR", "Noto Sans KR", "Apple SD Gothic Neo", "Malgun Gothic"]
BORDERS = {"sigungu": 0.35, "sido": 0.9}  # width in points
SOURCE = "자료: geoshops · 분석 {name}"


@dataclass(frozen=True)
class Picture:
    """The content of a picture: rows and, separately, their geometries."""

    script: Script
    values: Mapping[str, str]
    rows: list[styles.Row]
    shapes: list[Any]
    missing: list[runner.MissingData]

    @property
    def number(self) -> str:
        """The number of the script, the key of its style."""
        return self.script.name[:2]

    @property
    def title(self) -> str:
        """The script's question in Korean."""
        return styles.TITLES[self.number]

    @property
    def style(self) -> styles.Style:
        """The style of the script's map."""
        return styles.STYLES[self.number]

    @property
    def subtitle(self) -> str:
        """The given parameters."""
        others = [
            f"{styles.PARAMETERS.get(name, name)} {styles.VALUES.get(value, value)}"
            for name, value in self.values.items()
            if value and name != "region"
        ]
        return " · ".join([self.values.get("region", "").strip() or "전국", *others])

    @property
    def notes(self) -> list[str]:
        """Notes on approximated shapes and missing data."""
        notes = [styles.MISSING[n.code] for n in self.missing if n.code in styles.MISSING_IN_CHARTS]
        return [styles.NOTES[self.number], *notes] if self.number in styles.NOTES else notes


def collect(
    url: str, script: Script, values: Mapping[str, str], timeout_s: int = runner.TIMEOUT_S
) -> Picture:
    """Runs the script and selects the rows that its picture shows."""
    style = styles.STYLES.get(script.name[:2])
    with runner.run(url, script, values, timeout_s) as result:
        names = [c.name for c in result.columns]
        rows = [dict(zip(names, row, strict=True)) for row in result.rows]
    shapes: list[Any] = []
    if style and result.geometry is not None:
        rows = styles.select_rows(rows, style)
        shapes = list(shapely.set_srid(shapely.from_wkb([r.pop("geom") for r in rows]), 0))
    return Picture(script, values, rows, shapes, result.missing)


def write(
    url: str,
    script: Script,
    values: Mapping[str, str],
    *,
    kind: str,
    output: str,
    timeout_s: int,
) -> list[runner.MissingData]:
    """Writes a png or html picture of the result and returns the data that the script lacked."""
    picture = collect(url, script, values, timeout_s)
    if kind == "html":
        with files.text_output(output) as stream:
            stream.write(html(url, picture))
    else:
        with files.new_file(output) as path:
            path.write_bytes(figure(url, picture, "png"))
    return picture.missing


def html(url: str, picture: Picture) -> str:
    """Returns a self-contained page with an interactive map, or a chart if there is no geometry."""
    if picture.number not in styles.STYLES:
        return page.chart_page(
            _heading(picture), picture.script, figure(url, picture, "svg").decode()
        )
    return page.map_page(
        _heading(picture),
        picture.script,
        style=picture.style,
        rows=picture.rows,
        shapes=picture.shapes,
        ground=ground(url, _bounds(picture)),
    )


def _heading(picture: Picture) -> tuple[str, str]:
    """Returns title and subtitle with notes."""
    return picture.title, " · ".join([picture.subtitle, *picture.notes])


def figure(url: str, picture: Picture, kind: str) -> bytes:
    """Draws the map or chart with matplotlib as png or svg."""
    import io

    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    matplotlib.rcParams["font.family"] = [*_korean_fonts(), "DejaVu Sans"]
    matplotlib.rcParams["axes.unicode_minus"] = False
    matplotlib.rcParams["svg.hashsalt"] = "geoshops"
    drawing, axes = pyplot.subplots(figsize=(8, _height_in(picture)), layout="constrained")
    if kind == "png":  # a page has title and notes as HTML
        _label(drawing, axes, picture)
    if picture.number in styles.STYLES:
        base = ground(url, _bounds(picture))
        _draw_map(axes, picture, base)
        if kind == "png":
            margin.source(axes, SOURCE.format(name=picture.script.name))
        # last, because the labels' positions depend on the final size of the map
        margin.names(axes, [(name, *TO_PLANE.transform(lon, lat)) for name, lon, lat in base.names])
    else:
        from geoshops.analysis import charts

        charts.draw(axes, picture.number, picture.rows)
        if kind == "png":
            source = SOURCE.format(name=picture.script.name)
            drawing.supxlabel(source, fontsize=7, color="#555555", x=0.01, ha="left")
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


def _korean_fonts() -> list[str]:
    """Returns the installed Korean fonts; prints a warning if there is none."""
    import matplotlib
    from matplotlib import font_manager

    installed = set(font_manager.get_font_names())
    fonts = [font for font in FONTS if font in installed]
    if not fonts:
        warnings.filterwarnings("ignore", "Glyph .* missing")  # would be printed for each letter
        cache = matplotlib.get_cachedir()
        click.echo(
            "no Korean font is installed: names are drawn as boxes; remedy: "
            f"apt-get install fonts-nanum, then delete matplotlib's font cache in {cache}",
            err=True,
        )
    return fonts


def _label(drawing: Any, axes: Any, picture: Picture) -> None:
    """Writes title, parameters and notes."""
    drawing.suptitle(picture.title, fontsize=13)
    axes.set_title(
        "\n".join([picture.subtitle, *picture.notes]), fontsize=9, color="#555555", linespacing=1.6
    )


def _bounds(picture: Picture) -> tuple[float, float, float, float]:
    if not picture.shapes:
        return KOREA
    west, south, east, north = shapely.total_bounds(picture.shapes)
    margin = max((east - west) * 0.05, (north - south) * 0.05, 0.01)
    return west - margin, south - margin, east + margin, north + margin


def _height_in(picture: Picture) -> float:
    """Returns the height in inches for a width of eight; a map's follows from its bounds."""
    if picture.number not in styles.STYLES:
        return 5
    west, south, east, north = _in_plane(_bounds(picture))
    return min(max(8 * (north - south) / (east - west), 4), 11) + 1.3


def _in_plane(bounds: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
    west, south, east, north = TO_PLANE.transform_bounds(*bounds)
    return float(west), float(south), float(east), float(north)


def _draw_map(axes: Any, picture: Picture, base: Ground) -> None:
    import geopandas

    axes.set_facecolor("#e4edf2")
    below = geopandas.GeoSeries([area for _, area in base.areas], crs=4326).to_crs(PLANE)
    if len(below):
        below.plot(ax=axes, color="#fbfaf7", linewidth=0)
    frame = geopandas.GeoDataFrame(picture.rows, geometry=picture.shapes or [], crs=4326).to_crs(
        PLANE
    )
    if len(frame):
        _paint(axes, frame, picture.style)
    for level, width in BORDERS.items():
        borders = below[[area_level == level for area_level, _ in base.areas]].boundary
        if len(borders):
            borders.plot(ax=axes, color="#6f6a62", linewidth=width, alpha=0.75)
    _frame(axes, _bounds(picture))
    if len(frame) == 0:
        empty = {"facecolor": "white", "edgecolor": "#b5b5b5", "pad": 8}
        axes.text(
            0.5, 0.5, "결과 없음", transform=axes.transAxes, ha="center", fontsize=14, bbox=empty,
            zorder=11,
        )  # fmt: skip
    margin.scale_bar(axes)
    margin.north_arrow(axes)


def _paint(axes: Any, frame: Any, style: styles.Style) -> None:
    values = [None if v is None or v != v else v for v in frame[style.column].tolist()]
    painter = page.Painter(values, style)
    colors = [painter.color(v) for v in values]
    kinds = set(frame.geometry.geom_type)
    options: dict[str, Any] = {"ax": axes, "color": colors}
    few = len(frame) <= page.FEW
    if kinds <= {"Point"}:
        size = 70 if few else 25 if len(frame) < 1000 else 14 if len(frame) < 3000 else 4
        options |= {"markersize": size, "edgecolor": "white", "linewidth": 0.3}
    elif kinds <= {"LineString"}:
        options |= {"linewidth": 2.0 if few else 1.0}
    else:
        options |= {"alpha": 0.85, "edgecolor": "#ffffff", "linewidth": 0.15}
    if not kinds <= {"Point"}:
        _mark_tiny_shapes(axes, frame, colors)
    frame.plot(**options)
    margin.legend(axes, style.title, painter.legend())


def _mark_tiny_shapes(axes: Any, frame: Any, colors: list[str]) -> None:
    """Draws a dot for each area or line that is too small to be visible."""
    small = page.tiny_shapes(list(frame.geometry))
    if any(small):
        dots = frame.geometry[small].centroid
        size = 40 if len(frame) <= page.FEW else 8 if len(frame) < 3000 else 3
        dots.plot(
            ax=axes,
            color=[c for c, s in zip(colors, small, strict=True) if s],
            markersize=size,
            linewidth=0,
        )


def _frame(axes: Any, bounds: tuple[float, float, float, float]) -> None:
    """Sets the extent and removes the ticks."""
    west, south, east, north = _in_plane(bounds)
    axes.set_xlim(west, east)
    axes.set_ylim(south, north)
    axes.set_aspect("equal")
    axes.set_xticks([])
    axes.set_yticks([])
    axes.set_xlabel("")
    axes.set_ylabel("")
