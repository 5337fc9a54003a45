"""geoshops shops and geoshops brands: manual corrections, which imports keep."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg2
import pytest
from flask.testing import FlaskClient

from geoshops.importing import deriving
from geoshops.shops import corrections
from geoshops.shops.commands import CONSTRAINT_MESSAGES
from geoshops.shops.corrections import NotPossible
from tests.importing.conftest import Run
from tests.make import GANGNAM, Maker

Summary = Callable[..., dict[str, Any]]
Write = Callable[..., Path]
HEAD = "id,name,brand,address,lon,lat,status,closed"
ROW = "1,인생네컷 강남점,인생네컷,서울 강남구 역삼동 1,127.0276,37.4979,영업,"
OPTIONS = (
    "--source", "own", "--map", "id=source_id", "--map", "address=lot_address", "--map", "closed=closed_on",
)  # fmt: skip


def ok(run: Run, *args: object) -> str:
    result = run(*args)
    assert result.exit_code == 0, result.output
    return result.output


def test_every_column_that_a_file_fills_can_be_corrected() -> None:
    assert {*corrections.COLUMNS} == {*deriving.DEFAULTS}


def test_every_rule_that_a_correction_can_break_has_a_message(make: Maker) -> None:
    rules = make.rows(
        """
        SELECT c.conname
        FROM pg_constraint AS c JOIN pg_attribute AS a ON a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey)
        WHERE c.conrelid = 'shops'::regclass AND c.contype = 'c'
        GROUP BY c.conname HAVING bool_and(a.attname::text = ANY (%s))
        """,
        list(corrections.COLUMNS),
    )
    # opening hours are parsed before they are stored
    names = {name for (name,) in rules} - {"shops_opening_hours_valid"}
    assert len(names) >= 4
    assert names <= CONSTRAINT_MESSAGES.keys()


def test_what_was_set_by_hand_survives_imports(
    run: Run, summary: Summary, write: Write, make: Maker
) -> None:
    path = write(HEAD, ROW)
    summary("import", "shops", path, *OPTIONS)
    shop = make.sql("SELECT id FROM shops")
    ok(run, "shops", "set", shop, "place_name=인생네컷 강남본점", "longitude=127.03", "phone=02-1",
       "--reason", "owner called")  # fmt: skip
    report = summary("import", "shops", path, *OPTIONS)
    assert report["unchanged"] == 1
    moved = write(HEAD, ROW.replace("37.4979", "37.4").replace("역삼동 1", "역삼동 2"))
    assert summary("import", "shops", moved, *OPTIONS)["updated"] == 1
    assert make.rows(
        "SELECT place_name, ST_X(geog::geometry), ST_Y(geog::geometry), phone, lot_address FROM shops"
    ) == [("인생네컷 강남본점", 127.03, 37.4979, "02-1", "서울 강남구 역삼동 2")]
    assert make.rows(
        "SELECT action, subject_id, reason, detail -> 'old' ->> 'place_name' FROM audit_log"
    ) == [("set", shop, "owner called", "인생네컷 강남점")]
    ok(run, "shops", "set", shop, "--release", "place_name", "--reason", "source is right now")
    summary("import", "shops", moved, *OPTIONS)
    assert make.sql("SELECT place_name FROM shops") == "인생네컷 강남점"


def test_a_correction_during_an_import_is_not_lost(
    run: Run, summary: Summary, write: Write, make: Maker, database_url: str
) -> None:
    """The import has read both shops and waits for the first; an operator corrects the second."""
    lines = [ROW, ROW.replace("1,", "2,", 1)]
    summary("import", "shops", write(HEAD, *lines), *OPTIONS)
    first, second = (shop for (shop,) in make.rows("SELECT id FROM shops ORDER BY id"))
    command = [sys.executable, "-m", "geoshops", "shops", "set", str(second), "place_name=정정점",
               "--reason", "owner called"]  # fmt: skip
    with closing(psycopg2.connect(database_url)) as member:
        member.cursor().execute("SELECT FROM shops WHERE id = %s FOR UPDATE", (first,))

        def correct() -> None:
            _wait_until(lambda: make.sql("SELECT count(*) FROM pg_locks WHERE NOT granted") == 1)
            with subprocess.Popen(command) as operator:
                _wait_until(
                    lambda: (
                        operator.poll() is not None
                        or make.sql("SELECT count(*) FROM pg_locks WHERE NOT granted") == 2
                    )
                )
                member.rollback()

        thread = threading.Thread(target=correct)
        thread.start()
        moved = [line.replace("역삼동 1", "역삼동 2") for line in lines]
        assert summary("import", "shops", write(HEAD, *moved), *OPTIONS)["updated"] == 2
        thread.join()
    assert make.rows("SELECT place_name, lot_address FROM shops WHERE id = %s", second) == [
        ("정정점", "서울 강남구 역삼동 2")
    ]


def _wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_closed_shop_stays_closed(run: Run, summary: Summary, write: Write, make: Maker) -> None:
    summary("import", "shops", write(HEAD, ROW), *OPTIONS)
    shop = make.sql("SELECT id FROM shops")
    ok(run, "shops", "close", shop, "--on", "2026-01-31", "--reason", "door is shut")
    summary("import", "shops", write(HEAD, ROW), *OPTIONS)
    assert make.rows("SELECT status, closed_on::text FROM shops") == [("CLOSED", "2026-01-31")]
    assert run("shops", "close", shop, "--reason", "again").exit_code == 1
    ok(run, "shops", "set", shop, "status=OPEN", "--reason", "open again")
    assert make.rows("SELECT status, closed_on FROM shops") == [("OPEN", None)]


def test_merging_moves_reviews_and_favorites(run: Run, make: Maker, client: FlaskClient) -> None:
    make.brand()
    kept, duplicate = make.shop("인생네컷 강남역점"), make.shop("인생네컷 강남역 점")
    both, one = make.member(), make.member()
    for shop in (kept, duplicate):
        make.favorite(both, shop)
    make.favorite(one, duplicate)
    now = "2026-01-01T00:00:00Z"
    make.insert("reviews", shop_id=duplicate, member_id=one, star_rating=4, content="좋아요",
                created_at=now, modified_at=now)  # fmt: skip
    listed = json.loads(ok(run, "shops", "duplicates", "--json"))
    assert [(pair["shop_id"], pair["other_id"]) for pair in listed] == [(kept, duplicate)]
    merged = ok(run, "shops", "merge", duplicate, kept, "--reason", "same door")
    assert f"shop {duplicate} is merged into {kept}\n" in merged
    assert make.rows(
        "SELECT id, status, merged_into_id, favorite_cnt, review_cnt, star_rating_sum FROM shops ORDER BY id"
    ) == [(kept, "OPEN", None, 2, 1, 4), (duplicate, "CLOSED", kept, 0, 0, 0)]
    assert json.loads(ok(run, "shops", "duplicates", "--json")) == []
    again = ok(run, "shops", "merge", duplicate, kept, "--reason", "twice")
    assert "0 shops merged, 1 pairs were already merged" in again
    assert client.get(f"/shops/{kept}").status_code == 200


def merged(summary: Summary, write: Write, make: Maker, run: Run) -> tuple[int, int, str]:
    """Imports a shop and merges it into another one; returns both ids and the closing day."""
    make.brand("인생네컷")
    summary("import", "shops", write(HEAD, ROW), *OPTIONS)
    duplicate = make.sql("SELECT id FROM shops")
    kept = make.shop("인생네컷 강남역점")
    ok(run, "shops", "merge", duplicate, kept, "--reason", "same door")
    return duplicate, kept, make.sql("SELECT closed_on::text FROM shops WHERE id = %s", duplicate)


def test_a_repeated_merge_does_not_wait_for_commands_on_the_duplicate(
    run: Run, summary: Summary, write: Write, make: Maker, database_url: str
) -> None:
    """Another operator merges the pair after it was checked."""
    duplicate, kept, day = merged(summary, write, make, run)
    with (
        closing(psycopg2.connect(database_url, options="-c lock_timeout=2s")) as operator,
        closing(psycopg2.connect(database_url)) as other_command,
    ):
        # its next step waits for the lock of the other shop
        other_command.cursor().execute("SELECT pg_advisory_xact_lock_shared(-%s)", (duplicate,))
        with pytest.raises(NotPossible, match=f"shop {duplicate} is already merged into another"):
            corrections.merge(operator.cursor(), duplicate, kept, day, "twice")


@pytest.mark.parametrize("row", [ROW, ROW.replace("영업", "폐업"), f"{ROW}2020-01-01"])
def test_a_merged_shop_keeps_its_closing_day(
    run: Run, summary: Summary, write: Write, make: Maker, row: str
) -> None:
    duplicate, _, day = merged(summary, write, make, run)
    assert summary("import", "shops", write(HEAD, row), *OPTIONS)["unchanged"] == 1
    assert make.rows(
        "SELECT status, closed_on::text, overrides FROM shops WHERE id = %s", duplicate
    ) == [("CLOSED", day, {"status": "CLOSED", "closed_on": day})]


@pytest.mark.parametrize("field", ["status", "closed_on"])
def test_fields_that_keep_a_merged_shop_closed_cannot_be_released(
    run: Run, summary: Summary, write: Write, make: Maker, field: str
) -> None:
    duplicate, kept, _ = merged(summary, write, make, run)
    result = run("shops", "set", duplicate, "--release", field, "--reason", "open again")
    assert result.exit_code == 1
    assert f"merged into {kept} and stays closed: {field} cannot be released" in result.output
    ok(run, "shops", "set", duplicate, "--release", "phone", "--reason", "no matter")


def test_a_merged_shop_that_was_released_before_does_not_stop_an_import(
    run: Run, summary: Summary, write: Write, make: Maker
) -> None:
    duplicate, _, day = merged(summary, write, make, run)
    make.sql("UPDATE shops SET overrides = '{}'")
    report = summary("import", "shops", write(HEAD, ROW, ROW.replace("1,", "2,", 1)), *OPTIONS)
    assert (report["inserted"], report["unchanged"]) == (1, 1)
    assert make.rows("SELECT status, closed_on::text FROM shops WHERE id = %s", duplicate) == [
        ("CLOSED", day)
    ]


def test_pairs_kept_apart_are_not_listed_again(run: Run, make: Maker) -> None:
    make.brand()
    near = (GANGNAM[0], GANGNAM[1] + 0.0003)
    first, second = make.shop("인생네컷 강남1호점"), make.shop("인생네컷 강남2호점", at=near)
    make.shop("인생네컷 강남1호점", at=(GANGNAM[0], GANGNAM[1] + 0.01))
    make.shop("인생네컷 강남1호점", brand_id=make.brand("하루필름"))
    assert len(json.loads(ok(run, "shops", "duplicates", "--json"))) == 1
    ok(run, "shops", "keep-apart", second, first, "--reason", "two floors")
    assert json.loads(ok(run, "shops", "duplicates", "--json")) == []


@pytest.mark.parametrize(
    "changes",
    ["place_name= ", "status=SHUT", "longitude=200", "opened_on=2026-02-30", "homepage=javascript:1", "brand=모름",
     "opening_hours=[1]"],
)  # fmt: skip
def test_corrections_that_break_a_rule_change_nothing(run: Run, make: Maker, changes: str) -> None:
    make.brand()
    shop = make.shop()
    before = make.rows("SELECT * FROM shops")
    result = run("shops", "set", shop, changes, "--reason", "try")
    assert result.exit_code == 1
    assert "Nothing was changed" in result.output
    assert make.rows("SELECT * FROM shops") == before
    assert make.sql("SELECT count(*) FROM audit_log") == 0


@pytest.mark.parametrize(
    "hours",
    ['[{"day": 1, "open": null, "close": "11:00"}]', '[{"day": "9", "open": "10:00", "close": "11:00"}]',
     '[[{"day": 1, "open": "10:00", "close": "11:00"}]]', '[{"day": NaN}]', '["\\u0000"]', '["\\ud800"]'],
)  # fmt: skip
def test_invalid_opening_hours_name_the_format(run: Run, make: Maker, hours: str) -> None:
    shop = make.shop()
    result = run("shops", "set", shop, f"opening_hours={hours}", "--reason", "try")
    assert result.exit_code == 1
    assert "opening_hours must be JSON such as" in result.output
    day = '[{"day": 1.0, "open": "10:00", "close": "22:00"}]'
    ok(run, "shops", "set", shop, f"opening_hours={day}", "--reason", "owner called")
    assert make.sql("SELECT opening_hours::text FROM shops") == day.replace("1.0", "1")


def test_usage_errors_are_reported(run: Run, make: Maker) -> None:
    shop = make.shop()
    assert run("shops", "set", shop, "colour=red", "--reason", "x").exit_code == 2
    assert run("shops", "set", shop, "phone=1").exit_code == 2
    assert run("shops", "set", shop, "--reason", "x").exit_code == 2
    assert run("shops", "set", 999, "phone=1", "--reason", "x").exit_code == 1


def test_brands_are_changed_by_commands(run: Run, make: Maker) -> None:
    ok(run, "brands", "add", "포토이즘", "--representative", "--color", "#112233")
    ok(run, "brands", "add", "포토이즘박스", "--parent", "포토이즘")
    ok(run, "brands", "alias", "포토이즘", "photoism")
    ok(run, "brands", "color", "photoism", "#AABBCC")
    listed = {b["name"]: b for b in json.loads(ok(run, "brands", "list", "--json"))}
    assert listed["포토이즘"]["aliases"] == ["photoism"]
    assert listed["포토이즘"]["badge_color"] == "#aabbcc"
    assert listed["포토이즘박스"]["parent"] == "포토이즘"
    for args in (
        ("parent", "포토이즘", "포토이즘박스"),
        ("add", "PHOTOISM"),
        ("alias", "포토이즘박스", "포토이즘"),
        ("color", "포토이즘", "red"),
        ("representative", "없는 것"),
    ):
        assert run("brands", *args).exit_code == 1, args
    ok(run, "brands", "parent", "포토이즘박스")
    ok(run, "brands", "representative", "포토이즘", "--no")
    ok(run, "brands", "alias", "포토이즘", "Photoism", "--remove")
    listed = {b["name"]: b for b in json.loads(ok(run, "brands", "list", "--json"))}
    assert (listed["포토이즘박스"]["parent"], listed["포토이즘"]["is_representative"]) == (
        None,
        False,
    )


def test_shops_get_a_brand_that_becomes_known(run: Run, make: Maker) -> None:
    parent = make.brand("포토이즘")
    named = make.shop("포토이즘 박스 홍대점", brand_id=parent)
    unknown = make.shop("포토이즘컬러드 홍대점", brand_id=None)
    other = make.shop("인생네컷 홍대점", brand_id=None)
    ok(run, "brands", "add", "포토이즘박스", "--parent", "포토이즘")
    ok(run, "brands", "add", "포토이즘컬러드", "--parent", "포토이즘")
    brands = dict(
        make.rows("SELECT s.id, b.name FROM shops s LEFT JOIN brands b ON b.id = s.brand_id")
    )
    assert brands == {named: "포토이즘박스", unknown: "포토이즘컬러드", other: None}


def test_an_import_reports_the_number_of_possible_duplicates(
    summary: Summary, write: Write, make: Maker
) -> None:
    second = ROW.replace("1,인생네컷 강남점", "2,인생네컷 강남역점")
    far = ROW.replace("1,인생네컷 강남점", "3,인생네컷 강남점").replace("37.4979", "37.5079")
    report = summary("import", "shops", write(HEAD, ROW, second, far), *OPTIONS)
    assert (report["inserted"], report["duplicate_candidates"]) == (3, 1)
    assert (
        summary("import", "shops", write(HEAD, ROW, second, far), *OPTIONS)["duplicate_candidates"]
        == 0
    )


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("shops", "set", "{shop}", "--release", "foo"), "'foo' is not one of"),
        (("shops", "set", "{shop}", "status=FOO"), "status must be OPEN, TEMP_CLOSED or CLOSED"),
        (("shops", "set", "{shop}", "place_name="), "place_name must not be blank"),
        (("shops", "set", "{shop}", "closed_on=2026-01-01"), "closed_on requires status=CLOSED"),
        (("shops", "set", "{shop}", 'opening_hours=[{"day": 9}]'), '"open": "10:00"'),
        (("shops", "keep-apart", "{shop}", "{shop}"), "cannot be kept apart from itself"),
    ],
)
def test_a_rejected_correction_names_the_allowed_values(
    run: Run, make: Maker, words: tuple[str, ...], expected: str
) -> None:
    shop = make.shop("강남점")
    done = run(*(str(shop) if word == "{shop}" else word for word in words), "--reason", "x")
    assert (done.exit_code != 0, expected in done.output) == (True, True), done.output
    assert make.sql("SELECT count(*) FROM audit_log") == 0


def test_a_colour_is_hex_in_either_case(run: Run, make: Maker) -> None:
    rejected = run("brands", "add", "빨강", "--color", "red")
    assert (rejected.exit_code, "#rrggbb" in rejected.output) == (1, True), rejected.output
    ok(run, "brands", "add", "빨강", "--color", "#FF0000")
    assert make.sql("SELECT badge_color FROM brands WHERE name = '빨강'") == "#ff0000"
