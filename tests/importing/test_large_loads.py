"""Large first loads: the radius search is ready before the keyword search, and interrupted work is completed."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg2
import pytest
from flask.testing import FlaskClient

from geoshops.config import Settings
from geoshops.database import deferred_indexes, migrations
from geoshops.operations import doctor
from tests.conftest import SECRET_KEY
from tests.importing.conftest import Run
from tests.make import Maker

Summary = Callable[..., dict[str, Any]]
Write = Callable[..., Path]
HEAD = "source_id,name,lon,lat"
OIDS = "SELECT indexrelid FROM pg_index WHERE indrelid = 'shops'::regclass ORDER BY 1"
DEFINITIONS = (
    "SELECT indexname, indexdef FROM pg_indexes WHERE tablename = 'shops' ORDER BY 1",
    "SELECT conname, pg_get_constraintdef(oid), convalidated, obj_description(oid) FROM pg_constraint"
    " WHERE 'shops'::regclass IN (conrelid, confrelid) ORDER BY 1",
    "SELECT c.conname, t.tgrelid::regclass::text, t.tgfoid::regproc::text, t.tgenabled FROM pg_trigger t"
    " JOIN pg_constraint c ON c.oid = t.tgconstraint"
    " WHERE 'shops'::regclass IN (c.conrelid, c.confrelid) ORDER BY 1, 2, 3",
)
FOREIGN_KEYS = (
    "SELECT oid FROM pg_constraint WHERE conrelid = 'shops'::regclass AND contype = 'f' ORDER BY 1"
)


# how often consecutive rows of the table lie in different cities (of two)
CITY_CHANGES = """
SELECT count(*) FROM (
  SELECT ST_X(geog::geometry) > 128 AS busan, lag(ST_X(geog::geometry) > 128) OVER (ORDER BY ctid) AS before FROM shops
) q WHERE busan <> before"""


def rows(*numbers: int) -> list[str]:
    return [HEAD, *(f"{n},가게 {n}호점,127.{n:03},37.5" for n in numbers)]


def missing(url: str) -> set[str]:
    with closing(psycopg2.connect(url)) as connection:
        return set(deferred_indexes.missing(connection))


@pytest.fixture
def every_load_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deferred_indexes, "LEAST_ROWS", 1)


@pytest.fixture
def interrupted(
    every_load_is_large: None, run: Run, write: Write, make: Maker, monkeypatch: pytest.MonkeyPatch
) -> Run:
    """A first load that was killed between its commit and the building of the search indexes."""

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("geoshops.importing.commands.build_missing", killed)
        result = run("import", "shops", write(*rows(*range(30))), "--source", "own")
    assert result.exit_code == 3
    assert "interrupted after the commit: the import is complete" in result.output
    assert "geoshops db upgrade" in result.output
    return run


def test_a_large_first_load_leaves_every_index_and_rule_as_it_was(
    every_load_is_large: None, summary: Summary, write: Write, make: Maker
) -> None:
    before = [make.rows(query) for query in DEFINITIONS]
    report = summary("import", "shops", write(*rows(*range(30))), "--source", "own")
    assert report["inserted"] == 30
    assert report["keyword_seconds"] > report["seconds"]
    assert [make.rows(query) for query in DEFINITIONS] == before
    for column in ("brand_id", "sido_id", "sigungu_id", "dong_id", "merged_into_id"):
        with pytest.raises(psycopg2.errors.ForeignKeyViolation):
            make.sql(f"UPDATE shops SET {column} = 999999, status = 'CLOSED'")


def test_a_foreign_key_that_was_never_validated_stays_so(
    every_load_is_large: None, summary: Summary, write: Write, make: Maker
) -> None:
    make.sql("ALTER TABLE shops DROP CONSTRAINT shops_dong_fkey")
    key = "ALTER TABLE shops ADD CONSTRAINT shops_dong_fkey FOREIGN KEY (dong_id) REFERENCES regions (id)"
    make.sql(f"{key} NOT VALID")
    try:
        summary("import", "shops", write(*rows(*range(30))), "--source", "own")
        assert make.rows(
            "SELECT convalidated FROM pg_constraint WHERE conname = 'shops_dong_fkey'"
        ) == [(False,)]
    finally:
        make.sql("ALTER TABLE shops VALIDATE CONSTRAINT shops_dong_fkey")


def test_a_load_drops_no_index_while_tables_are_in_use(
    every_load_is_large: None, monkeypatch: pytest.MonkeyPatch, summary: Summary, write: Write,
    make: Maker, database_url: str,
) -> None:  # fmt: skip
    monkeypatch.setattr(deferred_indexes, "LOCK_ATTEMPTS", 2)
    before = [make.rows(query) for query in (OIDS, FOREIGN_KEYS)]
    with closing(psycopg2.connect(database_url)) as reader:
        reader.cursor().execute("SELECT count(*) FROM regions")
        report = summary("import", "shops", write(*rows(*range(30))), "--source", "own")
    assert (report["inserted"], report["keyword_seconds"]) == (30, None)
    assert [make.rows(query) for query in (OIDS, FOREIGN_KEYS)] == before


def test_a_load_and_a_command_on_several_tables_cannot_deadlock(
    every_load_is_large: None, summary: Summary, write: Write, make: Maker, database_url: str
) -> None:
    """A command has read regions and will lock shops; the load is about to lock both."""
    with closing(psycopg2.connect(database_url)) as command:
        cursor = command.cursor()
        cursor.execute("SELECT count(*) FROM regions")
        counted: list[Any] = []

        def read_shops() -> None:
            wait_for_a_blocked_session(make)
            cursor.execute("SELECT count(*) FROM shops")
            counted.append(cursor.fetchone())
            command.rollback()

        thread = threading.Thread(target=read_shops)
        thread.start()
        report = summary("import", "shops", write(*rows(*range(30))), "--source", "own")
        thread.join()
    assert counted == [(0,)]
    assert (report["inserted"], report["keyword_seconds"] > 0) == (30, True)


def test_a_load_beside_many_shops_touches_no_index(
    every_load_is_large: None, summary: Summary, write: Write, make: Maker
) -> None:
    summary("import", "shops", write(*rows(*range(10))), "--source", "own")
    before = make.rows(OIDS)
    report = summary("import", "shops", write(*rows(*range(30))), "--source", "own")
    assert (report["inserted"], report["keyword_seconds"]) == (20, None)
    assert make.rows(OIDS) == before


def test_a_failed_or_dry_large_load_leaves_the_very_same_indexes(
    every_load_is_large: None, run: Run, write: Write, make: Maker
) -> None:
    before = [make.rows(query) for query in (OIDS, FOREIGN_KEYS)]
    path = write(*rows(*range(30)))
    assert run("import", "shops", path, "--source", "own", "--dry-run").exit_code == 0
    make.sql("ALTER TABLE shops ADD CONSTRAINT no_five CHECK (source_id <> '5') NOT VALID")
    try:
        assert run("import", "shops", path, "--source", "own").exit_code == 1
    finally:
        make.sql("ALTER TABLE shops DROP CONSTRAINT no_five")
    assert [make.rows(query) for query in (OIDS, FOREIGN_KEYS)] == before
    assert make.sql("SELECT count(*) FROM shops") == 0


def test_both_searches_are_correct_without_the_deferred_indexes(
    interrupted: Run, client: FlaskClient, database_url: str
) -> None:
    assert missing(database_url) == set(deferred_indexes.built_later())
    near = client.get(
        "/shops/brand?userLat=37.5&userLng=127&mapLat=37.5&mapLng=127.005&radius=50&allBrands=true"
    )
    assert [s["place_name"] for s in near.json or []] == ["가게 5호점"]
    before = client.get("/shops?keyword=가게 7호점&userLat=37.5&userLng=127").json
    assert next(s["place_name"] for s in before or []) == "가게 7호점"
    deferred_indexes.build_missing(database_url, lambda _: None)
    assert client.get("/shops?keyword=가게 7호점&userLat=37.5&userLng=127").json == before


def test_doctor_lists_missing_indexes_and_upgrade_builds_them(
    interrupted: Run, database_url: str
) -> None:
    settings = Settings(database_url=database_url, secret_key=SECRET_KEY)
    finding = doctor.check_schema(settings)
    assert "index shops_words_idx missing" in finding.detail
    assert finding.remedy == "geoshops db upgrade"
    messages: list[str] = []
    assert migrations.upgrade(database_url, messages.append) == 0
    assert sum(text.startswith("index ") for text in messages) == len(
        deferred_indexes.built_later()
    )
    assert any(text.startswith("index shops_words_idx (") for text in messages)
    assert doctor.check_schema(settings).ok
    assert migrations.upgrade(database_url, messages.append) == 0


def test_the_next_import_builds_missing_indexes(
    interrupted: Run, summary: Summary, write: Write, database_url: str
) -> None:
    report = summary("import", "shops", write(*rows(*range(30))), "--source", "own")
    assert (report["unchanged"], report["keyword_seconds"] > 0) == (30, True)
    assert missing(database_url) == set()


def test_two_builders_at_once_do_not_disturb_each_other(
    interrupted: Run, database_url: str
) -> None:
    built: list[int] = []
    threads = [
        threading.Thread(
            target=lambda: built.append(
                deferred_indexes.build_missing(database_url, lambda _: None)
            )
        )
        for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(built) == [0, 0, len(deferred_indexes.built_later())]


def test_imports_wait_for_each_other(
    summary: Summary, write: Write, make: Maker, database_url: str
) -> None:
    with closing(psycopg2.connect(database_url)) as other:
        other.cursor().execute("LOCK TABLE brands IN SHARE UPDATE EXCLUSIVE MODE")

        def add_a_brand() -> None:
            wait_for_a_blocked_session(make)
            make.sql("INSERT INTO brands (name) VALUES ('딴 브랜드')")
            other.rollback()

        thread = threading.Thread(target=add_a_brand)
        thread.start()
        report = summary("import", "shops", write(*rows(1, 2, 3)), "--source", "own")
        thread.join()
    assert report["inserted"] == 3
    assert make.sql("SELECT name FROM brands") == "딴 브랜드", "readers and members go on"


def test_members_and_an_import_lock_shops_in_one_order(
    summary: Summary, write: Write, make: Maker, database_url: str
) -> None:
    """The file lists the shops in reverse order; a member's command locks the first one and then the last."""
    numbers = range(200)
    summary("import", "shops", write(*rows(*numbers)), "--source", "own")
    backwards = [line.replace("가게", "새 가게") for line in rows(*reversed(numbers))]
    ids = [shop_id for (shop_id,) in make.rows("SELECT id FROM shops ORDER BY id")]
    count = "UPDATE shops SET favorite_cnt = favorite_cnt + 1 WHERE id = %s"
    with closing(psycopg2.connect(database_url)) as member:
        cursor = member.cursor()
        cursor.execute(count, (ids[0],))

        def want_the_last() -> None:
            wait_for_a_blocked_session(make)
            cursor.execute(count, (ids[-1],))
            member.commit()

        thread = threading.Thread(target=want_the_last)
        thread.start()
        report = summary("import", "shops", write(*backwards), "--source", "own")
        thread.join()
    assert report["updated"] == 200
    counts = make.rows("SELECT favorite_cnt FROM shops ORDER BY id")
    assert (counts[0], counts[-1], counts[1]) == ((1,), (1,), (0,)), "no count is lost"


def wait_for_a_blocked_session(make: Maker) -> None:
    until = time.monotonic() + 20
    while not make.sql("SELECT count(*) FROM pg_locks WHERE NOT granted"):
        assert time.monotonic() < until
        time.sleep(0.05)


def test_shops_are_stored_beside_their_neighbours(
    summary: Summary, write: Write, make: Maker
) -> None:
    cities = ("127.0276,37.4979", "129.0600,35.1600")
    lines = (f"{n},가게 {n}호점,{cities[n % 2]}" for n in range(40))
    assert summary("import", "shops", write(HEAD, *lines), "--source", "own")["inserted"] == 40
    assert make.rows(CITY_CHANGES) == [(1,)]
