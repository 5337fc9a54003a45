"""Checksums of a database: the rows of every table, and every definition and grant by name."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from typing import Any

Say = Callable[[str], None]

# the text form of values must not depend on session settings
AS_TEXT = """
SET TimeZone = 'UTC'; SET DateStyle = 'ISO, YMD'; SET IntervalStyle = 'postgres'; SET bytea_output = 'hex';
SET extra_float_digits = 1; SET search_path = public"""
IS_OURS = """
c.relnamespace = 'public'::regnamespace
AND NOT EXISTS (SELECT FROM pg_depend x WHERE x.classid = 'pg_class'::regclass AND x.objid = c.oid AND x.deptype = 'e')"""
IS_OUR_FUNCTION = """
p.pronamespace = 'public'::regnamespace
AND NOT EXISTS (SELECT FROM pg_depend x WHERE x.classid = 'pg_proc'::regclass AND x.objid = p.oid AND x.deptype = 'e')"""
TABLES = "SELECT c.relname FROM pg_class c WHERE $OURS AND c.relkind = 'r' ORDER BY 1"
# rows have no order, so the two halves of their hashes are summed
ROWS = """
SELECT count(*), coalesce(sum(('x' || substr(h, 1, 16))::bit(64)::bigint), 0)::text || ' '
  || coalesce(sum(('x' || substr(h, 17, 16))::bit(64)::bigint), 0)::text
FROM (SELECT md5(t::text) AS h FROM {table} AS t) AS q"""
DEFINITIONS = {
    "columns": """
SELECT c.relname || '.' || a.attname, concat_ws(' ', format_type(a.atttypid, a.atttypmod), a.attnotnull,
  a.attidentity, a.attgenerated, a.attcollation::regcollation, pg_get_expr(d.adbin, d.adrelid),
  col_description(c.oid, a.attnum))
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
WHERE $OURS AND c.relkind = 'r'""",
    "constraints": """
SELECT c.relname || '.' || k.conname, pg_get_constraintdef(k.oid)
FROM pg_class c JOIN pg_constraint k ON k.conrelid = c.oid WHERE $OURS""",
    "indexes": "SELECT c.relname, pg_get_indexdef(c.oid) FROM pg_class c WHERE $OURS AND c.relkind = 'i'",
    "views": "SELECT c.relname, pg_get_viewdef(c.oid) FROM pg_class c WHERE $OURS AND c.relkind = 'v'",
    "functions": "SELECT p.oid::regprocedure::text, pg_get_functiondef(p.oid) FROM pg_proc p WHERE $OUR_FUNCTION",
    "grants": """
SELECT g.thing || ' to ' || CASE g.grantee WHEN 0 THEN 'PUBLIC' ELSE g.grantee::regrole::text END,
  string_agg(g.privilege_type || ' ' || g.is_grantable, ', ' ORDER BY g.privilege_type, g.is_grantable)
FROM (
  SELECT c.oid::regclass::text AS thing, c.relowner AS owner, a.* FROM pg_class c,
    aclexplode(coalesce(c.relacl, acldefault(CASE c.relkind WHEN 'S' THEN 's'::"char" ELSE 'r' END, c.relowner))) a
  WHERE $OURS AND c.relkind IN ('r', 'v', 'S')
  UNION ALL
  SELECT c.oid::regclass || '.' || t.attname, c.relowner, a.*
  FROM pg_class c JOIN pg_attribute t ON t.attrelid = c.oid, aclexplode(t.attacl) a WHERE $OURS
  UNION ALL
  SELECT p.oid::regprocedure::text, p.proowner, a.*
  FROM pg_proc p, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a WHERE $OUR_FUNCTION
  UNION ALL
  SELECT 'schema public', n.nspowner, a.* FROM pg_namespace n, aclexplode(n.nspacl) a WHERE n.nspname = 'public'
) g
WHERE g.grantee <> g.owner GROUP BY g.thing, g.grantee""",
}
SEQUENCES = """
SELECT sequencename, coalesce(last_value, 0) FROM pg_sequences WHERE schemaname = 'public' ORDER BY 1"""


def of_ours(query: str) -> str:
    """Inserts the conditions that exclude objects of extensions."""
    return query.replace("$OURS", IS_OURS).replace("$OUR_FUNCTION", IS_OUR_FUNCTION)


def sequences(cursor: Any) -> dict[str, int]:
    """The last value of each sequence."""
    cursor.execute(SEQUENCES)
    return dict(cursor.fetchall())


def fingerprint(cursor: Any, say: Say) -> dict[str, Any]:
    """Checksums of rows by table and of definitions by kind and name."""
    cursor.execute(AS_TEXT)
    found: dict[str, Any] = {"tables": dict(_tables(cursor, say))}
    for kind, query in DEFINITIONS.items():
        cursor.execute(of_ours(query))
        found[kind] = {name: _md5(_plain(text)) for name, text in sorted(cursor.fetchall())}
    return found


def differences(wanted: dict[str, Any], found: dict[str, Any]) -> list[str]:
    """Missing, different and additional objects, one line each."""
    lines = []
    for kind in ("tables", *DEFINITIONS):
        before, after = wanted[kind], found[kind]
        for name in sorted({*before, *after}):
            if before.get(name) != after.get(name):
                lines.append(
                    f"{kind}: {name}: {before.get(name)} in the backup, {after.get(name)} in the database"
                )
    return lines


def _tables(cursor: Any, say: Say) -> Iterator[tuple[str, str]]:
    cursor.execute(of_ours(TABLES))
    names = [name for (name,) in cursor.fetchall()]
    for place, name in enumerate(names, 1):
        cursor.execute(ROWS.format(table='"' + name.replace('"', '""') + '"'))
        count, total = cursor.fetchone()
        say(f"checksum {place} of {len(names)}: {name}, {count} rows")
        yield name, f"{count} rows {total}"


def _plain(text: str) -> str:
    # dump and restore change parentheses and line breaks of definitions
    return re.sub(r"[()\s]+", " ", text).strip()


def _md5(text: str) -> str:
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()
