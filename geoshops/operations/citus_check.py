"""Checks the schema against the requirements of Citus (stage 2), by the catalogs of any PostgreSQL.

A finding is a violation of a rule that holds today, or a change that stage 2 needs. sql/scale/distribute.sql plans the
distribution of tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from geoshops.database.migrations import run
from geoshops.database.operator_connection import connected
from geoshops.database.sql_files import SQL

PLAN_FILE = "scale/distribute.sql"
DISTRIBUTED = re.compile(
    r"create_distributed_table\('(\w+)', '(\w+)'(?:, colocate_with => '(\w+)')?\)"
)
CREATED_BY_PLAN = re.compile(r"CREATE TABLE IF NOT EXISTS (\w+)")
# not supported by a distributed engine, or broken by a pooler in transaction mode
SESSION_BOUND = re.compile(r"\b(LISTEN|NOTIFY|pg_notify|pg_advisory_(?:un)?lock)\b", re.IGNORECASE)
WRITES = r"\b(?:UPDATE|INSERT\s+INTO|DELETE\s+FROM)\s+(?:public\.)?{}\b"

TABLES = """
SELECT c.oid::bigint, c.relname FROM pg_class c
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT EXISTS (
  SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
ORDER BY 2"""
COLUMNS = """
SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attgenerated <> '', a.attidentity <> ''
FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
WHERE c.oid = ANY (%s::oid[]) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY 1, a.attnum"""
KEYS = """
SELECT c.relname, i.indexrelid::regclass::text, i.indisprimary, ARRAY(
  SELECT coalesce(a.attname, '') FROM unnest(i.indkey::int[]) WITH ORDINALITY AS k (attnum, place)
  LEFT JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum AND k.attnum <> 0 ORDER BY place)::text[]
FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
WHERE c.oid = ANY (%s::oid[]) AND (i.indisunique OR i.indisexclusion) ORDER BY 1, 2"""
FOREIGN_KEYS = """
SELECT c.relname, k.conname, f.relname, k.confdeltype IN ('n', 'd'), ARRAY(
  SELECT ARRAY[a.attname, b.attname] FROM unnest(k.conkey, k.confkey) AS p (here, there)
  JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = p.here
  JOIN pg_attribute b ON b.attrelid = k.confrelid AND b.attnum = p.there)::text[][]
FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_class f ON f.oid = k.confrelid
WHERE c.oid = ANY (%s::oid[]) AND k.contype = 'f' ORDER BY 1, 2"""
TRIGGERS = """
SELECT c.relname, t.tgname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
WHERE c.oid = ANY (%s::oid[]) AND NOT t.tgisinternal ORDER BY 1, 2"""
RULES = """
SELECT c.relname, r.rulename FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class
WHERE c.oid = ANY (%s::oid[]) ORDER BY 1, 2"""
ROUTINES = """
SELECT p.oid::regprocedure::text, pg_get_functiondef(p.oid) FROM pg_proc p
WHERE p.pronamespace = 'public'::regnamespace AND p.prokind IN ('f', 'p') AND NOT EXISTS (
  SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
UNION ALL
SELECT c.relname, pg_get_viewdef(c.oid) FROM pg_class c
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('v', 'm') AND NOT EXISTS (
  SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
ORDER BY 1"""


@dataclass(frozen=True)
class Finding:
    """A violated rule (`broken`), or else a change that stage 2 needs."""

    broken: bool
    subject: str
    detail: str


@dataclass(frozen=True)
class Place:
    """Distribution of a table: its distribution column and colocation group; both are empty for a reference table,
    which every node holds completely."""

    column: str = ""
    group: str = ""


Plan = Mapping[str, Place]
REFERENCE = Place()


def plan() -> dict[str, Place]:
    """The distributed tables of sql/scale/distribute.sql, except those that it creates; all others are reference tables."""
    text = (SQL / PLAN_FILE).read_text(encoding="utf-8")
    new = set(CREATED_BY_PLAN.findall(text))
    return {
        table: Place(column, group or table)
        for table, column, group in DISTRIBUTED.findall(text)
        if table not in new
    }


def examine(url: str) -> list[Finding]:
    """All findings, violations first."""
    with connected(url, "check", autocommit=True) as connection:
        places, tables = plan(), dict(run(connection, TABLES).fetchall())
        found = [
            *_tables(connection, tables, places),
            *_columns(connection, list(tables), places),
            *_keys(connection, list(tables), places),
            *_foreign_keys(connection, list(tables), places),
            *_routines(connection, places),
        ]
    return sorted(found, key=lambda finding: not finding.broken)


def _tables(connection: Any, tables: Mapping[int, str], places: Plan) -> Iterator[Finding]:
    ours = (list(tables),)
    keyed = {table for table, _, primary, _ in run(connection, KEYS, ours) if primary}
    for table in sorted(set(tables.values()) - keyed):
        yield Finding(
            True, table, "has no primary key: its shards could not be moved while it is written"
        )
    for table in sorted(set(places) - set(tables.values())):
        yield Finding(True, table, f"is named in sql/{PLAN_FILE} but does not exist")
    for table, name in run(connection, TRIGGERS, ours):
        yield Finding(
            True, table, f"has the trigger {name}: distributed tables cannot have triggers"
        )
    for table, name in run(connection, RULES, ours):
        yield Finding(True, table, f"has the rule {name}: distributed tables cannot have rules")


def _columns(connection: Any, ours: list[int], places: Plan) -> Iterator[Finding]:
    seen = set()
    for table, column, kind, required, generated, identity in run(connection, COLUMNS, (ours,)):
        seen.add((table, column))
        if identity and kind != "bigint":
            yield Finding(
                True, f"{table}.{column}", f"is a generated id of type {kind}, not bigint"
            )
        if column != places.get(table, REFERENCE).column:
            continue
        if kind not in ("bigint", "text") or not required or generated:
            yield Finding(
                True,
                f"{table}.{column}",
                "is the distribution column: it must be a plain bigint or text, not null",
            )
    for table, place in places.items():
        if (table, place.column) not in seen:
            yield Finding(
                True, f"{table}.{place.column}", "is the distribution column but does not exist"
            )


def _keys(connection: Any, ours: list[int], places: Plan) -> Iterator[Finding]:
    for table, name, primary, columns in run(connection, KEYS, (ours,)):
        place = places.get(table, REFERENCE)
        if not place.column or place.column in columns:
            continue
        remedy = (
            f"the key becomes ({place.column}, {', '.join(columns)})"
            if primary
            else "uniqueness over all nodes needs a claim table"
        )
        yield Finding(False, name, f"does not contain {place.column}: {remedy}")


def _foreign_keys(connection: Any, ours: list[int], places: Plan) -> Iterator[Finding]:
    for table, name, target, nulls, pairs in run(connection, FOREIGN_KEYS, (ours,)):
        here, there = places.get(table, REFERENCE), places.get(target, REFERENCE)
        if nulls and here.column in [pair[0] for pair in pairs]:
            yield Finding(
                True, name, f"sets the distribution column {here.column} of {table} to null"
            )
        if not there.column:
            continue
        together = here.group == there.group and [here.column, there.column] in pairs
        if not together:
            yield Finding(
                False,
                name,
                f"from {table} to {target}: must be dropped, because the rows are on different nodes",
            )


def _routines(connection: Any, places: Plan) -> Iterator[Finding]:
    for name, text in run(connection, ROUTINES):
        if session_bound := SESSION_BOUND.search(text):
            yield Finding(True, name, f"uses {session_bound[1]}, which breaks behind a pooler")
        named = {table for table in places if re.search(rf"\b{table}\b", text)}
        groups = sorted({places[table].group for table in named})
        if len(groups) > 1:
            yield Finding(
                False,
                name,
                f"uses tables by {' and by '.join(groups)}: needs one statement for each group",
            )
        if re.search(WRITES.format("shops"), text, re.IGNORECASE):
            yield Finding(False, name, "writes shops, a reference table: every node is written")
