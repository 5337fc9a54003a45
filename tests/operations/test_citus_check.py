"""Stage 2 from the catalogs: our schema keeps the rules, the lint finds what breaks them, the new keys serve."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg2
import pytest
from click.testing import CliRunner

from geoshops import create_app
from geoshops.cli import main
from geoshops.operations import citus_check
from tests.conftest import SECRET_KEY, as_role, copied, execute
from tests.make import Maker

FAVORITES = "/favorites?userLat=37.5&userLng=127.0"
SCALE = Path(citus_check.SQL) / "scale"


@pytest.fixture
def copy(server_url: str, template_name: str) -> Iterator[str]:
    """A database of the schema that a test may change."""
    with copied(server_url, template_name, "citus") as url:
        yield url


def broken(url: str) -> dict[str, str]:
    return {f.subject: f.detail for f in citus_check.examine(url) if f.broken}


def work(url: str) -> set[str]:
    return {f.subject.partition("(")[0] for f in citus_check.examine(url) if not f.broken}


def test_our_schema_breaks_no_rule(database_url: str) -> None:
    assert broken(database_url) == {}


def test_the_work_of_stage_2_is_listed(database_url: str) -> None:
    listed = work(database_url)
    assert {"reviews_pkey", "sessions_pkey", "members_nickname_key_unique"} <= listed
    assert {"reviews_member_fkey", "create_review", "count_review", "shop_reviews_json"} <= listed
    # by member, to a reference table, within one group: legal as they are
    assert listed.isdisjoint(
        {"favorites_shop_fkey", "favorites_member_fkey", "member_titles_pkey", "shop_stats_pkey"}
    )


@pytest.mark.parametrize(
    ("change", "subject", "said"),
    [
        ("CREATE TABLE loose (x bigint)", "loose", "no primary key"),
        (
            "CREATE TABLE narrow (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY)",
            "narrow.id",
            "not bigint",
        ),
        (
            "CREATE TRIGGER touched BEFORE UPDATE ON shops FOR EACH ROW EXECUTE FUNCTION"
            " suppress_redundant_updates_trigger()",
            "shops",
            "trigger touched",
        ),
        ("CREATE RULE nothing AS ON DELETE TO shops DO INSTEAD NOTHING", "shops", "rule nothing"),
        (
            "CREATE FUNCTION shout() RETURNS void LANGUAGE sql AS $$ SELECT pg_notify('a', 'b') $$",
            "shout()",
            "pg_notify",
        ),
        (
            "ALTER TABLE reviews DROP CONSTRAINT reviews_shop_fkey, ADD CONSTRAINT reviews_shop_fkey"
            " FOREIGN KEY (shop_id) REFERENCES shops (id) ON DELETE SET NULL",
            "reviews_shop_fkey",
            "sets the distribution column shop_id",
        ),
        ("ALTER TABLE reviews ALTER shop_id DROP NOT NULL", "reviews.shop_id", "not null"),
        ("ALTER TABLE favorites RENAME TO hearts", "favorites", "does not exist"),
    ],
)
def test_a_violated_rule_is_found(copy: str, change: str, subject: str, said: str) -> None:
    execute(copy, change)
    assert said in broken(copy)[subject]


def test_the_command_fails_on_a_violated_rule_only(
    copy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", copy)
    monkeypatch.setenv("GEOSHOPS_OWNER_DATABASE_URL", copy)
    fine = CliRunner().invoke(main, ["db", "check", "--citus"])
    assert fine.exit_code == 0, fine.output
    assert "violated rules: none" in fine.output
    assert "reviews_pkey: does not contain shop_id" in fine.output
    execute(copy, "CREATE TABLE loose (x bigint)")
    assert CliRunner().invoke(main, ["db", "check", "--citus"]).exit_code == 1


@pytest.fixture
def rekeyed(copy: str) -> str:
    """The schema after the first step of stage 2, which was run twice."""
    text = (SCALE / "keys.sql").read_text(encoding="utf-8")
    execute(copy, text, text)
    return copy


def test_the_new_keys_hold_what_distributes_their_table(rekeyed: str) -> None:
    left = {
        f.subject
        for f in citus_check.examine(rekeyed)
        if f.subject.endswith(("key", "pkey", "unique"))
    }
    # a nickname is one over all nodes only by distribute.sql's table of claims
    assert left == {"members_nickname_key_unique"}
    assert broken(rekeyed) == {}


def test_the_service_runs_unchanged_on_the_new_keys(rekeyed: str) -> None:
    app = create_app(
        {
            "database_url": as_role(rekeyed, "geoshops_app"),
            "secret_key": SECRET_KEY,
            "testing": True,
            "log_format": "text",
        }
    )
    with closing(psycopg2.connect(rekeyed)) as connection:
        connection.autocommit = True
        make = Maker(connection)
        shop, headers = make.shop(make.brand()), make.bearer(app, make.member("둘째"))
        client = app.test_client()
        written = client.post(
            f"/reviews/shop/{shop}", json={"star_rating": 5, "content": "좋아요"}, headers=headers
        )
        assert written.status_code == 201
        where = written.headers["Location"]
        assert client.post(f"/favorites/{shop}", headers=headers).status_code == 201
        assert client.get(FAVORITES, headers=headers).json[0]["id"] == shop
        assert client.get(where).json["review_info"]["content"] == "좋아요"
        report = client.post(f"{where}/reports", json={"reason": "SPAM"}, headers=make.bearer(app))
        assert report.status_code == 201
        assert client.delete(where, headers=headers).status_code == 200
        assert make.sql("SELECT count(*) FROM reports") == 0
        assert len(client.get("/auth/sessions", headers=headers).json) == 1
        again = client.post(
            f"/reviews/shop/{shop}", json={"star_rating": 5, "content": "또"}, headers=headers
        )
        client.post(
            f"{again.headers['Location']}/reports",
            json={"reason": "SPAM"},
            headers=make.bearer(app),
        )
        assert make.sql("SELECT count(*) FROM reports") == 1
        withdrawn = client.delete("/member?reviews=delete", headers=headers)
        assert withdrawn.status_code == 200
        assert make.rows((SCALE / "check.sql").read_text(encoding="utf-8")) == []


def test_what_foreign_keys_forbade_is_found_by_the_check(rekeyed: str) -> None:
    check = (SCALE / "check.sql").read_text(encoding="utf-8")
    with closing(psycopg2.connect(rekeyed)) as connection:
        connection.autocommit = True
        make = Maker(connection)
        make.review(make.member("하나"), make.shop(make.brand()))
        assert make.rows(check) == []
        make.sql("UPDATE reviews SET member_id = 987654321")
        assert make.rows(check) == [("review without its author", 1)]


def test_distributing_is_rejected_without_citus(rekeyed: str) -> None:
    text = (SCALE / "distribute.sql").read_text(encoding="utf-8")
    with pytest.raises(psycopg2.errors.RaiseException, match="has no Citus"):
        execute(rekeyed, text)
    rows: list[Any] = [name for name, _ in _tables(rekeyed)]
    assert "member_nicknames" not in rows


def _tables(url: str) -> list[tuple[str, str]]:
    with closing(psycopg2.connect(url)) as connection:
        cursor = connection.cursor()
        cursor.execute("SELECT relname, relkind FROM pg_class WHERE relkind = 'r'")
        return cursor.fetchall()
