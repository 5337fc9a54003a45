"""Opening hours: the Python parser and the table's check constraint accept and reject the same values."""

from __future__ import annotations

import json

import psycopg2
import pytest

from geoshops.opening_hours import canonical
from tests.make import Maker

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


def test_the_table_rejects_a_null_for_a_time(make: Maker) -> None:
    with pytest.raises(psycopg2.errors.CheckViolation, match="shops_opening_hours_valid"):
        make.shop(opening_hours=[{"day": 1, "open": None, "close": "11:00"}])
