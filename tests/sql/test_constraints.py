"""Tests that every named constraint in the system catalogs rejects rows that violate it."""

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

WITHOUT_KEY = f"""
SELECT t.oid::regclass::text FROM ({OURS}) t
WHERE NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conrelid = t.oid AND c.contype = 'p')"""
NARROW_IDS = f"""
SELECT a.attrelid::regclass || '.' || a.attname FROM pg_attribute a
WHERE a.attrelid IN ({OURS}) AND a.attidentity <> '' AND a.atttypid <> 'bigint'::regtype"""
# session state, which a pooler in transaction mode would lose or leak to the next client
SESSION_BOUND = r"""
SELECT p.oid::regprocedure::text FROM pg_proc p
WHERE p.pronamespace = 'public'::regnamespace AND p.prokind IN ('f', 'p')
  AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
  AND pg_get_functiondef(p.oid) ~* '\m(LISTEN|NOTIFY|pg_notify|pg_advisory_(un)?lock)\M'"""


@pytest.fixture(scope="module")
def filled(make_once: Maker) -> Maker:
    """Rows in every table, which stay unchanged because the tests' statements are rejected."""
    make_once.sql(BASE)
    return make_once


def rejection(make: Maker, statement: str) -> str:
    """Name of the constraint that rejects the statement; empty if none does."""
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
    assert rejection(filled, statement) == rule


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
            rejection(filled, f"UPDATE {table} SET {column} = 987654321 WHERE ctid = {row}") == rule
        )


def test_every_key_is_held_once(filled: Maker) -> None:
    for rule, table in named(filled, "p").items():
        columns = filled.sql(COLUMNS, rule)
        first, second = (
            f"(SELECT {columns} FROM {table} ORDER BY {columns} LIMIT 1 OFFSET {n})" for n in (0, 1)
        )
        statement = f"UPDATE {table} SET ({columns}) = {first} WHERE ({columns}) = {second}"
        assert rejection(filled, statement) == rule, rule


@pytest.mark.parametrize(
    ("rule", "fault", "broken_by"),
    [
        (WITHOUT_KEY, "CREATE TABLE loose (x bigint)", "loose"),
        (NARROW_IDS, "CREATE TABLE narrow (x int GENERATED ALWAYS AS IDENTITY)", "narrow.x"),
        (
            SESSION_BOUND,
            "CREATE FUNCTION shout() RETURNS void LANGUAGE sql AS $$ SELECT pg_notify('a', 'b') $$",
            "shout()",
        ),
    ],
    ids=["primary keys", "wide ids", "nothing kept in a session"],
)
def test_the_schema_keeps_the_rules_for_poolers_and_replication(
    make: Maker, rule: str, fault: str, broken_by: str
) -> None:
    assert make.rows(rule) == []
    make.sql("BEGIN")
    make.sql(fault)
    assert make.rows(rule) == [(broken_by,)]
    make.sql("ROLLBACK")
