"""The number of a brand's shops that GET /brands returns: exact after every command that changes shops."""

from __future__ import annotations

import json
import threading
from contextlib import closing
from typing import Any

import psycopg2
from flask import Flask
from flask.testing import FlaskClient

from geoshops.reviews.commands import recount
from tests.importing.conftest import Run
from tests.importing.test_corrections import HEAD, OPTIONS, ROW, Summary, Write, ok
from tests.make import Maker

REASON = ("--reason", "asked on the spot")


def counts(client: FlaskClient) -> dict[str, int]:
    return {b["brand_name"]: b["shop_cnt"] for b in client.get("/brands").get_json()}


def test_imports_count_the_shops_of_brands(
    client: FlaskClient, make: Maker, summary: Summary, write: Write
) -> None:
    make.brand("인생네컷")
    make.brand("하루필름")
    other = ROW.replace("1,인생네컷 강남점,인생네컷", "2,하루필름 강남점,하루필름")
    path = write(HEAD, ROW, other)
    summary("import", "shops", path, *OPTIONS)
    assert counts(client) == {"인생네컷": 1, "하루필름": 1}
    summary(
        "import", "shops", write(HEAD, ROW.replace("영업,", "폐업,2024-01-01"), other), *OPTIONS
    )
    assert counts(client) == {"인생네컷": 0, "하루필름": 1}
    summary("import", "shops", write(HEAD, ROW), *OPTIONS, "--on-missing", "close")
    assert counts(client) == {"인생네컷": 1, "하루필름": 0}


def test_corrections_count_the_shops_of_brands(client: FlaskClient, make: Maker, run: Run) -> None:
    first = make.brand("인생네컷")
    make.brand("하루필름")
    shops = [make.shop(f"인생네컷 {n}호점", brand_id=first) for n in range(4)]
    make.shop("비룸 홍대점", brand_id=None)
    ok(run, "shops", "close", shops[0], *REASON)
    assert counts(client) == {"인생네컷": 3, "하루필름": 0}
    ok(run, "shops", "set", shops[1], "brand=하루필름", *REASON)
    assert counts(client) == {"인생네컷": 2, "하루필름": 1}
    ok(run, "shops", "merge", shops[2], shops[3], *REASON)
    assert counts(client) == {"인생네컷": 1, "하루필름": 1}
    ok(run, "shops", "set", shops[0], "status=OPEN", *REASON)
    assert counts(client) == {"인생네컷": 2, "하루필름": 1}
    ok(run, "brands", "add", "비룸")
    assert counts(client) == {"인생네컷": 2, "하루필름": 1, "비룸": 1}
    assert make.rows("SELECT * FROM brand_counter_differences") == []


def test_recount_repairs_counters_changed_in_sql(
    app: Flask, client: FlaskClient, make: Maker
) -> None:
    runner = app.test_cli_runner()
    brand = make.brand("인생네컷")
    for n in range(3):
        make.shop(f"s{n}", brand_id=brand)
    make.sql("UPDATE shops SET status = 'CLOSED' WHERE place_name = 's0'")
    checked = runner.invoke(recount, ["--check"])
    assert (checked.exit_code, checked.output.splitlines()) == (
        1,
        [f"brand {brand}: shop_cnt is 3, counted 2", "0 shops and 1 brands differed"],
    )
    assert counts(client) == {"인생네컷": 3}, "a check repairs nothing"
    report = json.loads(runner.invoke(recount, ["--json"]).output)
    assert report == {"differing": 1, "repaired": 1, "shop_ids": [], "brand_ids": [brand]}
    assert counts(client) == {"인생네컷": 2}


def test_concurrent_recounts_run_one_after_the_other(make: Maker, database_url: str) -> None:
    brand = make.brand("인생네컷")
    shops = [make.shop(f"s{n}", brand_id=brand) for n in range(3)]
    close = "UPDATE shops SET status = 'CLOSED' WHERE id = %s"
    results: list[Any] = []

    def second() -> None:
        with closing(psycopg2.connect(database_url)) as connection, connection.cursor() as cursor:
            cursor.execute(close, (shops[1],))
            cursor.execute("SELECT refresh_brand_counts()")
            results.extend(cursor.fetchone() or ())
            connection.commit()

    with closing(psycopg2.connect(database_url)) as connection, connection.cursor() as cursor:
        cursor.execute(close, (shops[0],))
        cursor.execute("SELECT refresh_brand_counts()")
        waiting = threading.Thread(target=second)
        waiting.start()
        waiting.join(0.5)
        assert waiting.is_alive() and not results
        connection.commit()
        waiting.join(60)
    assert results == [1]
    assert make.sql("SELECT shop_cnt FROM brands") == 1


def test_the_list_of_brands_reads_no_shop(client: FlaskClient, make: Maker) -> None:
    make.shop()
    make.sql("BEGIN; LOCK TABLE shops IN ACCESS EXCLUSIVE MODE")
    try:
        assert client.get("/brands").status_code == 200
    finally:
        make.sql("ROLLBACK")
