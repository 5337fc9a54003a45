"""Styles of maps by script: the displayed column, its colours and Korean labels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

SEQUENCE = ["#fde725", "#90d743", "#35b779", "#21918c", "#31688e", "#443983", "#440154"]
# extends Okabe and Ito's palette, which is suitable for colour-blind people
CATEGORIES = [
    "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8c6d31", "#332288", "#999933",
    "#882255", "#44aa99", "#6b6b6b",
]  # fmt: skip
OTHER = "#c8c8c8"
NOTHING = "#ece7dc"  # class of zeros
UNKNOWN = "#c4b183"  # distinct from the grey of not significant values and from SEQUENCE
LABELS = {
    "(none)": "브랜드 없음", "(all)": "전체",
    "ns": "유의하지 않음",
    "hot99": "높음 (99 %)", "hot95": "높음 (95 %)", "hot90": "높음 (90 %)",
    "cold99": "낮음 (99 %)", "cold95": "낮음 (95 %)", "cold90": "낮음 (90 %)",
    "HH": "높음, 이웃도 높음", "LL": "낮음, 이웃도 낮음",
    "HL": "높음, 이웃은 낮음", "LH": "낮음, 이웃은 높음",
    "duplicate": "중복", "likely": "중복 의심", "look": "확인 필요",
}  # fmt: skip
TITLES = {
    "01": "지점마다 가장 가까운 다른 브랜드 지점은 어디인가요?",
    "02": "같은 브랜드 지점끼리 얼마나 가까운가요?",
    "03": "같은 브랜드 지점의 상권은 얼마나 겹치나요?",
    "04": "지점에서 먼 지역은 어디인가요?",
    "05": "브랜드마다 지역의 몇 퍼센트에 도달하나요?",
    "06": "모든 지점에서 가장 먼 곳은 어디인가요?",
    "07": "육각형 격자로 본 지점 밀도",
    "08": "지점이 모여 있는 곳은 어디인가요?",
    "09": "지점을 나눈 영업 구역 (k-평균)",
    "10": "지점마다 가장 가까운 구역 (보로노이)",
    "11": "지역마다 어느 브랜드의 지점이 가장 많나요?",
    "12": "평점이 우연보다 높거나 낮은 지점이 모인 곳은 어디인가요?",
    "13": "이웃한 지점끼리 평점이 비슷한가요?",
    "14": "지점에서 걸어갈 수 있는 범위에 무엇이 있나요?",
    "15": "매달 몇 곳이 문을 열고 닫았나요?",
    "16": "지점이 늘면서 브랜드의 중심은 어디로 옮겨 갔나요?",
    "17": "브랜드의 중심은 어디이고 지점은 얼마나 퍼져 있나요?",
    "18": "평점이 높다고 믿을 만한 지점은 어디인가요?",
    "19": "경쟁 지점이 가까우면 평점과 리뷰 수가 다른가요?",
    "20": "지점에서 가장 가까운 역까지 얼마나 먼가요?",
    "21": "지점 구성이 비슷한 지역은 어디인가요?",
    "22": "같은 지점이 두 번 등록되어 있나요?",
    "23": "주소와 다른 지역에 있는 지점은 어디인가요?",
    "24": "리뷰는 언제 작성되나요: 주별, 요일과 시간별",
    "25": "청결 평가가 좋은 곳은 어디인가요?",
}
# how approximated shapes are constructed
NOTES = {
    "03": "상권은 지점을 중심으로 한 원",
    "05": "도달 범위는 지점을 중심으로 한 원의 합집합",
    "08": "군집의 외곽은 지점을 감싼 오목 껍질",
    "14": "도보권은 길 대신 직선거리로 어림한 원",
}
MISSING = {
    "GS001": "경계가 없는 지역은 빠져 있어요",
    "GS002": "경계 자료가 없어 지점을 감싼 볼록 껍질 + 1 km로 대신했어요",
    "GS003": "인구 자료가 없어요",
}
# missing population data do not affect maps, so only reports mention them
MISSING_IN_CHARTS = ("GS001", "GS002")
PARAMETERS = {
    "region": "지역", "brand": "브랜드", "level": "지역 단계", "radius_m": "반경 (m)", "edge_m": "육각형 변 (m)",
    "eps_m": "군집 거리 (m)", "min_shops": "최소 지점 수", "max_sites": "후보 수", "separation_m": "후보 간격 (m)",
    "minutes": "도보 (분)", "k": "구역 수", "by_brand": "브랜드별",
}  # fmt: skip
VALUES = {
    "sido": "시도",
    "sigungu": "시군구",
    "dong": "읍면동",
    "all": "전체",
    "yes": "예",
    "no": "아니요",
}
QUIET = (None, "ns")
Row = dict[str, Any]


@dataclass(frozen=True)
class Style:
    """Displayed column, legend title and fixed class colours; other values get SEQUENCE or CATEGORIES.

    Of rows with the same `one_of_each` value only the first is shown, because their areas are identical."""

    column: str
    title: str
    colors: dict[str, str] = field(default_factory=dict)
    shown: Callable[[Row], bool] = lambda _: True
    one_of_each: str = ""


STYLES = {
    "01": Style("distance_m", "가장 가까운 경쟁 지점까지 거리 (m)"),
    "02": Style("distance_m", "같은 브랜드 지점 사이 거리 (m)"),
    "03": Style("overlap_pct_a", "상권 중첩 (%)"),
    "04": Style("max_dist_m", "공백 중심에서 가장 가까운 지점까지 (m)"),
    "05": Style("covered_pct", "도달 면적 비율 (%)", shown=lambda r: r["brand"] == "(all)"),
    "06": Style("distance_m", "가장 가까운 지점까지 거리 (m)"),
    "07": Style("per_km2", "지점 밀도 (개/km²)"),
    "08": Style("shops", "군집의 지점 수"),
    "09": Style("territory", "영업 구역"),
    "10": Style("area_km2", "구역 면적 (km²)"),
    "11": Style("brand", "1위 브랜드 (동률이면 하나)", shown=lambda r: r["rank"] == 1, one_of_each="region_code"),
    "12": Style("class", "평점 핫스팟 (Gi*)", {
        "hot99": "#a50026", "hot95": "#e34a33", "hot90": "#fdbb84", "ns": "#d9d9d9",
        "cold90": "#a6bddb", "cold95": "#4393c3", "cold99": "#053061",
    }),
    "13": Style("class", "평점 국지 자기상관 (LISA, p < 0.05)", {
        "HH": "#b2182b", "HL": "#f4a582", "LH": "#92c5de", "LL": "#2166ac", "ns": "#d9d9d9",
    }),
    "14": Style("shops_inside", "도보권 안의 다른 지점 수"),
    "16": Style("n", "누적 개점 수 (점은 브랜드의 달마다 중심)"),
    "17": Style("brand", "브랜드 중심"),
    "18": Style("bayes_avg", "베이즈 평균 평점 (리뷰가 있는 지점)", shown=lambda r: r["n"] > 0),
    "20": Style("band", "역까지 거리 (m)", {
        "0-250": "#00441b", "250-500": "#238b45", "500-1000": "#74c476", "1000-2000": "#fdae61",
        "2000+": "#d73027",
    }),
    "21": Style("similarity", "가장 닮은 지역과 닮은 정도 (0–1)", shown=lambda r: r["rank"] == 1),
    "22": Style("verdict", "중복 판정", {
        "duplicate": "#d55e00", "likely": "#e69f00", "look": "#0072b2",
    }),
    "23": Style("offset_m", "주소 지역과의 거리 (m)"),
    "25": Style("purity_good", "청결이 좋다는 표의 비율 (0–1)"),
}  # fmt: skip


def select_rows(rows: list[Row], style: Style) -> list[Row]:
    """Returns the rows to draw, from bottom to top: insignificant ones, then the others in reverse order, so that
    the first rows of the result are not covered."""
    shown = [r for r in rows if r["geom"] is not None and style.shown(r)]
    if style.one_of_each:
        first: dict[Any, Row] = {}
        for row in shown:
            first.setdefault(row[style.one_of_each], row)
        shown = list(first.values())
    shown.reverse()
    return sorted(shown, key=lambda r: r[style.column] not in QUIET)


def is_categorical(values: list[Any], style: Style) -> bool:
    """Whether values are classes rather than amounts."""
    return (
        bool(style.colors) or style.column == "territory" or any(isinstance(v, str) for v in values)
    )


def class_colors(values: list[Any], style: Style) -> dict[str, str]:
    """Returns a colour for each class, the most frequent first; classes beyond the palette share grey."""
    if style.colors:
        return {name: color for name, color in style.colors.items() if name in values}
    known = {v for v in values if v is not None}
    if all(isinstance(v, int) for v in known):  # numeric order for numbered territories
        ordered = sorted(known)
    else:
        ordered = sorted(known, key=lambda v: (-values.count(v), str(v)))
    return {str(v): CATEGORIES[n] if n < len(CATEGORIES) else OTHER for n, v in enumerate(ordered)}


def breaks(values: list[float], classes: int = 7) -> list[float]:
    """Returns at most `classes - 1` ascending quantile bounds.

    If the least value alone would fill a class, such as zeros of empty hexagons, it gets its own class."""
    ordered = sorted(values)
    more = [v for v in ordered if v > ordered[0]]
    if more and (len(ordered) - len(more)) * classes > len(ordered):
        return [more[0], *breaks(more, classes - 1)]
    bounds = [ordered[len(ordered) * n // classes] for n in range(1, classes)] if ordered else []
    return [b for n, b in enumerate(bounds) if b > ordered[0] and (n == 0 or b > bounds[n - 1])]
