"""Every named rule of the schema refuses what breaks it; the catalogs say which rules there are."""

from __future__ import annotations

from typing import Any

import psycopg2
import pytest

from tests.make import Maker
from tests.sql.violations import BASE, CHECKS, UNIQUES

OURS = """
SELECT r.oid FROM pg_class r WHERE r.relnamespace = 'public'::regnamespace AND r.relkind = 'r'
  AND r.relname <> 'schema_history' AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = r.oid AND d.deptype = 'e')"""
NAMED = f"SELECT conname, conrelid::regclass::text FROM pg_constraint WHERE conrelid IN ({OURS}) AND contype = "
UNIQUE_INDEXES = f"""
SELECT i.indexrelid::regclass::text FROM pg_index i WHERE i.indrelid IN ({OURS}) AND i.indisunique
  AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = i.indexrelid AND c.contype = 'p')"""
COLUMNS = """
SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) FROM pg_constraint c
JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey) WHERE c.conname = %s"""


@pytest.fixture
def filled(make: Maker) -> Maker:
    make.sql(BASE)
    return make


def refusal(make: Maker, statement: str) -> str:
    """Name of the rule that refuses the statement; empty when none does."""
    try:
        make.sql("BEGIN")
        make.sql(statement)
        make.sql("SET CONSTRAINTS ALL IMMEDIATE")
    except psycopg2.IntegrityError as error:
        return error.diag.constraint_name or ""
    finally:
        make.sql("ROLLBACK")
    return ""


def named(make: Maker, kind: str) -> dict[str, str]:
    return dict(make.rows(NAMED + "%s", kind))


def test_the_cases_cover_every_rule(make: Maker) -> None:
    assert set(CHECKS) == set(named(make, "c"))
    assert set(UNIQUES) == {name for (name,) in make.rows(UNIQUE_INDEXES)}


@pytest.mark.parametrize(("rule", "statement"), [*CHECKS.items(), *UNIQUES.items()])
def test_what_breaks_a_rule_is_rejected_by_its_name(
    filled: Maker, rule: str, statement: str
) -> None:
    assert refusal(filled, statement) == rule


@pytest.mark.parametrize("place", ["POINT EMPTY", "POINT(127 NaN)", "POINT(NaN NaN)"])
def test_a_shop_lies_somewhere(filled: Maker, place: str) -> None:
    with pytest.raises(psycopg2.IntegrityError):
        filled.sql(f"UPDATE shops SET geog = '{place}'")


def test_every_reference_needs_its_row(filled: Maker) -> None:
    keys: dict[str, Any] = named(filled, "f")
    assert len(keys) > 15
    for rule, table in keys.items():
        column = filled.sql(COLUMNS, rule)
        row = f"(SELECT ctid FROM {table} ORDER BY {column} IS NULL, ctid LIMIT 1)"
        assert (
            refusal(filled, f"UPDATE {table} SET {column} = 987654321 WHERE ctid = {row}") == rule
        )


def test_every_key_is_held_once(filled: Maker) -> None:
    for rule, table in named(filled, "p").items():
        columns = filled.sql(COLUMNS, rule)
        first, second = (
            f"(SELECT {columns} FROM {table} ORDER BY {columns} LIMIT 1 OFFSET {n})" for n in (0, 1)
        )
        statement = f"UPDATE {table} SET ({columns}) = {first} WHERE ({columns}) = {second}"
        assert refusal(filled, statement) == rule, rule
