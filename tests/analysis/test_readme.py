"""Tests the analysts' documents: the catalogue is complete, and the worked examples produce the printed results."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from geoshops.analysis import scripts
from geoshops.cli import main

ROOT = Path(__file__).resolve().parent.parent.parent
README = (ROOT / "sql" / "README.md").read_text(encoding="utf-8")
GUIDE = (ROOT / "docs" / "analysts.md").read_text(encoding="utf-8")
EXAMPLE = re.compile(r"### (\d+)\. .*?```(sh|sql)\n(.*?)\n```\n\n```text\n(.*?)\n```", re.DOTALL)
EXAMPLES = EXAMPLE.findall(GUIDE)


def lines(text: str) -> list[str]:
    """The text without blanks at line ends."""
    return [line.rstrip() for line in text.rstrip("\n").splitlines()]


def test_there_are_ten():
    assert [number for number, *_ in EXAMPLES] == [str(n) for n in range(1, 11)]


@pytest.mark.parametrize(("number", "language", "command", "expected"), EXAMPLES)
def test_the_example_gives_the_documented_output(
    database_url, db, monkeypatch, number, language, command, expected
):
    town = (ROOT / "sql" / "examples" / "town.sql").read_text(encoding="utf-8")
    db.cursor().execute(town)
    monkeypatch.setenv("GEOSHOPS_READER_DATABASE_URL", database_url)
    if language == "sql":
        psql = ["psql", "-X", "-d", database_url, "-c", command]
        output = subprocess.run(psql, capture_output=True, text=True, check=True).stdout
    else:
        program, *arguments = shlex.split(command)
        assert program == ".venv/bin/geoshops"
        result = CliRunner().invoke(main, arguments)
        assert result.exit_code == 0, result.output
        output = result.stdout
    assert lines(output) == lines(expected)


def test_the_catalogue_is_complete():
    for script in scripts.catalogue():
        assert f"(analysis/{script.name}.sql) | {script.question} |" in README


def test_every_view_is_described(db):
    cursor = db.cursor()
    cursor.execute("SELECT viewname FROM pg_views WHERE viewname LIKE 'v\\_%'")
    for (name,) in cursor.fetchall():
        assert f"| `{name}` |" in README
