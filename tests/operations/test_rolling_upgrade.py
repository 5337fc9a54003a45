"""Workers of two releases on one database: the functions that older workers call still exist, and no request fails."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import requests
from flask import Flask

from geoshops.database import migrations
from tests.conftest import ROOT, SECRET_KEY
from tests.make import Maker
from tests.operations.signatures import Function, broken, functions, recorded
from tests.server import serving

RULES = "docs/contributing.md, Change an SQL function, has the rules"
OLD = Function("f", ["bigint", "text"], 0, {"body": "text"})
OTHERS = [Function("g", [], 0, {"": "text"})]


def test_functions_that_the_previous_release_calls_still_exist(connection: Any) -> None:
    released = recorded()
    assert len(released) > 40
    assert list(broken(released, functions(connection))) == [], RULES


@pytest.mark.parametrize(
    ("present", "message"),
    [
        ([OLD], ""),
        # a parameter with a default at the end, a column more
        ([replace(OLD, takes=["bigint", "text", "date"], defaults=1)], ""),
        ([replace(OLD, returns={"body": "text", "status": "integer"})], ""),
        # overloads that take other numbers of parameters
        ([OLD, replace(OLD, takes=["bigint"]), replace(OLD, takes=["bigint", "text", "date"])], ""),
        ([], "f(bigint, text) is gone"),
        ([replace(OLD, takes=["bigint", "text", "date"])], "f(bigint, text) is gone"),
        ([replace(OLD, takes=["bigint", "date"])], "f(bigint, text) takes other parameters now: f(bigint, date)"),
        ([OLD, replace(OLD, takes=["bigint", "date"])], "f(bigint, text) may be any of f(bigint, text), f(bigint, date)"),
        ([replace(OLD, returns={"body": "json"})], "f(bigint, text) returned {'body': 'text'}, now {'body': 'json'}"),
        ([replace(OLD, returns={"": "text"})], "f(bigint, text) returned {'body': 'text'}, now {'': 'text'}"),
    ],
)  # fmt: skip
def test_a_call_that_would_fail_is_reported(present: list[Function], message: str) -> None:
    assert list(broken([OLD], [*present, *OTHERS])) == ([message] if message else [])


def edit(path: Path, *changes: tuple[str, str]) -> None:
    text = path.read_text(encoding="utf-8")
    for before, after in changes:
        assert text.count(before) == 1, (path, before)
        text = text.replace(before, after)
    path.write_text(text, encoding="utf-8")


def definition(path: Path, name: str) -> str:
    """The text from CREATE to COMMENT."""
    pattern = rf"^CREATE OR REPLACE FUNCTION {name}\(.*?(?=^COMMENT)"
    match = re.search(pattern, path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert match
    return match[0]


@pytest.fixture
def newer(tmp_path: Path) -> Path:
    """A checkout of the next release, which changes three function signatures by the rules of docs/contributing.md."""
    without = shutil.ignore_patterns("node_modules", "vendor", "__pycache__", "data")
    for name in ("geoshops", "sql"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=without)
    shutil.copy(ROOT / "wsgi.py", tmp_path)
    favorites, reviews = (
        tmp_path / "sql" / "functions" / name for name in ("80_favorites.sql", "70_reviews.sql")
    )
    previous = definition(favorites, "remove_favorite") + definition(reviews, "shop_reviews_json")
    (tmp_path / "sql" / "functions" / "previous.sql").write_text(previous, encoding="utf-8")
    # 1. one more parameter, at the end, with a default
    of_list = (
        "bigint, bigint, double precision, double precision, text, integer, integer, integer, text"
    )
    edit(favorites,
         ("page_offset integer, lang text DEFAULT NULL\n) RETURNS",
          "page_offset integer, lang text DEFAULT NULL, note text DEFAULT ''\n) RETURNS"),
         (f"COMMENT ON FUNCTION favorites_json({of_list})", f"COMMENT ON FUNCTION favorites_json({of_list}, text)"))  # fmt: skip
    # 2. parameters in another order: a new name, and the old definition in previous.sql
    edit(favorites,
         ("FUNCTION remove_favorite(\n  member bigint, session bigint, shop bigint,",
          "FUNCTION favorite_end(\n  shop bigint, member bigint, session bigint,"),
         ("COMMENT ON FUNCTION remove_favorite\n", "COMMENT ON FUNCTION favorite_end\n"))  # fmt: skip
    edit(tmp_path / "geoshops" / "favorites" / "queries.py",
         ('named("at_most", "page_size", "page_offset", "lang")', 'named("at_most", "page_size", "page_offset", "lang", note=func.lower("NEW"))'),
         ("func.remove_favorite(", "func.favorite_end("))  # fmt: skip
    # 3. columns instead of a text: the same
    text = reviews.read_text(encoding="utf-8").replace("shop_reviews_json", "shop_reviews_text")
    text += """
CREATE OR REPLACE FUNCTION shop_reviews(
  shop bigint, sort text, zone text, at_most integer, page_size integer, page_offset integer, lang text,
  OUT listed text, OUT made_at timestamptz
)
LANGUAGE sql STABLE AS $$ SELECT shop_reviews_text(shop, sort, zone, at_most, page_size, page_offset, lang), now() $$;
"""
    reviews.write_text(text, encoding="utf-8")
    edit(tmp_path / "geoshops" / "reviews" / "queries.py",
         ('func.shop_reviews_json(*named("shop", "sort", "zone", *CUT, "lang"))',
          'func.shop_reviews(*named("shop", "sort", "zone", *CUT, "lang")).table_valued("listed").c.listed'))  # fmt: skip
    return tmp_path


def add_a_result_column(newer: Path) -> None:
    """CREATE OR REPLACE cannot change result columns, so the upgrade drops all functions and recreates them."""
    edit(newer / "sql" / "functions" / "80_favorites.sql",
         ("OUT item_id bigint, OUT replayed boolean", "OUT item_id bigint, OUT replayed boolean, OUT note text"))  # fmt: skip


def upgrade(checkout: Path, url: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "geoshops", "db", "upgrade"],
        cwd=checkout, capture_output=True, text=True, timeout=180,
        env={**os.environ, "DATABASE_URL": url, "GEOSHOPS_OWNER_DATABASE_URL": url, "GEOSHOPS_SECRET_KEY": SECRET_KEY},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def upgraded(newer: Path, database_url: str, connection: Any) -> Iterator[Callable[[], str]]:
    """Upgrades the database to the next release; afterwards restores the schema of this release."""
    yield lambda: upgrade(newer, database_url)
    migrations.reset(database_url)
    migrations.upgrade(database_url, lambda _: None)


class Clients:
    """Two clients per server, which repeat the requests whose SQL functions change."""

    def __init__(self, shop: int, bearer: dict[str, str]) -> None:
        self.shop, self.bearer = shop, bearer
        self.stopping = threading.Event()
        self.counts: Counter[tuple[str, str, int]] = Counter()
        self.errors: list[str] = []

    def repeat(self, origin: str) -> None:
        calls = (
            ("GET", "/favorites?userLat=37.5&userLng=127"),
            ("POST", f"/favorites/{self.shop}?userLat=37.5&userLng=127"),
            ("DELETE", f"/favorites/{self.shop}"),
            ("GET", f"/reviews/shop/{self.shop}"),
        )
        with requests.Session() as session:
            # paced, because the upgrade and the new server need the processors
            while not self.stopping.wait(0.02):
                for method, path in calls:
                    response = session.request(
                        method, origin + path, headers=self.bearer, timeout=20
                    )
                    self.counts[origin, method, response.status_code] += 1
                    if not response.ok:
                        self.errors.append(
                            f"{method} {path}: {response.status_code} {response.text}"
                        )

    def wait_for(self, more: int, *origins: str) -> None:
        """Waits until each of these servers has sent this many more responses."""
        before = {origin: self.of(origin) for origin in origins}
        until = time.monotonic() + 60
        while any(self.of(origin) < count + more for origin, count in before.items()):
            assert time.monotonic() < until, self.counts
            time.sleep(0.05)

    def of(self, origin: str) -> int:
        return sum(count for (at, _, _), count in self.counts.copy().items() if at == origin)

    @contextmanager
    def running(self, pool: ThreadPoolExecutor, origin: str) -> Iterator[None]:
        futures = [pool.submit(self.repeat, origin) for _ in range(2)]
        yield
        self.stopping.set()
        for future in futures:
            future.result()


@pytest.mark.parametrize(
    "change", [lambda _: None, add_a_result_column], ids=["in_place", "recreated"]
)
def test_workers_of_both_releases_serve_side_by_side(
    newer: Path, upgraded: Callable[[], str], app: Flask, make: Maker, connection: Any,
    database_url: str, service_url: str, change: Callable[[Path], None],
) -> None:  # fmt: skip
    change(newer)
    shop = make.shop()
    make.review(make.member(), shop)
    clients = Clients(shop, make.bearer(app))
    with (
        ThreadPoolExecutor() as pool,
        serving(service_url, SECRET_KEY) as old,
        clients.running(pool, old),
    ):
        clients.wait_for(20, old)
        output = upgraded()
        assert ("recreating" in output) is (change is add_a_result_column)
        clients.wait_for(20, old)
        with serving(service_url, SECRET_KEY, checkout=newer) as new, clients.running(pool, new):
            clients.wait_for(100, old, new)
    assert clients.errors == []
    assert {status for _, _, status in clients.counts} <= {200, 201}
    assert list(broken(recorded(), functions(connection))) == []


def test_a_changed_signature_without_the_old_one_is_reported(
    newer: Path, upgraded: Callable[[], str], connection: Any
) -> None:
    path = newer / "sql" / "functions" / "80_favorites.sql"
    edit(path, ("lang text DEFAULT NULL, note text DEFAULT ''", "lang text, note text"))
    upgraded()
    (message,) = broken(recorded(), functions(connection))
    assert message.startswith("favorites_json(") and message.endswith(" is gone")


def test_upgrades_keep_the_old_definitions_until_they_are_dropped(
    newer: Path, upgraded: Callable[[], str], connection: Any, database_url: str
) -> None:
    upgraded()
    # this release also corrects a function
    path = newer / "sql" / "functions" / "80_favorites.sql"
    path.write_text(path.read_text(encoding="utf-8") + "\n-- corrected\n", encoding="utf-8")
    upgraded()
    assert list(broken(recorded(), functions(connection))) == []
    # the following release
    (newer / "sql" / "functions" / "previous.sql").unlink()
    (newer / "sql" / "changes" / "20990101_previous.sql").write_text(
        "DROP FUNCTION IF EXISTS remove_favorite(bigint, bigint, bigint);\n"
        "DROP FUNCTION IF EXISTS shop_reviews_json(bigint, text, text, integer, integer, integer, text);\n"
    )
    upgraded()
    assert sorted(broken(recorded(), functions(connection))) == [
        "remove_favorite(member bigint, session bigint, shop bigint) is gone",
        "shop_reviews_json(shop bigint, sort text, zone text, at_most integer, page_size integer, page_offset integer) is gone",
    ]
