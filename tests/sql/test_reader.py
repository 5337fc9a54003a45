"""Tests that analysts can read the views, but no personal data."""

from __future__ import annotations

import re
import subprocess

import psycopg2
import pytest
from psycopg2 import errors, sql

from tests.conftest import ROOT, as_role

VIEWS = {
    "v_shop", "v_shop_open", "v_brand", "v_station", "v_region", "v_region_part", "v_review",
    "v_favorite_daily", "v_population",
}  # fmt: skip


@pytest.fixture
def reader(database_url, db, make):
    """A connection with SET ROLE geoshops_reader, on a database with a row in every table."""
    member = make.member("비밀이름")
    shop = make.shop()
    make.review(member, shop, content="남에게 보이지 않을 글")
    make.favorite(member, shop)
    make.session(member)
    make.insert("member_identities", issuer="i", subject="s", member_id=member, provider="oidc")
    connection = psycopg2.connect(database_url)
    connection.autocommit = True
    connection.cursor().execute("SET ROLE geoshops_reader")
    yield connection
    connection.close()


def tables(db):
    cursor = db.cursor()
    cursor.execute(
        "SELECT c.relname FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace"
        " AND c.relkind IN ('r', 'v', 'm', 'p')"
        " AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')"
    )
    return {name for (name,) in cursor.fetchall()}


def test_the_reader_reads_the_views_and_nothing_else(db, reader):
    names = tables(db)
    assert names >= VIEWS
    cursor = reader.cursor()
    for name in sorted(names):
        statement = sql.SQL("SELECT * FROM {}").format(sql.Identifier(name))
        if name in VIEWS:
            cursor.execute(statement)
            assert "비밀이름" not in str(cursor.fetchall())
        else:
            with pytest.raises(errors.InsufficientPrivilege):
                cursor.execute(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT nickname FROM members",
        "SELECT subject FROM member_identities",
        "SELECT refresh_hash FROM sessions",
        "SELECT content FROM reviews",
        "SELECT member_id FROM favorites",
        "SELECT salt FROM reviewer_salt",
        "INSERT INTO v_brand (brand) VALUES ('x')",
        "UPDATE v_population SET population = 1",
        "DELETE FROM v_review",
        "TRUNCATE reviews",
        "CREATE TABLE mine (id int)",
        "UPDATE shops SET place_name = 'x'",
    ],
)
def test_the_reader_is_rejected(reader, statement):
    with pytest.raises((errors.InsufficientPrivilege, errors.ObjectNotInPrerequisiteState)):
        reader.cursor().execute(statement)


def test_views_show_no_text_and_no_member(db, reader):
    cursor = reader.cursor()
    cursor.execute("SELECT * FROM v_review")
    names = {column.name for column in cursor.description}
    assert not names & {"content", "member_id", "hidden_at"}
    (row,) = cursor.fetchall()
    assert "남에게" not in str(row)


def test_the_reviewer_key_distinguishes_members_and_depends_on_the_salt(db, reader, make):
    make.insert("reviewer_salt", salt=b"0123456789abcdef")
    first, second = make.member(), make.member()
    for member in (first, first, second):
        make.review(member, 1)
    cursor = reader.cursor()

    def keys():
        cursor.execute("SELECT reviewer_key FROM v_review ORDER BY id")
        return [key for (key,) in cursor.fetchall()]

    before = keys()
    assert before[1] == before[2]
    assert len(set(before)) == 3
    make.sql("UPDATE reviewer_salt SET salt = sha256(salt)")
    assert not set(before) & set(keys())


def test_a_function_of_the_reader_does_not_see_hidden_reviews(database_url, reader, make):
    make.sql("UPDATE reviews SET hidden_at = now()")
    cursor = reader.cursor()
    cursor.execute(
        "CREATE FUNCTION pg_temp.spy(n integer) RETURNS boolean LANGUAGE plpgsql COST 0.0001 AS"
        " $$ BEGIN RAISE EXCEPTION 'seen %', n; END $$"
    )
    cursor.execute("SELECT * FROM v_review WHERE pg_temp.spy(star_rating)")
    assert cursor.fetchall() == []


def test_the_role_has_limits(db):
    cursor = db.cursor()
    cursor.execute(
        "SELECT rolconfig, rolsuper, rolcreatedb, rolcreaterole FROM pg_roles WHERE rolname = 'geoshops_reader'"
    )
    limits, *powers = cursor.fetchone()
    settings = dict(limit.split("=", 1) for limit in limits)
    assert settings["statement_timeout"] == "2min"
    assert settings["work_mem"] == "64MB"
    assert settings["default_transaction_read_only"] == "on"
    assert powers == [False, False, False]


def test_every_view_suits_desktop_programs(db):
    cursor = db.cursor()
    cursor.execute(
        "SELECT c.relname, a.attnum, a.attname, format_type(a.atttypid, a.atttypmod),"
        " col_description(c.oid, a.attnum), obj_description(c.oid)"
        " FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0"
        " WHERE c.relname = ANY (%s) ORDER BY 1, 2",
        (sorted(VIEWS),),
    )
    for view, place, column, kind, comment, about in cursor.fetchall():
        assert comment, f"{view}.{column} has no comment"
        assert about, f"{view} has no comment"
        if place == 1:
            assert (column, kind) == ("id", "bigint"), view
        if column == "geom":
            assert kind.startswith("geometry("), view
            assert kind.endswith(",4326)"), view


def test_first_columns_are_unique(db, make):
    shops = [make.shop() for _ in range(3)]
    for _ in range(3):
        member = make.member()
        for shop in shops:
            make.favorite(member, shop)
    make.sql("UPDATE favorites SET created_at = created_at - id * interval '20 hours'")
    ids = make.rows("SELECT id, favorites FROM v_favorite_daily")
    assert len({i for i, _ in ids}) == len(ids)
    assert sum(n for _, n in ids) == 9


SEARCHES = {
    "shops_within": "SELECT * FROM shops_within('POLYGON((127 37, 128 37, 128 38, 127 38, 127 37))')",
    "shops_along": "SELECT * FROM shops_along('LINESTRING(127.0 37.4979, 127.1 37.4979)', 200)",
    "shops_meet": "SELECT * FROM shops_meet(ARRAY[point_at(127, 37.5), point_at(127.1, 37.5)])",
}


@pytest.mark.parametrize("name", SEARCHES)
def test_searches_by_shape_give_ids_of_shops_that_are_not_closed(reader, make, name):
    make.shop("닫은 지점", status="CLOSED")
    cursor = reader.cursor()
    cursor.execute(SEARCHES[name])
    columns = [column.name for column in cursor.description]
    assert columns[0] == "shop_id"
    assert {*columns[1:]} <= {"along_m", "off_m", "effort_m", "distances_m"}
    assert [row[0] for row in cursor.fetchall()] == [1]


@pytest.mark.parametrize("name", SEARCHES)
def test_searches_by_shape_are_for_analysts_alone(db, reader, name):
    cursor = db.cursor()
    cursor.execute(
        "SELECT p.prosecdef, p.proconfig, has_function_privilege('public', p.oid, 'EXECUTE'),"
        " has_function_privilege('geoshops_reader', p.oid, 'EXECUTE')"
        " FROM pg_proc p WHERE p.proname = %s",
        (name,),
    )
    assert cursor.fetchall() == [(True, ["search_path=public, pg_temp"], False, True)]


def test_tables_of_the_reader_do_not_shadow_the_service_tables(db, reader):
    cursor = reader.cursor()
    # names of temporary tables must not affect a function that runs as the owner
    cursor.execute("CREATE TEMPORARY TABLE shops AS SELECT 99::bigint AS id")
    for statement in SEARCHES.values():
        cursor.execute(statement)
        assert [row[0] for row in cursor.fetchall()] == [1]


def test_an_area_that_crosses_itself_is_an_error_for_the_reader_too(reader):
    with pytest.raises(errors.RaiseException, match="Self-intersection at"):
        reader.cursor().execute("SELECT shops_within('POLYGON((0 0,1 1,1 0,0 1,0 0))')")


def page(name):
    return (ROOT / name).read_text(encoding="utf-8")


def test_the_examples_of_searches_by_shape_run_as_the_reader(reader):
    (block,) = re.findall(
        r"## Search by shape\n[^`]*```sql\n(.*?)```", page("docs/analysts.md"), re.DOTALL
    )
    statements = [statement for statement in block.split(";") if statement.strip()]
    assert len(statements) == len(SEARCHES)
    for statement in statements:
        cursor = reader.cursor()
        cursor.execute(statement)
        assert cursor.fetchall()[0][0] == 1


def test_the_example_of_the_readme_prints_the_documented_output(database_url, db):
    db.cursor().execute(page("sql/examples/town.sql"))
    section = page("sql/README.md").partition("## Searches by shape")[2].partition("\n## ")[0]
    ((command, printed),) = re.findall(r"```sql\n(.*?)```\n+```text\n(.*?)```", section, re.DOTALL)
    psql = ["psql", "-X", "-d", as_role(database_url, "geoshops_reader"), "-c", command]
    output = subprocess.run(psql, capture_output=True, text=True, check=True).stdout
    assert [*map(str.rstrip, output.strip("\n").splitlines())] == printed.splitlines()
