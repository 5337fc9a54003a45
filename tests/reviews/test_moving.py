"""Commands of members that wait for a lock while their shop is merged into another or deleted."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg2
import pytest
from flask import Flask
from flask.testing import FlaskClient

from geoshops.shops.corrections import merge
from tests.counters import assert_exact
from tests.make import Maker

CHANGE = {"star_rating": 1, "content": "바꿈", "item": "BAD"}
REVIEW = {"star_rating": 5, "content": "새 글"}


@pytest.mark.parametrize("method", ["PATCH", "DELETE"])
def test_a_change_during_a_merge_applies_to_the_moved_review(
    app: Flask, client: FlaskClient, make: Maker, database_url: str, method: str
) -> None:
    old, new, member = make.shop("옛 지점"), make.shop("새 지점"), make.member()
    review, headers = make.review(member, old, purity="GOOD"), make.bearer(app, member)
    merging = psycopg2.connect(database_url)
    cursor = merging.cursor()
    cursor.execute("SELECT id FROM shops ORDER BY id FOR UPDATE")
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(
            app.test_client().open,
            f"/reviews/{review}",
            method=method,
            json=CHANGE,
            headers=headers,
        )
        wait_for_a_lock(make)
        cursor.execute("UPDATE reviews SET shop_id = %s WHERE id = %s", (new, review))
        cursor.execute("SELECT repair_counters(id) FROM shops ORDER BY id")
        merging.commit()
        response = waiting.result(60)
    merging.close()
    assert response.status_code == 200, response.text
    rows = make.rows("SELECT shop_id, star_rating FROM reviews")
    assert rows == ([(new, 1)] if method == "PATCH" else [])
    for shop in (old, new):
        assert_exact(make, shop)


@pytest.mark.parametrize("path", ["/reviews/shop/{}", "/favorites/{}"])
@pytest.mark.parametrize("reviews", [0, 1])
def test_a_command_on_a_shop_that_is_deleted_meanwhile_is_404(
    app: Flask, client: FlaskClient, make: Maker, database_url: str, path: str, reviews: int
) -> None:
    shop, headers = make.shop(), make.bearer(app)
    for _ in range(reviews):
        make.review(make.member(), shop)
    deleting = psycopg2.connect(database_url)
    cursor = deleting.cursor()
    cursor.execute("DELETE FROM reviews WHERE shop_id = %s", (shop,))
    cursor.execute("DELETE FROM shops WHERE id = %s", (shop,))
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(
            app.test_client().post, path.format(shop), json=REVIEW, headers=headers
        )
        wait_for_a_lock(make)
        deleting.commit()
        response = waiting.result(60)
    deleting.close()
    assert (response.status_code, response.get_json()["error_code"]) == (404, "404"), response.text
    left = "SELECT (SELECT count(*) FROM reviews) + (SELECT count(*) FROM favorites)"
    assert make.sql(left) == 0


@pytest.mark.parametrize("table", ["reviews", "favorites"])
def test_a_new_row_does_not_lock_its_shop(make: Maker, database_url: str, table: str) -> None:
    shop, member = make.shop(), make.member()
    columns, values = "shop_id, member_id, created_at", "%s, %s, now()"
    if table == "reviews":
        columns, values = (
            f"{columns}, modified_at, star_rating, content",
            f"{values}, now(), 5, 'a'",
        )
    writing = psycopg2.connect(database_url)
    cursor = writing.cursor()
    cursor.execute(f"INSERT INTO {table} ({columns}) VALUES ({values})", (shop, member))
    assert make.sql("SELECT id FROM shops WHERE id = %s FOR UPDATE NOWAIT", shop) == shop
    writing.rollback()
    cursor.execute(f"INSERT INTO {table} ({columns}) VALUES ({values})", (-1, member))
    with pytest.raises(psycopg2.errors.ForeignKeyViolation):
        writing.commit()
    writing.close()


COMMANDS = {
    "reviews": "SELECT create_review(%(member)s, %(session)s, %(shop)s, 5, 'a', 'GOOD', 'GOOD', 'GOOD', now(), 'UTC', '', 0,"
    " NULL, NULL)",
    "favorites": "SELECT add_favorite(%(member)s, %(session)s, %(shop)s, NULL, NULL, now(), 'UTC', '', NULL, NULL)",
    "reports": "SELECT create_report(%(member)s, %(session)s, NULL, %(shop)s, 'CLOSED', '', now(), 'UTC')",
}


@pytest.mark.parametrize("table", COMMANDS)
@pytest.mark.parametrize("reviews", [0, 1])
def test_a_merge_includes_uncommitted_commands(
    make: Maker, database_url: str, table: str, reviews: int
) -> None:
    old, new, member = make.shop("옛 지점"), make.shop("새 지점"), make.member()
    for _ in range(reviews):
        make.review(make.member(), old)
    arguments = {"member": member, "session": make.session(member), "shop": old}
    writing = psycopg2.connect(database_url)
    writing.cursor().execute(COMMANDS[table], arguments)
    merge_during(writing, make, database_url, old, new)
    assert make.rows(f"SELECT DISTINCT shop_id FROM {table}") == [(new,)]
    for shop in (old, new):
        assert_exact(make, shop)


def test_a_merge_and_a_second_favorite_of_the_same_member_do_not_deadlock(
    make: Maker, database_url: str
) -> None:
    old, new, member = make.shop("옛 지점"), make.shop("새 지점"), make.member()
    arguments = {"member": member, "session": make.session(member)}
    writing = psycopg2.connect(database_url)
    cursor = writing.cursor()
    cursor.execute(COMMANDS["favorites"], {**arguments, "shop": old})
    writing.commit()
    cursor.execute(COMMANDS["favorites"], {**arguments, "shop": new})
    merge_during(writing, make, database_url, old, new)
    assert make.rows("SELECT shop_id FROM favorites") == [(new,)]
    for shop in (old, new):
        assert_exact(make, shop)


def test_a_favorite_removed_during_a_merge_is_removed_from_the_remaining_shop(
    app: Flask, client: FlaskClient, make: Maker, database_url: str
) -> None:
    old, new, member = make.shop("옛 지점"), make.shop("새 지점"), make.member()
    make.favorite(member, old)
    headers = make.bearer(app, member)
    merging = psycopg2.connect(database_url)
    merge(merging.cursor(), old, new, "2026-01-01", "twice")
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(app.test_client().delete, f"/favorites/{old}", headers=headers)
        wait_for_a_lock(make)
        merging.commit()
        response = waiting.result(60)
    merging.close()
    assert response.get_json() == {"shop_id": new, "favorite": False, "favorite_cnt": 0}
    assert make.rows("SELECT shop_id FROM favorites") == []
    for shop in (old, new):
        assert_exact(make, shop)


def test_writes_to_a_merged_shop_go_to_the_remaining_shop(
    app: Flask, client: FlaskClient, make: Maker, database_url: str
) -> None:
    old, new, kept = make.shop("옛 지점"), make.shop("새 지점"), make.shop("남은 지점")
    headers = make.bearer(app)
    for duplicate, into in ((old, new), (new, kept)):
        with psycopg2.connect(database_url) as merging:
            merge(merging.cursor(), duplicate, into, "2026-01-01", "twice")
        merging.close()
    written = client.post(f"/reviews/shop/{old}", json=REVIEW, headers=headers)
    assert (written.status_code, written.json["shop_info"]["id"]) == (201, kept)
    added = client.post(f"/favorites/{new}", headers=headers)
    assert (added.status_code, added.json["shop"]["id"]) == (201, kept)
    assert added.headers["Location"].endswith(f"/favorites/{kept}")
    assert client.post(f"/favorites/{old}", headers=headers).status_code == 200
    for shop in (old, new, kept):
        assert_exact(make, shop)
    removed = client.delete(f"/favorites/{old}", headers=headers)
    assert removed.json == {"shop_id": kept, "favorite": False, "favorite_cnt": 0}


def test_a_command_that_waits_for_a_second_merge_goes_to_the_last_remaining_shop(
    app: Flask, client: FlaskClient, make: Maker, database_url: str
) -> None:
    old, new, kept = make.shop("옛 지점"), make.shop("새 지점"), make.shop("남은 지점")
    headers = make.bearer(app)
    merging = psycopg2.connect(database_url)
    merge(merging.cursor(), old, new, "2026-01-01", "twice")
    merging.commit()
    merge(merging.cursor(), new, kept, "2026-01-01", "thrice")
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(
            app.test_client().post, f"/reviews/shop/{old}", json=REVIEW, headers=headers
        )
        wait_for_a_lock(make)
        merging.commit()
        response = waiting.result(60)
    merging.close()
    assert (response.status_code, response.get_json()["shop_info"]["id"]) == (201, kept)
    for shop in (old, new, kept):
        assert_exact(make, shop)


def merge_during(writing: Any, make: Maker, database_url: str, old: int, new: int) -> None:
    """Merges two shops while a command on another connection is not committed; commits it once the merge waits."""
    merging = psycopg2.connect(database_url)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(merge, merging.cursor(), old, new, "2026-01-01", "twice")
        wait_for_a_lock(make)
        writing.commit()
        waiting.result(60)
    merging.commit()
    writing.close(), merging.close()


def wait_for_a_lock(make: Maker) -> None:
    """Returns as soon as a session waits for a lock."""
    for _ in range(600):
        if make.sql("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"):
            return
        time.sleep(0.05)
    raise AssertionError("no session waited for a lock")
