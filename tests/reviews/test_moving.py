"""A change that waits while the review's shop is merged into another lands on the other."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import psycopg2
import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.counters import assert_exact
from tests.make import Maker

CHANGE = {"star_rating": 1, "content": "바꿈", "item": "BAD"}


@pytest.mark.parametrize("method", ["PATCH", "DELETE"])
def test_a_change_follows_the_review(
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
        answer = waiting.result(10)
    merging.close()
    assert answer.status_code == 200, answer.text
    rows = make.rows("SELECT shop_id, star_rating FROM reviews")
    assert rows == ([(new, 1)] if method == "PATCH" else [])
    for shop in (old, new):
        assert_exact(make, shop)


def wait_for_a_lock(make: Maker) -> None:
    """Returns when some session waits for a lock."""
    for _ in range(100):
        if make.sql("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"):
            return
        time.sleep(0.05)
    raise AssertionError("nobody waited")
