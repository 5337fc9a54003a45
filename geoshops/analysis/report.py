"""geoshops report: a page with the main results of sql/analysis for a region."""

from __future__ import annotations

import base64
import datetime as dt
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from html import escape
from typing import Any

from tqdm import tqdm

from geoshops.analysis import files, page, pictures, runner, scripts
from geoshops.analysis.styles import LABELS, MISSING, Row

Table = tuple[list[str], list[list[Any]]]
MAX_ROWS = 10


@dataclass(frozen=True)
class Section:
    """A section of the report: a picture and a table of the same rows."""

    number: str
    heading: str
    table: Callable[[list[Row]], Table] | None = None
    values: dict[str, str] = field(default_factory=dict)
    picture: bool = True


def columns(max_rows: int = MAX_ROWS, **named: str) -> Callable[[list[Row]], Table]:
    """Returns a function that makes a table of the first rows; `named` maps columns to headings."""

    def table(rows: list[Row]) -> Table:
        body = [[row[name] for name in named] for row in rows[:max_rows]]
        return list(named.values()), body

    return table


def largest_brands(rows: list[Row]) -> Table:
    """Table of all brands, the largest first."""
    ordered = sorted(rows, key=lambda row: -row["n"])
    return columns(len(rows), brand="브랜드", n="지점 수", std_dist_km="표준 거리 (km)")(ordered)


def most_votes(rows: list[Row]) -> Table:
    """Table of the hexagons with most votes."""
    ordered = sorted(rows, key=lambda row: -row["votes"])
    return columns(
        shops="지점 수", votes="표", purity_good="청결", retouch_good="보정", item_good="소품"
    )(ordered)


def by_class(rows: list[Row]) -> Table:
    """Table of the number of hexagons of each hot or cold spot class."""
    counts = Counter(LABELS.get(row["class"], "정의되지 않음") for row in rows)
    return ["등급", "육각형 수"], [[name, count] for name, count in counts.most_common()]


SECTIONS = (
    Section("17", "브랜드별 지점 수", largest_brands, picture=False),
    Section("07", "지점 밀도", values={"edge_m": "1000"}),
    Section("04", "상권 공백", columns(
        gap_id="번호", area_km2="면적 (km²)", max_dist_m="가장 가까운 지점까지 (m)"),
        {"radius_m": "1000"}),
    Section("06", "다음 후보지", columns(
        rank="순위", lng="경도", lat="위도", distance_m="가장 가까운 지점까지 (m)", region="지역"),
        {"edge_m": "500", "separation_m": "2000", "max_sites": "10"}),
    Section("12", "평점 핫스팟과 콜드스팟", by_class),
    Section("08", "지점 군집", columns(
        cluster_id="군집", shops="지점 수", brands="브랜드 수", reviews="리뷰 수", avg_rating="평균 평점"),
        {"min_shops": "3", "eps_m": "200"}),
    Section("15", "개점과 폐점", values={"by_brand": "yes"}),
    Section("18", "평점 신뢰도", columns(
        rank="순위", place_name="지점", n="리뷰 수", avg="평균 평점", bayes_avg="베이즈 평균",
        wilson_low="윌슨 하한")),
    Section("25", "태그 품질: 청결", most_votes, {"edge_m": "1000"}),
)  # fmt: skip
# a report of the whole country uses larger hexagons and radii
COUNTRY = {"07": {"edge_m": "5000"}, "25": {"edge_m": "5000"}, "06": {}, "04": {"radius_m": "5000"}}


def write(url: str, region: str, output: str) -> None:
    """Writes the report of a region, or of the whole country for a blank name."""
    parts = [_section(url, section, region) for section in tqdm(SECTIONS, disable=None)]
    made = dt.datetime.now(dt.UTC).astimezone().strftime("%Y-%m-%d %H:%M %z")
    text = page.filled(
        "report.html", region=escape(region.strip() or "전국"), made=made, sections="\n".join(parts)
    )
    with files.text_output(output) as stream:
        stream.write(text)


def _section(url: str, section: Section, region: str) -> str:
    script = scripts.find(section.number)
    settings = section.values if region.strip() else COUNTRY.get(section.number, section.values)
    picture = pictures.collect(url, script, {**settings, "region": region})
    parts = [f"<h2>{escape(section.heading)}</h2>", f"<p>{escape(picture.title)}</p>"]
    parts += [_missing_notice(data) for data in picture.missing]
    if section.picture:
        image = base64.b64encode(pictures.figure(url, picture, "png")).decode()
        label = escape(f"{section.heading}: {picture.title}", quote=True)
        parts.append(f'<img alt="{label}" src="data:image/png;base64,{image}">')
    if section.table:
        parts.append(_table(*section.table(picture.rows)))
    method = f'<span lang="en">{escape(script.method)}</span>'
    parts.append(f'<p class="method">{escape(script.name)} · {method}</p>')
    return "<section>" + "\n".join(parts) + "</section>"


def _missing_notice(data: runner.MissingData) -> str:
    return f'<p class="missing">{escape(MISSING[data.code])} (<span lang="en">{escape(data.text)}</span>)</p>'


def _table(headings: list[str], rows: list[list[Any]]) -> str:
    if not rows:
        return "<p>결과 없음</p>"
    head = "".join(f'<th scope="col">{escape(h)}</th>' for h in headings)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(_text(v))}</td>" for v in row) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _text(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4f}".rstrip("0").rstrip(".")
    return str(value)
