"""Tests geoshops seed on a real database: first run, repeated run, --reset."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import time
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

import psycopg2
import pytest
from click.testing import CliRunner, Result

from geoshops.cli import main
from geoshops.operations import boundaries
from geoshops.sample.places import dongs
from tests.conftest import copied
from tests.make import Maker

FEW = ("--shops", "60", "--reviews", "400", "--members", "20", "--today", "2026-06-01")
DUMP = """
SELECT s.id, s.place_name, s.geog, s.road_address, s.lot_address, s.status, s.opening_hours, s.review_cnt,
  r.content, r.created_at, r.member_id
FROM shops s LEFT JOIN reviews r ON r.shop_id = s.id ORDER BY s.id, r.created_at, r.content"""


INSTALLED = boundaries.DISTRICTS
# seeding is faster without boundaries
BARE = Path("missing")


class Country(NamedTuple):
    """A separate seeded database, and the command's output."""

    url: str
    result: Result

    @property
    def name(self):
        return self.url.rpartition("/")[2]


def run_seed(url, *arguments, districts=BARE, **more):
    """Runs geoshops seed on a database, with the boundaries of a file."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DATABASE_URL", url)
        patch.delenv("GEOSHOPS_OWNER_DATABASE_URL", raising=False)
        patch.setattr("geoshops.operations.boundaries.DISTRICTS", districts)
        return CliRunner().invoke(main, ["seed", *arguments], **more)


@contextmanager
def connected(url):
    """Builders of rows in a database."""
    with closing(psycopg2.connect(url)) as connection:
        connection.autocommit = True
        yield Maker(connection)


@pytest.fixture(scope="module")
def few(server_url, template_name):
    """A small country, which tests only read."""
    with copied(server_url, template_name, "few") as url:
        result = run_seed(url, *FEW)
        assert result.exit_code == 0, result.output
        yield Country(url, result)


@pytest.fixture
def country(few):
    """Rows of the small country."""
    with connected(few.url) as make:
        yield make


@pytest.fixture
def again(few, server_url):
    """A copy of the small country to write to: builders of its rows, and the command."""
    with copied(server_url, few.name, "again") as url, connected(url) as make:
        yield make, lambda *arguments, **more: run_seed(url, *arguments, **more)


@pytest.fixture(scope="module")
def met(few, server_url, template_name):
    """The small country where real rows were before it; tests only read it."""
    with connected(few.url) as make:
        taken = make.sql("SELECT nickname FROM members ORDER BY id LIMIT 1")
    with copied(server_url, template_name, "met") as url:
        with connected(url) as make:
            make.brand("하루필름", representative=False)
            make.insert("regions", level="sido", name="강원도", code="32")
            make.insert("regions", level="sido", name="경기도", code="31")
            make.member(taken)
        result = run_seed(url, *FEW)
        assert result.exit_code == 0, result.output
        with connected(url) as make:
            yield make


@pytest.fixture(scope="module")
def bordered(server_url, template_name):
    """The small country with the boundaries that scripts/setup installs, and one that was imported before."""
    own = "SRID=4326;MULTIPOLYGON(((126.7 37.4,127.2 37.4,127.2 37.7,126.7 37.7,126.7 37.4)))"
    with copied(server_url, template_name, "bordered") as url:
        with connected(url) as make:
            make.insert("regions", level="sido", name="서울특별시", code="11", boundary=own)
        result = run_seed(url, *FEW, districts=INSTALLED)
        assert result.exit_code == 0, result.output
        with connected(url) as make:
            yield make


@pytest.fixture(scope="module")
def usual(server_url, template_name):
    """The country at its usual size, with the boundaries that scripts/setup installs; tests only read it."""
    with copied(server_url, template_name, "usual") as url:
        result = run_seed(url, "--today", "2026-06-01", districts=INSTALLED)
        assert result.exit_code == 0, result.output
        yield Country(url, result)


@pytest.fixture
def whole(usual):
    """Rows of the country at its usual size."""
    with connected(usual.url) as make:
        yield make


def fingerprint(make):
    rows = make.rows(DUMP)
    first = rows[0][0]
    # Keys continue from the last load, but the referenced rows must be equal.
    return hashlib.sha256(repr([(r[0] - first, *r[1:-1]) for r in rows]).encode()).hexdigest()


def test_the_output_states_that_the_data_are_invented(few, country):
    assert "generated data: 60 shops, 400 reviews" in few.result.output
    assert "everything about them are generated" in few.result.output
    assert country.rows("SELECT DISTINCT source FROM shops") == [("sample",)]


def test_a_second_run_changes_nothing_and_reports_it(again):
    make, seed = again
    before = fingerprint(make), make.sql("SELECT max(xmin::text::bigint) FROM shops")
    result = seed(*FEW)
    assert result.exit_code == 0
    assert "60 generated shops exist already; nothing changed" in result.output
    assert (fingerprint(make), make.sql("SELECT max(xmin::text::bigint) FROM shops")) == before


def test_reset_prompts_and_creates_the_same_rows_again(again):
    make, seed = again
    before = fingerprint(make)
    assert seed(*FEW, "--reset", input="n\n").exit_code == 1
    assert fingerprint(make) == before
    assert seed(*FEW, "--reset", "--yes").exit_code == 0
    assert fingerprint(make) == before
    assert make.sql("SELECT count(*) FROM members") == 20


def test_reset_keeps_rows_that_were_not_generated(again):
    make, seed = again
    member, shop = make.member("진짜회원"), make.shop("셀픽스 진짜점")
    sample = make.sql("SELECT min(id) FROM shops WHERE source = 'sample'")
    review = "INSERT INTO reviews (shop_id, member_id, star_rating, content, created_at, modified_at) VALUES (%s, %s, 5, '좋아요', now(), now())"
    make.sql(review, shop, member)
    make.sql(review, sample, member)
    result = seed("--shops", "30", *FEW[2:], "--reset", input="y\n")
    assert (
        "60 generated shops and dependent rows, including 1 reviews by real members"
        in result.output
    )
    assert make.sql("SELECT count(*) FROM reviews WHERE member_id = %s", member) == 1
    assert make.sql("SELECT nickname FROM members WHERE id = %s", member) == "진짜회원"
    assert make.sql("SELECT count(*) FROM shops WHERE source = 'sample'") == 30
    assert make.rows("SELECT * FROM brand_counter_differences") == []


def test_counters_and_votes_are_those_of_the_reviews(country):
    assert (
        country.rows(
            "SELECT s.id FROM shops s WHERE (review_cnt, star_rating_sum, favorite_cnt) IS DISTINCT FROM ("
            " (SELECT count(*) FROM reviews r WHERE r.shop_id = s.id),"
            " (SELECT coalesce(sum(star_rating), 0) FROM reviews r WHERE r.shop_id = s.id),"
            " (SELECT count(*) FROM favorites f WHERE f.shop_id = s.id))"
        )
        == []
    )
    assert (
        country.sql("SELECT sum(star_1 + star_2 + star_3 + star_4 + star_5) FROM shop_stats") == 400
    )
    assert country.sql("SELECT sum(purity_good) FROM shop_stats") == country.sql(
        "SELECT count(*) FROM reviews WHERE purity = 'GOOD'"
    )
    assert country.rows("SELECT * FROM brand_counter_differences") == []
    assert country.sql("SELECT sum(shop_cnt) > 0 FROM brands")


def test_every_booth_hangs_below_its_regions(country):
    assert country.sql("SELECT count(*) FROM regions WHERE level = 'sido'") == 17
    assert (
        country.sql(
            "SELECT count(*) FROM shops s JOIN regions d ON d.id = s.dong_id JOIN regions g ON g.id = s.sigungu_id"
            " WHERE d.parent_id = g.id AND g.parent_id = s.sido_id"
        )
        == 60
    )
    assert country.rows(
        "SELECT r.name FROM region_aliases a JOIN regions r ON r.id = a.region_id WHERE a.alias_key = '강원도'"
    ) == [("강원특별자치도",)]


def test_rows_that_exist_are_used_as_they_are(met):
    brands = met.rows("SELECT is_representative FROM brands WHERE name = '하루필름'")
    assert brands == [(False,)]
    assert met.sql("SELECT count(*) FROM regions WHERE level = 'sido'") == 17
    gangwon = met.sql("SELECT id FROM regions WHERE name = '강원도'")
    assert met.sql("SELECT count(*) FROM regions WHERE parent_id = %s", gangwon) == 18


def test_a_nickname_that_a_real_member_has_is_given_up(met):
    real = met.sql("SELECT min(id) FROM members")
    taken = met.sql("SELECT nickname FROM members WHERE id = %s", real)
    assert met.rows("SELECT id FROM members WHERE nickname = %s", taken) == [(real,)]
    assert met.sql("SELECT count(*) FROM members WHERE nickname = 'sample-1'") == 1


def test_a_code_that_another_region_holds_is_left_out(met):
    assert met.rows("SELECT code FROM regions WHERE name = '울산광역시'") == [(None,)]


def test_a_missing_server_is_one_clear_line():
    result = run_seed("postgresql://nobody@127.0.0.1:1/nothing", *FEW)
    assert result.exit_code == 1
    assert result.output.startswith("Error: the database does not respond: ")


def test_an_older_schema_is_one_clear_line_with_its_remedy(make, database_url):
    make.sql("ALTER FUNCTION add_shared_district_names RENAME TO of_another_release")
    try:
        result = run_seed(database_url, *FEW)
    finally:
        make.sql("ALTER FUNCTION of_another_release RENAME TO add_shared_district_names")
    assert result.exit_code == 1
    assert "function add_shared_district_names() does not exist" in result.output
    assert result.output.endswith("\nRemedy: geoshops db upgrade\n")
    assert make.sql("SELECT count(*) FROM shops") == 0


def test_an_interrupted_seed_leaves_nothing(db, make, database_url):
    bare = "from pathlib import Path; from geoshops.operations import boundaries; boundaries.DISTRICTS = Path('none')"
    program = f"{bare}; from geoshops.cli import main; main()"
    command = [sys.executable, "-c", program, "seed", "--shops", "300000"]
    environment = os.environ | {"DATABASE_URL": database_url}
    running = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
    copying = "SELECT count(*) FROM pg_stat_progress_copy WHERE tuples_processed > 0"
    deadline = time.monotonic() + 60
    while not make.sql(copying) and time.monotonic() < deadline:
        time.sleep(0.05)
    running.send_signal(signal.SIGINT)
    _, output = running.communicate(timeout=60)
    assert running.returncode == 1
    assert "interrupted. Nothing was changed" in output or "Aborted!" in output
    assert make.sql("SELECT count(*) FROM shops") == make.sql("SELECT count(*) FROM regions") == 0


def test_new_rows_get_keys_after_the_generated_ones(again):
    make, _ = again
    assert make.shop() > make.sql("SELECT max(id) FROM shops WHERE source = 'sample'")
    assert make.member() == make.sql("SELECT count(*) FROM members")


def test_the_examples_of_the_search_page_exist(country):
    names = {name for (name,) in country.rows("SELECT place_name FROM shops WHERE status = 'OPEN'")}
    assert {"포토이즘 강남역점", "인생네컷 서울숲점", "하루필름 서면역점"} <= names


KEYWORDS = {
    "hongik university": "홍대입구", "konkuk univ": "건대입구", "city hall station": "시청", "express bus terminal": "고속터미널",
    "digital media city": "디지털미디어시티", "ewha univ": "이대", "centum city": "센텀시티", "sports complex": "종합운동장",
    "seoul forest": "서울숲", "seoul national univ": "서울대입구", "busan national univ. station": "부산대",
    "gimpo airport": "김포공항", "Jongno 3(sam)-ga": "종로3가", "ソウル大入口": "서울대입구", "弘益大学": "홍대입구", "狎鷗亭ロデオ": "압구정로데오",
    "数码媒体城": "디지털미디어시티", "鍾路三街": "종로3가", "金浦机场": "김포공항", "水原市": "수원시 권선구", "统营市": "통영시",
    "聖水洞": "성수동1가", "仁寺洞": "인사동", "南浦洞": "남포동", "江南区": "강남구", "濟州市": "제주시",
}  # fmt: skip


@pytest.mark.parametrize("keyword", KEYWORDS)
def test_places_are_found_by_their_official_foreign_names(country, keyword):
    rows = country.rows(
        "SELECT min(coalesce(s.name, r.name)) FROM names_spelled(ARRAY[%s::text]) n"
        " LEFT JOIN stations s ON n.kind = 'station' AND s.id = n.id LEFT JOIN regions r ON n.kind = 'region' AND r.id = n.id",
        keyword,
    )
    assert rows == [(KEYWORDS[keyword],)]


WITHOUT_CHINESE = """
SELECT 'station', s.name FROM stations s
WHERE s.name_en = '' OR NOT EXISTS (SELECT FROM station_aliases a WHERE a.station_id = s.id AND a.lang LIKE 'zh%')
UNION SELECT r.level, r.name FROM regions r
WHERE r.name_en = '' OR NOT EXISTS (SELECT FROM region_aliases a WHERE a.region_id = r.id AND a.lang LIKE 'zh%')"""


def test_stations_and_regions_have_names_in_every_language(country):
    known = {(level, name) for level, name in country.rows(WITHOUT_CHINESE)}
    assert known == {("station", "센텀시티")} | {("dong", d.name) for d in dongs() if not d.hanja}
    without_japanese = """
        SELECT name FROM stations s WHERE NOT EXISTS (SELECT FROM station_aliases a WHERE a.station_id = s.id AND a.lang = 'ja')
        UNION SELECT name FROM regions r WHERE NOT EXISTS (SELECT FROM region_aliases a WHERE a.region_id = r.id AND a.lang = 'ja')"""
    assert country.rows(without_japanese) == []


def test_missing_boundaries_are_named_with_their_remedy(few, country):
    assert "regions have no boundaries" in few.result.stderr
    assert "scripts/setup --front-end-only, then geoshops import boundaries" in few.result.stderr
    assert country.sql("SELECT count(boundary) FROM regions") == 0


OUTSIDE = """
SELECT count(*) FROM shops s
WHERE NOT EXISTS (SELECT FROM regions r WHERE r.id = s.sigungu_id AND ST_Covers(r.boundary, s.geog::geometry))
  OR NOT EXISTS (SELECT FROM regions r WHERE r.id = s.sido_id AND ST_Covers(r.boundary, s.geog::geometry))"""


def test_booths_are_within_the_boundaries_of_their_districts(usual, whole):
    assert "boundaries of 269 regions" in usual.result.output
    assert usual.result.stderr == ""
    counted = (
        "SELECT level, count(*) FROM regions WHERE boundary IS NOT NULL GROUP BY level ORDER BY 1"
    )
    assert whole.rows(counted) == [("sido", 17), ("sigungu", 252)]
    assert whole.sql(OUTSIDE) == 0
    by_position = """
        SELECT count(*) FROM shops s, region_of_point(s.geog::geometry) p
        WHERE (p.sido_id, p.sigungu_id) IS DISTINCT FROM (s.sido_id, s.sigungu_id)"""
    assert whole.sql(by_position) == 0
    assert whole.sql("SELECT count(*) FROM v_region_part WHERE level = 'sigungu'") > 252
    # neighbours also share their borders in the simplified outlines
    overlaps = """
        SELECT count(*) FROM region_outlines a JOIN region_outlines b ON a.detail = b.detail AND a.region_id < b.region_id
        JOIN regions ra ON ra.id = a.region_id JOIN regions rb ON rb.id = b.region_id AND rb.level = ra.level
        WHERE ra.level = 'sido' AND ST_Overlaps(a.outline, b.outline)"""
    assert whole.sql(overlaps) == 0
    assert whole.sql("SELECT count(*) FROM region_outlines") == 17 + 17 + 252


def test_boundaries_that_were_imported_stay(bordered):
    points = "SELECT ST_NPoints(boundary) FROM regions WHERE name = '서울특별시'"
    assert bordered.rows(points) == [(5,)]


def test_boundaries_move_no_booth_but_those_beyond_the_border(bordered, country):
    rows = "SELECT place_name, road_address, status, opened_on FROM shops ORDER BY id"
    assert bordered.rows(rows) == country.rows(rows)


def test_the_usual_country_has_recent_activity(whole):
    assert whole.sql("SELECT count(*) FROM shops") >= 1500
    assert whole.sql("SELECT count(*) FROM reviews") == 20_000
    assert whole.sql("SELECT count(DISTINCT sigungu_id) FROM shops") >= 60
    given = dict(whole.rows("SELECT unnest(shop_titles), count(*) FROM shops GROUP BY 1"))
    assert set(given) == {"핫플레이스", "청결한 지점", "보정 맛집", "소품 부자", "뜨는 지점"}
    assert whole.rows("SELECT shop_id FROM counter_differences") == []


def test_titles_are_those_that_the_rules_award(whole):
    assert whole.sql("SELECT count(DISTINCT title_id) FROM member_titles") == 14
    assert (
        whole.rows(
            "SELECT p.member_id, p.title_id FROM title_progress_in('Asia/Seoul') p WHERE (p.current >= p.target) <>"
            " EXISTS (SELECT FROM member_titles h"
            " WHERE h.member_id = p.member_id AND h.title_id = p.title_id)"
        )
        == []
    )
    assert whole.sql("SELECT count(*) FROM member_titles WHERE is_main") == 225
    assert whole.rows(
        "SELECT DISTINCT t.awarded_at = m.created_at FROM member_titles t JOIN members m ON m.id = t.member_id"
        " WHERE t.title_id = 1"
    ) == [(True,)]


def test_the_rules_of_imports_find_the_same_regions_and_brands(country):
    for address, levels in (
        ("road_address", "sido_id, sigungu_id"),
        ("lot_address", "sido_id, sigungu_id, dong_id"),
    ):
        imported = ", ".join(f"r.{level}" for level in levels.split(", "))
        kept = ", ".join(f"s.{level}" for level in levels.split(", "))
        assert (
            country.rows(
                f"SELECT s.{address} FROM shops s, region_of_address(s.{address}) r"
                f" WHERE s.{address} <> '' AND ({imported}) IS DISTINCT FROM ({kept})"
            )
            == []
        )
    assert country.rows("SELECT id FROM shops WHERE brand_of(place_name) <> brand_id") == []


def test_a_large_country_leaves_every_index_as_it_was(make, database_url, monkeypatch):
    indexes_query = (
        "SELECT indexname, indexdef FROM pg_indexes WHERE tablename = 'shops' ORDER BY 1"
    )
    before = make.rows(indexes_query)
    monkeypatch.setattr("geoshops.database.deferred_indexes.LEAST_ROWS", 50)
    result = run_seed(database_url, *FEW)
    assert result.exit_code == 0, result.output
    assert "index shops_words_idx (" in result.output
    assert make.rows(indexes_query) == before


def test_a_large_country_is_seeded_again(again, monkeypatch):
    make, seed = again
    monkeypatch.setattr("geoshops.database.deferred_indexes.LEAST_ROWS", 50)
    first = make.rows("SELECT place_name FROM shops ORDER BY 1")
    repeated = seed(*FEW, "--reset", "--yes")
    assert repeated.exit_code == 0, repeated.output
    assert make.rows("SELECT place_name FROM shops ORDER BY 1") == first
