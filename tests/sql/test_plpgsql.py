"""Tests that plpgsql_check reports no unknown column, wrong type or unused variable in the PL/pgSQL functions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import psycopg2
import pytest

from tests.conftest import copied, execute

AVAILABLE = "SELECT count(*) FROM pg_available_extensions WHERE name = 'plpgsql_check'"
OURS = """
SELECT p.oid::regprocedure::text FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
WHERE p.pronamespace = 'public'::regnamespace AND l.lanname = 'plpgsql' AND p.prorettype <> 'trigger'::regtype
  AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
ORDER BY 1"""
# Accepted: casts in functions of sql/schema, whose files never change, and a row next to its failure.
EXPECTED = {
    ("name_tails(text)", "target type is different type than source type"),
    ("opening_minutes(jsonb)", "target type is different type than source type"),
    ("own_review(bigint,bigint,bigint)", 'composite OUT variable "current" is not single argument'),
}
# temporary tables that one function creates for others
TEMPORARY = """
CREATE TEMPORARY TABLE new_tiles AS SELECT * FROM find_crowded_tiles(1);
CREATE TEMPORARY TABLE new_cells (LIKE tile_cells);
SELECT count_cells_of_brands(14)"""
CHECK = """
SELECT lineno, level, message, detail
FROM plpgsql_check_function_tb(%s::regprocedure, security_warnings => true)"""


@pytest.fixture(scope="module")
def checked_url(server_url: str, template_name: str) -> Iterator[str]:
    """A copy of the schema with the extension, which the service's database does not have."""
    with copied(server_url, template_name, "plpgsql") as url:
        with closing(psycopg2.connect(url)) as connection, connection.cursor() as cursor:
            cursor.execute(AVAILABLE)
            if cursor.fetchone() == (0,):
                pytest.skip("no plpgsql_check (Debian: postgresql-MAJOR-plpgsql-check)")
        execute(url, "CREATE EXTENSION plpgsql_check")
        yield url


def test_functions_hold_no_error_that_only_running_them_would_show(checked_url: str) -> None:
    findings = []
    with closing(psycopg2.connect(checked_url)) as connection, connection.cursor() as cursor:
        cursor.execute(OURS)
        functions = [name for (name,) in cursor.fetchall()]
        assert len(functions) > 5
        cursor.execute(TEMPORARY)
        for name in functions:
            cursor.execute(CHECK, (name,))
            findings += [
                (name, *row) for row in cursor.fetchall() if (name, row[2]) not in EXPECTED
            ]
    assert findings == [], "\n".join(map(str, findings))


def test_the_check_reports_an_unknown_column(checked_url: str) -> None:
    body = "BEGIN PERFORM no_such_column FROM shops; END"
    execute(checked_url, f"CREATE FUNCTION wrong() RETURNS void LANGUAGE plpgsql AS '{body}'")
    with closing(psycopg2.connect(checked_url)) as connection, connection.cursor() as cursor:
        cursor.execute(CHECK, ("wrong()",))
        assert 'column "no_such_column" does not exist' in [row[2] for row in cursor.fetchall()]
