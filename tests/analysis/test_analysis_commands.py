"""Tests geoshops sql, export and report: other programs can read every format; failures are clear and leave no files."""

from __future__ import annotations

import csv
import dataclasses
import io
import itertools
import json
import sys
from pathlib import Path

import geopandas
import pyarrow.parquet
import pytest
from click.testing import CliRunner
from PIL import Image

from geoshops.analysis import page, runner, scripts
from geoshops.cli import main
from tests.make import Maker


@pytest.fixture
def run(database_url, db, monkeypatch, tmp_path):
    """Runs the command line on the test database, in an empty folder."""
    monkeypatch.setenv("GEOSHOPS_READER_DATABASE_URL", database_url)
    monkeypatch.chdir(tmp_path)

    def invoked(*arguments: str):
        return CliRunner().invoke(main, list(arguments))

    return invoked


@pytest.fixture
def booths(make: Maker):
    """Three shops in a row near 강남, one rated, one of another brand."""
    first = make.shop("인생네컷 강남점", at=(127.03, 37.5))
    make.shop("=SUM(1)", at=(127.031, 37.5))
    make.shop("포토그레이", at=(127.032, 37.5), brand_id=make.brand("포토그레이"))
    make.review(make.member(), first, star_rating=5, content="비밀 글")
    return first


def test_queries_run_without_the_owners_privileges(run, booths, monkeypatch):
    script = scripts.find("18")
    spy = dataclasses.replace(
        script, text=script.text.replace("s.place_name,", "current_user::text AS place_name,", 1)
    )
    monkeypatch.setattr(scripts, "find", lambda name: spy)
    assert "geoshops_reader" in run("sql", "run", "18").output


def test_list_and_show(run):
    listed = run("sql", "list")
    assert listed.exit_code == 0
    assert len(listed.output.splitlines()) == 25
    assert run("sql", "show", "7").output == scripts.find("07").path.read_text(encoding="utf-8")


def test_table_and_csv(run, booths):
    table = run("sql", "run", "18")
    assert table.exit_code == 0, table.output
    assert "인생네컷 강남점" in table.output
    assert table.output.endswith("(3 rows)\n")
    rows = list(csv.DictReader(io.StringIO(run("sql", "run", "18", "--format", "csv").output)))
    assert [r["n"] for r in rows] == ["1", "0", "0"]
    assert rows[1]["avg"] == ""
    assert rows[0]["geom"] == "POINT (127.03 37.5)"


def test_geojson_is_rfc_7946(run, booths):
    collection = json.loads(run("sql", "run", "01", "--format", "geojson").output)
    assert collection["type"] == "FeatureCollection"
    first = collection["features"][0]
    assert first["geometry"] == {
        "type": "LineString",
        "coordinates": [[127.03, 37.5], [127.032, 37.5]],
    }
    assert first["properties"]["nearest_brand"] == "포토그레이"
    assert "crs" not in collection


@pytest.mark.parametrize("kind", ["parquet", "gpkg"])
def test_files_for_other_programs(run, booths, kind):
    result = run("sql", "run", "07", "--format", kind, "-o", f"out.{kind}")
    assert result.exit_code == 0, result.output
    read = geopandas.read_parquet if kind == "parquet" else geopandas.read_file
    features = read(f"out.{kind}")
    assert features["shops"].sum() == 3
    assert features.crs.equals("EPSG:4326") or features.crs.equals("OGC:CRS84")


def test_a_result_without_geometry_can_be_parquet_but_not_geojson(run, booths):
    assert run("sql", "run", "19", "--format", "parquet", "-o", "x.parquet").exit_code == 0
    assert pyarrow.parquet.read_table("x.parquet").num_rows == 7
    rejected = run("sql", "run", "19", "--format", "geojson", "-o", "x.geojson")
    assert rejected.exit_code == 2
    assert "needs a geometry" in rejected.output
    assert not Path("x.geojson").exists()


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["99"], 2, "unknown script"),
        (["07", "-v", "edge"], 2, "name=value"),
        (["07", "-v", "edge=1"], 2, "has no parameter edge"),
        (["07", "-v", "edge_m='; DROP TABLE shops"], 2, "edge_m must be a number"),
        (["07", "-v", "region=없는구"], 2, "unknown region"),
        (["07", "--format", "png"], 2, "needs a file"),
        (["07", "--format", "shp"], 2, "Invalid value"),
        (["07", "-o", "absent/x.csv"], 1, "cannot write to absent"),
        (["07", "-o", "."], 2, "is a directory"),
    ],
)
def test_failures_leave_nothing_behind(run, booths, arguments, code, message):
    failed = run("sql", "run", *arguments)
    assert failed.exit_code == code, failed.output
    assert message in failed.output
    assert list(Path().iterdir()) == []


def test_a_failing_run_keeps_the_file_that_was_there(run, booths):
    Path("out.csv").write_text("old")
    failed = run("sql", "run", "07", "-v", "edge_m=0", "--format", "csv", "-o", "out.csv")
    assert failed.exit_code == 2
    assert Path("out.csv").read_text() == "old"
    assert [p.name for p in Path().iterdir()] == ["out.csv"]


def test_an_unreachable_database_is_one_line_and_exit_code_1(run, monkeypatch):
    monkeypatch.setenv(
        "GEOSHOPS_READER_DATABASE_URL", "postgresql://nobody:secret@127.0.0.1:1/none"
    )
    for arguments in (["sql", "run", "07"], ["export", "shops"]):
        failed = run(*arguments)
        assert failed.exit_code == 1
        assert "refused" in failed.output
        assert "secret" not in failed.output
        assert "Traceback" not in failed.output


def test_a_database_without_the_views_names_the_remedy(run, server_url, monkeypatch):
    monkeypatch.setenv("GEOSHOPS_READER_DATABASE_URL", server_url)
    for arguments in (["sql", "run", "07"], ["export", "shops"]):
        failed = run(*arguments)
        assert failed.exit_code == 1
        assert "geoshops db upgrade" in failed.output


def test_the_password_is_in_no_argument_list(tmp_path):
    given = runner._connection(
        "postgresql://me:p%3Aw%5C@host:5433/base?sslmode=require", tmp_path / "p"
    )
    assert "w\\" not in given
    assert (tmp_path / "p").read_text() == "*:*:*:*:p\\:w\\\\\n"
    assert (tmp_path / "p").stat().st_mode & 0o77 == 0


@pytest.mark.parametrize(
    ("missing", "arguments"),
    [
        ("pyarrow", ["sql", "run", "07", "--format", "parquet"]),
        ("pyarrow", ["export", "shops", "--format", "parquet"]),
        ("pyogrio", ["sql", "run", "07", "--format", "gpkg"]),
        ("pyogrio", ["export", "shops", "--format", "fgb"]),
        ("matplotlib", ["sql", "run", "07", "--format", "png"]),
        ("matplotlib", ["sql", "run", "24", "--format", "html"]),
        ("geopandas", ["sql", "run", "07", "--format", "png"]),
        ("geopandas", ["report"]),
    ],
)
def test_a_missing_library_is_named_with_its_remedy(run, booths, monkeypatch, missing, arguments):
    for name in (missing, f"{missing}.parquet"):
        monkeypatch.setitem(sys.modules, name, None)
    failed = run(*arguments, "-o", "out")
    assert failed.exit_code == 1
    assert f"Error: {missing}" in failed.output
    assert "scripts/setup --extras analysis" in failed.output
    assert list(Path().iterdir()) == []


def test_a_missing_korean_font_is_reported_once(run, booths, monkeypatch):
    monkeypatch.setattr("geoshops.analysis.pictures.FONTS", ["absent"])
    result = run("sql", "run", "18", "--format", "png", "-o", "x.png")
    assert result.exit_code == 0
    assert result.stderr.count("no Korean font is installed") == 1
    assert "fonts-nanum" in result.stderr


def test_the_legend_of_a_print_lies_below_its_map(run, booths, monkeypatch):
    from matplotlib.figure import Figure

    drawn: list[Figure] = []
    saved = Figure.savefig
    monkeypatch.setattr(
        Figure, "savefig", lambda figure, *a, **k: (drawn.append(figure), saved(figure, *a, **k))
    )
    assert run("sql", "run", "07", "--format", "png", "-o", "x.png").exit_code == 0
    (axes,) = drawn[0].axes
    ground, legend = axes.get_window_extent(), axes.get_legend().get_window_extent()
    assert legend.y1 <= ground.y0
    bar = axes.lines[-1].get_window_extent()
    assert bar.y1 < ground.y0 and bar.x0 > legend.x1
    (source,) = [text for text in axes.texts if "geoshops" in text.get_text()]
    assert source.get_window_extent().y1 < legend.y0
    (north,) = [text for text in axes.texts if text.get_text() == "N"]
    assert north.get_window_extent().y0 > ground.y1


@pytest.fixture
def drawn(run, monkeypatch):
    """Draws a script as a png and returns the figure."""
    from matplotlib.figure import Figure

    figures: list[Figure] = []
    saved = Figure.savefig
    monkeypatch.setattr(
        Figure, "savefig", lambda figure, *a, **k: (figures.append(figure), saved(figure, *a, **k))
    )

    def draw(*arguments: str) -> Figure:
        result = run("sql", "run", *arguments, "--format", "png", "-o", "x.png")
        assert result.exit_code == 0, result.output
        return figures[-1]

    return draw


def box_around(lon: float, lat: float, size: float) -> str:
    west, south, east, north = lon - size, lat - size, lon + size, lat + size
    ring = f"{west} {south},{east} {south},{east} {north},{west} {north},{west} {south}"
    return f"SRID=4326;MULTIPOLYGON((({ring})))"


def test_a_chart_shows_borders_and_place_names_under_a_korean_title(drawn, booths, make):
    places = {"level": "sido", "center": "SRID=4326;POINT(127.031 37.49)"}
    seoul = make.insert(
        "regions", name="서울특별시", boundary=box_around(127.03, 37.5, 0.2), **places
    )
    places = {"level": "sigungu", "center": "SRID=4326;POINT(127.033 37.505)", "parent_id": seoul}
    make.insert("regions", name="강남구", boundary=box_around(127.03, 37.5, 0.1), **places)
    figure = drawn("18")
    (axes,) = figure.axes
    assert figure.get_suptitle() == "평점이 높다고 믿을 만한 지점은 어디인가요?"
    assert axes.get_title() == "전국"
    assert "강남구" in [text.get_text() for text in axes.texts]
    widths = {width for lines in axes.collections for width in lines.get_linewidths()}
    assert {0.35, 0.9} <= widths


def test_names_on_a_map_do_not_touch(drawn, booths, make):
    for n in range(40):
        center = f"SRID=4326;POINT({127.022 + n / 2500} 37.5)"
        make.insert("regions", level="sido", name=f"지역{n:02}", center=center)
        sido = make.sql("SELECT max(id) FROM regions")
        gu = make.insert(
            "regions", level="sigungu", name=f"구역{n:02}", center=center, parent_id=sido
        )
        make.insert("regions", level="dong", name=f"마을{n:02}", center=center, parent_id=gu)
    figure = drawn("18")
    boxes = [
        t.get_window_extent()
        for t in figure.axes[0].texts
        if t.get_text().startswith(("구역", "마을"))
    ]
    assert len(boxes) > 1
    assert [1 for a, b in itertools.combinations(boxes, 2) if a.overlaps(b)] == []


def test_a_hull_in_place_of_a_boundary_is_labelled_on_the_chart(drawn, run, booths):
    assert (
        "경계 자료가 없어 지점을 감싼 볼록 껍질 + 1 km로 대신했어요"
        in drawn("07").axes[0].get_title()
    )
    result = run("sql", "run", "07")
    assert "warning: no boundary of the country is loaded: the hull" in result.stderr
    assert "warning" not in result.stdout
    page_of = run("sql", "run", "07", "--format", "html", "-o", "x.html")
    assert "warning: no boundary" in page_of.stderr
    assert "경계 자료가 없어" in Path("x.html").read_text(encoding="utf-8")


def test_a_circle_in_place_of_a_catchment_is_labelled_on_the_chart(drawn, booths):
    assert "도보권은 길 대신 직선거리로 어림한 원" in drawn("14").axes[0].get_title()


def test_a_script_that_needs_boundaries_fails_with_the_remedy(run, booths):
    for kind in ("table", "csv"):
        failed = run("sql", "run", "05", "--format", kind)
        assert failed.exit_code == 1
        assert "no boundary of level sido is loaded" in failed.output
        assert ".venv/bin/geoshops import boundaries" in failed.output


@pytest.mark.parametrize("kind", ["csv", "geojson", "geojsonseq", "gpkg", "parquet", "fgb"])
def test_export_of_shops_in_every_format(run, booths, kind):
    result = run("export", "shops", "--format", kind, "-o", f"shops.{kind}")
    assert result.exit_code == 0, result.output
    if kind == "parquet":
        features = geopandas.read_parquet("shops.parquet")
    elif kind == "csv":
        features = geopandas.pd.read_csv("shops.csv")
    else:
        features = geopandas.read_file(f"shops.{kind}")
    assert sorted(features["place_name"]) == ["=SUM(1)", "인생네컷 강남점", "포토그레이"]
    assert sorted(features["longitude"]) == pytest.approx([127.03, 127.031, 127.032])
    assert features["star_rating_avg"].isna().sum() == 2


def test_export_filters(run, booths, make):
    def names(*arguments):
        result = run("export", "shops", *arguments)
        assert result.exit_code == 0, result.output
        return [r["place_name"] for r in csv.DictReader(io.StringIO(result.stdout))]

    assert names("--brand", "포토그레이") == ["포토그레이"]
    assert names("--bbox", "127.0305,37,128,38") == ["=SUM(1)", "포토그레이"]
    assert names("--bbox", "170,37,-170,38") == []
    make.shop("날짜선", at=(179.9, 37.5))
    assert names("--bbox", "170,37,-170,38") == ["날짜선"]
    for bad in ("1,2,3", "a,b,c,d", "0,91,1,92", "nan,0,1,1", "0,5,1,4"):
        assert run("export", "shops", "--bbox", bad).exit_code == 2
    rejected = run("export", "shops", "--brand", "없음", "-o", "x.csv")
    assert (rejected.exit_code, Path("x.csv").exists()) == (2, False)


def test_export_of_reviews_has_neither_text_nor_author(run, booths):
    result = run("export", "reviews")
    (row,) = csv.DictReader(io.StringIO(result.stdout))
    assert row["star_rating"] == "5"
    assert "비밀" not in result.output
    assert not {"content", "member_id"} & set(row)


def test_export_is_read_batch_by_batch(run, booths, monkeypatch):
    monkeypatch.setattr("geoshops.analysis.formats.BATCH_ROWS", 2)
    assert len(run("export", "shops", "--format", "geojsonseq").stdout.split("\n")) == 4


@pytest.mark.parametrize("number", ["07", "01", "18", "13", "24", "15", "19"])
def test_pictures_are_drawn_also_of_nothing(run, make, number):
    for filled in (False, True):
        if filled:
            first = make.shop(at=(127.03, 37.5), opened_on="2024-01-01")
            other = make.brand("X")
            make.shop(at=(127.031, 37.5), brand_id=other, opened_on="2024-03-01")
            make.review(make.member(), first)
        result = run("sql", "run", number, "--format", "png", "-o", "x.png")
        assert result.exit_code == 0, result.output
        with Image.open("x.png") as image:
            assert image.width > 600
            assert len(image.convert("RGB").getcolors(1 << 24)) > 20


needs_maplibre = pytest.mark.skipif(
    not page.MAPLIBRE.is_dir(), reason="MapLibre is not installed: scripts/setup"
)


@needs_maplibre
def test_the_analysis_page_is_self_contained_and_escapes_text(run, make):
    shop = make.shop("</script><script>alert(1)</script>", at=(127.03, 37.5))
    make.review(make.member(), shop)
    result = run("sql", "run", "18", "--format", "html", "-o", "x.html")
    assert result.exit_code == 0, result.output
    text = Path("x.html").read_text(encoding="utf-8")
    assert "alert(1)" in text
    assert "alert(1)</script>" not in text
    body = text[text.index("</style>") :]
    assert 'src="http' not in body
    assert "<link" not in text


def test_a_page_of_a_chart(run, booths):
    assert run("sql", "run", "24", "--format", "html", "-o", "x.html").exit_code == 0
    assert "<svg" in Path("x.html").read_text(encoding="utf-8")


def test_report(run, booths, make):
    seoul = make.insert("regions", level="sido", name="서울특별시", code="11")
    make.sql("UPDATE shops SET sido_id = %s", seoul)
    result = run("report", "--region", "서울특별시", "-o", "report.html")
    assert result.exit_code == 0, result.output
    text = Path("report.html").read_text(encoding="utf-8")
    assert text.count("<section>") == 9
    assert text.count("data:image/png") == 8
    assert "인생네컷" in text
    assert "http" not in text
    # no boundary is loaded: pictures and text state what is used instead
    assert text.count('class="missing"') == 3
    assert "경계 자료가 없어" in text
    assert ".venv/bin/geoshops import boundaries" in text
    rejected = run("report", "--region", "없는곳", "-o", "other.html")
    assert (rejected.exit_code, Path("other.html").exists()) == (2, False)


def test_the_report_counts_every_brand_the_largest_first(run, make):
    for number in range(12):
        brand = make.brand(f"브랜드{number:02}")
        for n in range(1 + number):
            make.shop(at=(127 + n / 1000, 37 + number / 1000), brand_id=brand)
    assert run("report", "-o", "report.html").exit_code == 0
    text = Path("report.html").read_text(encoding="utf-8")
    places = [
        text.index(f"<td>브랜드{number:02}</td><td>{number + 1}</td>") for number in range(12)
    ]
    assert places == sorted(places, reverse=True)
