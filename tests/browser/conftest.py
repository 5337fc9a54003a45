"""Fixtures of the browser tests: the running service with sample data, and Debian's Chromium."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Generator, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg2
import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from tests.auth import idp as provider
from tests.browser.server import MAP, running_server
from tests.browser.visitor import FLAGS, PATIENCE_MS, Visitor
from tests.conftest import alone_on, copied, execute

ARTEFACTS = Path("artefacts/browser")
FAILED = pytest.StashKey[bool]()
TODAY = "2026-11-20"
# The settings of a demo in this checkout (.env) must not reach the tests' service.
ALONE = {
    "FLASK_SKIP_DOTENV": "1",
    "GEOSHOPS_TESTING": "1",
    "GEOSHOPS_OWNER_DATABASE_URL": "",
    "GEOSHOPS_MAP_STYLE_URL": "off",
}

expect.set_options(timeout=PATIENCE_MS)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks all tests of this folder as browser tests."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, Any]:
    """Records which tests failed, because screenshots are taken only for these: they are slow."""
    report = yield
    if report.failed:
        item.stash[FAILED] = True
    return report


@pytest.fixture(scope="session")
def chromium() -> str:
    """Path of Chromium; skips the test if it or the front-end packages are missing."""
    names = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
    path = os.environ.get("GEOSHOPS_CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    if not path:
        pytest.skip("no Chromium (apt-get install chromium-headless-shell fonts-nanum)")
    if not (MAP / "static/vendor/maplibre-gl").is_dir():
        pytest.skip("the front-end packages are missing (scripts/setup)")
    return str(path)


@pytest.fixture(scope="session")
def axe() -> str:
    """Source of axe-core."""
    path = MAP / "node_modules/axe-core/axe.min.js"
    if not path.is_file():
        pytest.skip("axe-core is missing (scripts/test fetches it)")
    return path.read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def sample_url(server_url: str, template_name: str) -> Iterator[str]:
    """URL of a separate database with a small generated country; the first test process seeds it for all."""
    seeded = f"geoshops_seeded_{os.environ.get('PYTEST_XDIST_TESTRUNUID', os.getpid())}"
    with ExitStack() as copies:
        with alone_on(server_url):
            if not exists(server_url, seeded):
                with copied(server_url, template_name, "seeding") as url:
                    seed(url)
                    execute(server_url, f"ALTER DATABASE {database_of(url)} RENAME TO {seeded}")
            url = copies.enter_context(copied(server_url, seeded, "browser"))
        yield url
        with alone_on(server_url):
            execute(server_url, f"DROP DATABASE IF EXISTS {seeded} WITH (FORCE)")


def database_of(url: str) -> str:
    """The name of a URL's database."""
    return urlsplit(url).path.removeprefix("/")


def exists(server_url: str, database: str) -> bool:
    """Whether the server has a database of that name."""
    with closing(psycopg2.connect(server_url)) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT FROM pg_database WHERE datname = %s", (database,))
        return cursor.rowcount > 0


def seed(url: str) -> None:
    """Fills a database with a small generated country."""
    size = ["--shops", "900", "--reviews", "6000", "--members", "80", "--today", TODAY]
    subprocess.run(
        [str(Path(sys.executable).parent / "geoshops"), "seed", "--yes", *size],
        env={**os.environ, "DATABASE_URL": url, **ALONE},
        check=True,
        capture_output=True,
    )


@pytest.fixture(scope="session")
def site(sample_url: str) -> Iterator[str]:
    """Origin of the running service, which signs in with the development identity provider."""
    with provider.running() as issuer:
        settings = {
            **ALONE,
            "DATABASE_URL": sample_url,
            "GEOSHOPS_IDP_ISSUER": issuer,
            "GEOSHOPS_IDP_CLIENT_ID": provider.CLIENT,
            "GEOSHOPS_IDP_CLIENT_SECRET": provider.SECRET,
        }
        with running_server(settings) as address:
            yield address


@pytest.fixture(scope="session")
def browser(chromium: str) -> Iterator[Browser]:
    """One browser for all tests; each visitor has a separate profile."""
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield launched
        launched.close()


@pytest.fixture
def visitor(browser: Browser, site: str, request: pytest.FixtureRequest) -> Iterator[Any]:
    """Creates visitors; afterwards asserts that their consoles have no errors. Saves screenshots if the test failed."""
    made: list[Visitor] = []

    def make(**options: Any) -> Visitor:
        made.append(Visitor(browser, site, **options))
        return made[-1]

    yield make
    for number, made_visitor in enumerate(made):
        if FAILED in request.node.stash:
            made_visitor.page.screenshot(path=ARTEFACTS / f"{request.node.name}-{number}.png")
        made_visitor.context.close()
    assert [text for made_visitor in made for text in made_visitor.complaints] == []
