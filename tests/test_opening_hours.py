"""Opening hours: the Python parser and the table's check constraint accept and reject the same values."""

from __future__ import annotations

import json
import re

import psycopg2
import pytest

from geoshops.database.sql_files import SQL
from geoshops.opening_hours import canonical
from tests.make import Maker

CHANGE = SQL / "changes" / "20261122_opening_hours_to_the_letter.sql"
RULE_BEFORE = re.compile(
    r"CREATE FUNCTION (opening_hours_are_valid.*?)^COMMENT", re.DOTALL | re.MULTILINE
)
GOOD = [
    "[]",
    '[{"day": 1, "open": "10:00", "close": "22:00"}]',
    '[{"close": "24:00", "open": "00:00", "day": 7}, {"day": 7, "open": "23:59", "close": "00:00"}]',
]
# valid JSON, but not valid opening hours
BAD = [
    "null",
    "{}",
    "1",
    "[1]",
    "[null]",
    "[[]]",
    "[[1]]",
    "[{}]",
    '[[{"day": 1, "open": "10:00", "close": "11:00"}]]',
    '{"day": 1, "open": "10:00", "close": "11:00"}',
    '[{"day": 1, "open": null, "close": "11:00"}]',
    '[{"day": 1, "open": "10:00", "close": null}]',
    '[{"day": 1, "open": 10, "close": 11}]',
    '[{"day": 1, "open": ["10:00"], "close": ["11:00"]}]',
    '[{"day": [1], "open": "10:00", "close": "11:00"}]',
    '[{"day": "1", "open": "10:00", "close": "11:00"}]',
    '[{"day": "9", "open": "10:00", "close": "11:00"}]',
    '[{"day": true, "open": "10:00", "close": "11:00"}]',
    '[{"day": 0, "open": "10:00", "close": "11:00"}]',
    '[{"day": 8, "open": "10:00", "close": "11:00"}]',
    '[{"day": 1.5, "open": "10:00", "close": "11:00"}]',
    '[{"day": 1e300, "open": "10:00", "close": "11:00"}]',
    '[{"day": 1, "open": "24:00", "close": "11:00"}]',
    '[{"day": 1, "open": "9:00", "close": "11:00"}]',
    '[{"day": 1, "open": "10:60", "close": "11:00"}]',
    '[{"day": 1, "open": "10:00\\n", "close": "11:00"}]',
    '[{"day": 1, "open": "１０:00", "close": "11:00"}]',
    '[{"day": 1, "open": "10:00", "close": "24:01"}]',
    '[{"day": 1, "close": "11:00"}]',
    '[{"day": 1, "open": "10:00", "close": "11:00", "note": ""}]',
    '[{"day": 1, "open": "10:00", "close": "11:00"}, {"day": 2}]',
    '[{"day": 1, "open": "10:00", "close": "11:00"}, []]',
]
# accepted by Python's JSON parser but not by jsonb
WORSE = [
    "nonsense",
    "NaN",
    '[{"day": NaN, "open": "10:00", "close": "11:00"}]',
    '[{"day": Infinity, "open": "10:00", "close": "11:00"}]',
    '[{"day": 1e400, "open": "10:00", "close": "11:00"}]',
    '[{"day": 1, "open": "\\u0000", "close": "11:00"}]',
    '[{"day": 1, "open": "\\ud800", "close": "11:00"}]',
    '[{"day": 1, "open": "10:00", "close": "11:00", "\\ud800": 1}]',
    "[" * 100_000,
]


@pytest.mark.parametrize("text", GOOD)
def test_valid_opening_hours_are_accepted(make: Maker, text: str) -> None:
    assert json.loads(canonical(text)) == json.loads(text)
    assert make.sql("SELECT opening_hours_are_valid(%s)", canonical(text)) is True
    assert make.sql("SELECT opening_hours_are_valid(%s)", text) is True


@pytest.mark.parametrize("text", BAD)
def test_other_opening_hours_are_rejected(make: Maker, text: str) -> None:
    with pytest.raises(ValueError, match="must be JSON"):
        canonical(text)
    assert make.sql("SELECT opening_hours_are_valid(%s)", text) is False
    assert make.sql("SELECT opening_minutes(%s)::text", text) == "{}"


@pytest.mark.parametrize("text", WORSE)
def test_json_that_jsonb_cannot_store_is_rejected_by_the_parser(text: str) -> None:
    with pytest.raises(ValueError):
        canonical(text)


def test_a_day_written_as_a_decimal_becomes_an_integer(make: Maker) -> None:
    given = '[{"day": 1.0, "open": "10:00", "close": "22:00"}]'
    assert canonical(given) == '[{"day": 1, "open": "10:00", "close": "22:00"}]'
    # responses repeat the stored value, and the contract promises integers
    assert make.sql("SELECT opening_hours_are_valid(%s)", given) is False


def test_blank_hours_are_unknown() -> None:
    assert (canonical(""), canonical(" \n")) == ("[]", "[]")


def test_an_upgrade_repairs_rows_of_the_previous_rule(make: Maker) -> None:
    before = RULE_BEFORE.search((SQL / "schema" / "01_text.sql").read_text(encoding="utf-8"))
    assert before
    good = [{"day": 1, "open": "10:00", "close": "22:00"}]
    make.sql("BEGIN")
    try:
        make.sql(f"CREATE OR REPLACE FUNCTION {before[1]}")
        fine = make.shop(opening_hours=good)
        more = make.shop(opening_hours=[good[0] | {"note": "weekday"}])
        nested = make.shop(opening_hours=[good])
        endless = make.shop(opening_hours=[good[0] | {"open": None}])
        numbers = make.shop(opening_hours=[good[0] | {"open": 10, "close": 11}])
        make.sql(CHANGE.read_text(encoding="utf-8"))
        shops = make.rows("SELECT id, opening_hours, open_minutes::text FROM shops ORDER BY id")
        audited = make.rows("SELECT subject_id, detail -> 'old' FROM audit_log ORDER BY subject_id")
    finally:
        make.sql("ROLLBACK")
    assert shops == [
        (fine, good, "{[600,1320)}"),
        (more, good, "{[600,1320)}"),
        (nested, [], "{}"),
        (endless, [], "{}"),
        (numbers, [], "{}"),
    ]
    assert [shop for shop, _ in audited] == [more, nested, endless, numbers]
    assert audited[1][1] == {"opening_hours": [good]}


def test_the_table_rejects_a_null_for_a_time(make: Maker) -> None:
    with pytest.raises(psycopg2.errors.CheckViolation, match="shops_opening_hours_valid"):
        make.shop(opening_hours=[{"day": 1, "open": None, "close": "11:00"}])
