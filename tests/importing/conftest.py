"""Fixtures: run import commands with files on the run's database, as an operator does."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from geoshops.cli import main
from geoshops.database.deferred_indexes import build_missing
from tests.make import Maker

Run = Callable[..., Result]


@pytest.fixture(autouse=True)
def whole_afterwards(database_url: str) -> Iterator[None]:
    """Builds search indexes that an interrupted load of a test may have left missing, because the next test needs them."""
    yield
    build_missing(database_url, lambda _: None)


@pytest.fixture
def run(make: Maker, database_url: str, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs `geoshops ARGS…` on an empty database."""
    monkeypatch.setenv("DATABASE_URL", database_url)
    monkeypatch.delenv("GEOSHOPS_OWNER_DATABASE_URL", raising=False)

    def invoke(*args: object) -> Result:
        return CliRunner().invoke(main, [str(arg) for arg in args])

    return invoke


@pytest.fixture
def summary(run: Run) -> Callable[..., dict[str, Any]]:
    """Runs a command with --json, which must succeed, and returns its output."""

    def invoke(*args: object) -> dict[str, Any]:
        result = run(*args, "--json")
        assert result.exit_code == 0, result.output
        report: dict[str, Any] = json.loads(result.stdout)
        counts = ("inserted", "updated", "unchanged", "identical", "rejected")
        assert report["read"] == sum(report.get(name, 0) for name in counts)
        return report

    return invoke


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Writes a file from lines of text, in an encoding."""

    def make_file(*lines: str, name: str = "in.csv", encoding: str = "utf-8") -> Path:
        path = tmp_path / name
        path.write_bytes("\n".join([*lines, ""]).encode(encoding))
        return path

    return make_file
