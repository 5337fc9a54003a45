"""geoshops import regions: parents, limits, repair, and the regions of shops."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.importing.conftest import Run
from tests.make import Maker

Summary = Callable[..., dict[str, Any]]
Write = Callable[..., Path]
METROPOLITAN = (
    "서울특별시",
    "부산광역시",
    "대구광역시",
    "인천광역시",
    "광주광역시",
    "대전광역시",
    "울산광역시",
)


def square(west: float, south: float, size: float = 1.0) -> list[list[list[float]]]:
    east, north = west + size, south + size
    return [[[west, south], [east, south], [east, north], [west, north], [west, south]]]


def region(code: str, name: str, coordinates: Any, **more: Any) -> dict[str, Any]:
    geometry = {"type": "Polygon", "coordinates": coordinates}
    return {
        "type": "Feature",
        "properties": {"code": code, "name": name, **more},
        "geometry": geometry,
    }


def collection(*features: dict[str, Any]) -> str:
    return json.dumps({"type": "FeatureCollection", "features": features}, ensure_ascii=False)


def test_parents_come_from_codes_and_shops_get_their_regions(
    summary: Summary, write: Write, make: Maker
) -> None:
    make.brand()
    inside = make.shop(at=(127.5, 37.5))
    outside = make.shop(at=(129.5, 37.5), road_address="서울 나구 어느로 1")
    path = write(
        collection(
            region("11010", "가구", square(127, 37)),
            region("11020", "나구", square(128, 37)),
            region("11", "서울특별시", square(127, 37, 2)),
        ),
        name="in.geojson",
    )
    report = summary("import", "regions", path, "--mapping", "kostat")
    assert (report["inserted"], report["shops_changed"]) == (3, 2)
    names = make.rows(
        "SELECT s.id, r.name, p.name FROM shops s JOIN regions r ON r.id = s.sigungu_id"
        " JOIN regions p ON p.id = s.sido_id ORDER BY s.id"
    )
    assert names == [(inside, "가구", "서울특별시"), (outside, "나구", "서울특별시")]
    again = summary("import", "regions", path, "--mapping", "kostat")
    assert (again["unchanged"], again["shops_changed"]) == (3, 0)


def test_parents_come_from_containment_without_codes(
    summary: Summary, write: Write, make: Maker
) -> None:
    summary(
        "import", "regions", write(collection(region("", "큰도", square(0, 0, 3)))),
        "--source", "own", "--level", "sido",
    )  # fmt: skip
    path = write(collection(region("", "작은군", square(1, 1)), region("", "먼군", square(50, 50))))
    report = summary("import", "regions", path, "--source", "own", "--level", "sigungu")
    assert (report["inserted"], report["rejected"]) == (1, 1)
    assert make.sql(
        "SELECT p.name FROM regions r JOIN regions p ON p.id = r.parent_id WHERE r.name = '작은군'"
    ) == "큰도"  # fmt: skip
    assert "import that level first" in next(iter(report["reasons"]))


def test_a_boundary_is_assigned_to_an_existing_region_by_its_old_name(
    summary: Summary, write: Write, make: Maker
) -> None:
    incheon = make.insert("regions", level="sido", name="인천광역시", code="28")
    michuhol = make.insert(
        "regions", level="sigungu", name="미추홀구", parent_id=incheon, code="28177"
    )
    make.insert("region_aliases", region_id=michuhol, alias="남구", kind="old")
    path = write(collection(region("23999", "남구", square(126, 37))))
    report = summary("import", "regions", path, "--mapping", "kostat")
    assert (report["updated"], report["inserted"]) == (1, 0)
    assert make.rows("SELECT code, boundary IS NOT NULL FROM regions WHERE level = 'sigungu'") == [
        ("28177", True)
    ]
    assert make.sql("SELECT (region_of_address('인천 남구 주안동 1')).sigungu_id") == michuhol


def test_districts_of_a_city_are_found_by_their_common_beginning(
    summary: Summary, write: Write, make: Maker
) -> None:
    names = ("고양시 덕양구", "고양시 일산동구", "고양시 일산서구", "포항시 남구", "포항시 북구")
    districts = [
        region(f"3101{n}", name, square(127 + n / 10, 37, 0.1)) for n, name in enumerate(names)
    ]
    path = write(collection(region("31", "경기도", square(127, 37)), *districts), name="in.geojson")
    for _ in range(2):
        summary("import", "regions", path, "--mapping", "kostat")
    shared = make.rows(
        "SELECT r.name, a.alias, a.kind FROM region_aliases a JOIN regions r ON r.id = a.region_id"
        " WHERE r.level = 'sigungu' ORDER BY r.name"
    )
    assert shared == [("고양시 일산동구", "일산", "short"), ("고양시 일산서구", "일산", "short")]


def test_renamed_or_moved_districts_are_found_by_their_former_names(
    summary: Summary, write: Write, make: Maker
) -> None:
    path = write(
        collection(
            region("22", "대구광역시", square(128, 35)),
            region("23", "인천광역시", square(126, 37)),
            region("37", "경상북도", square(128, 36)),
            region("23030", "남구", square(126, 37, 0.1)),
            region("37310", "군위군", square(128, 36, 0.1)),
        ),
        name="in.geojson",
    )
    for _ in range(2):
        summary("import", "regions", path, "--mapping", "kostat")
    for keyword, name in (
        ("인천 남구", "미추홀구"), ("경북 군위", "군위군"), ("경상북도 군위군", "군위군"), ("대구 군위", "군위군"),
    ):  # fmt: skip
        matches = make.rows(
            "SELECT r.name FROM search_understand(keyword_words(%s), NULL) u"
            " JOIN regions r ON r.id = ANY (u.regions)",
            keyword,
        )
        assert matches == [(name,)], keyword


def test_invalid_polygons_are_repaired_and_large_ones_rejected(
    summary: Summary, write: Write, make: Maker
) -> None:
    bow_tie = [[[0, 0], [1, 1], [1, 0], [0, 1], [0, 0]]]
    many = [[[i / 100, 0] for i in range(50)] + [[0.5, 1], [0, 0]]]
    path = write(
        collection(
            region("1", "나비", bow_tie),
            region("2", "촘촘", many),
            region("3", "점", [[[0, 0], [0, 0], [0, 0], [0, 0]]]),
            region("4", "밖", square(190, 0)),
        )
    )
    report = summary(
        "import", "regions", path, "--source", "own", "--level", "sido", "--max-vertices", 20
    )
    assert (report["inserted"], report["repaired"] > 0, report["rejected"]) == (1, True, 3)
    assert make.sql("SELECT bool_and(ST_IsValid(boundary)) FROM regions") is True


def test_parts_have_at_most_256_vertices(summary: Summary, write: Write, make: Maker) -> None:
    edge = [[i / 1000, 0] for i in range(1001)] + [[1, 1], [0, 1], [0, 0]]
    summary(
        "import", "regions", write(collection(region("1", "도", [edge]))),
        "--source", "own", "--level", "sido",
    )  # fmt: skip
    assert make.sql("SELECT max(ST_NPoints(part)) FROM region_parts") <= 256
    assert make.sql("SELECT abs(sum(ST_Area(part)) - 1) < 1e-9 FROM region_parts") is True


def test_topojson_is_rejected_with_the_remedy(run: Run, write: Write) -> None:
    path = write('{"type":"Topology","objects":{},"arcs":[]}')
    result = run("import", "regions", path, "--mapping", "kostat")
    assert result.exit_code == 1
    assert "convert it to GeoJSON" in result.output


def test_districts_of_korea_contain_the_hospitals_with_their_addresses(
    summary: Summary, make: Maker, shared_data: Path, tmp_path: Path
) -> None:
    rejects = ("--rejects", tmp_path / "rejected.csv")
    hospitals = shared_data / "localdata_animal_hospital_202307_cp949_epsg5174.csv"
    report = summary("import", "shops", hospitals, "--mapping", "localdata", *rejects)
    assert (report["read"], report["inserted"], report["encoding"]) == (9736, 8555, "cp949")
    assert report["reasons"] == {"no coordinates": 1181}
    folder = shared_data / "boundaries_kr_2018"
    report = summary(
        "import", "regions", folder / "skorea-municipalities-2018-simple.geojson",
        "--mapping", "kostat", *rejects,
    )  # fmt: skip
    assert (report["inserted"], report["repaired"]) == (250, 18)
    fits, count = make.rows(
        "SELECT count(*) FILTER (WHERE s.sigungu_id = a.sigungu_id), count(*)"
        " FROM shops s CROSS JOIN LATERAL"
        " region_of_address(coalesce(nullif(s.lot_address, ''), s.road_address)) a"
        " JOIN regions r ON r.id = a.sido_id"
        " JOIN LATERAL region_of_point(s.geog::geometry) p ON p.sigungu_id IS NOT NULL"
        " WHERE r.name = ANY (%s)",
        list(METROPOLITAN),
    )[0]
    assert count > 3000
    assert fits / count >= 0.99
    lon, lat = make.rows(
        "SELECT ST_X(geog::geometry), ST_Y(geog::geometry) FROM shops"
        " WHERE ST_DWithin(geog, point_at(126.906320, 37.505781), 1)"
    )[0]
    assert (round(lon, 5), round(lat, 5)) == (126.90632, 37.50578)
    assert make.sql("SELECT min(ST_Y(geog::geometry)) FROM shops") < 33.3


def test_installed_boundaries_fill_an_empty_database(run: Run, make: Maker) -> None:
    make.brand()
    shop = make.shop(at=(127.0286, 37.4983), road_address="서울 어느로 1")
    result = run("import", "boundaries", "--dry-run")
    assert result.exit_code == 0, result.output
    assert make.sql("SELECT count(*) FROM regions") == 0
    result = run("import", "boundaries")
    assert (
        "269 boundaries added, 0 regions already had one, 1 shops moved to other regions"
        in result.output
    )
    named = "SELECT r.full_name FROM shops s JOIN v_region r ON r.id = s.sigungu_id WHERE s.id = %s"
    assert make.sql(named, shop) == "서울특별시 강남구"
    assert make.sql("SELECT count(*) FROM regions WHERE name LIKE '%%시 %%구'") == 35
    again = run("import", "boundaries")
    assert "0 boundaries added, 269 regions already had one" in again.output
    assert make.sql("SELECT count(*) FROM regions") == 269


def test_installed_boundaries_match_regions_by_their_former_names(run: Run, make: Maker) -> None:
    gangwon = make.insert("regions", level="sido", name="강원도", code="32")
    assert run("import", "boundaries").exit_code == 0
    assert make.sql("SELECT boundary IS NOT NULL FROM regions WHERE id = %s", gangwon) is True
    assert make.sql("SELECT count(*) FROM regions WHERE level = 'sido'") == 17


def test_missing_boundaries_are_reported_with_the_install_command(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "geoshops.operations.boundaries.DISTRICTS", tmp_path / "districts.geojson.gz"
    )
    result = run("import", "boundaries")
    assert result.exit_code == 1
    assert "run scripts/setup --front-end-only" in result.output


def test_imported_regions_are_outlined_for_the_map(
    summary: Summary, write: Write, make: Maker
) -> None:
    path = write(
        collection(
            region("11", "서울특별시", square(127, 37)), region("21", "부산광역시", square(128, 37))
        ),
        name="in.geojson",
    )
    summary("import", "regions", path, "--mapping", "kostat")
    rows = make.rows("SELECT detail, count(*) FROM region_outlines GROUP BY detail ORDER BY detail")
    assert rows == [(1, 2), (2, 2)]
