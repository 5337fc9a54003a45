"""Commands in the documentation work as they are written, from the root of a checkout."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

from geoshops.cli import main

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), ROOT / "sql" / "README.md"]
CODE = re.compile(r"```.*?```|(?:^ {4}.*\n?)+|`[^`\n]+(?:\n[^`\n]+)?`", re.DOTALL | re.MULTILINE)
# in a container the package is on PATH
IN_CONTAINER = re.compile(r"docker[^\n`]* $")
COMMAND = re.compile(r"(\S*)(?<![\w-])geoshops ([a-z][a-z-]+)(?: +([a-z][a-z-]+))?")


def documented(page: Path) -> list[tuple[str, str, str]]:
    """(path, command, subcommand) of every documented geoshops call outside a container."""
    text = page.read_text(encoding="utf-8")
    return [
        (match[1], match[2], match[3] or "")
        for code in CODE.findall(text)
        for match in COMMAND.finditer(code)
        if not IN_CONTAINER.search(code[: match.start()])
    ]


@pytest.mark.parametrize("page", PAGES, ids=[p.name for p in PAGES])
def test_documented_commands_exist_where_the_page_says(page: Path) -> None:
    context = click.Context(main)
    for path, name, subcommand in documented(page):
        command = main.get_command(context, name)
        if command is None:
            # the database or the service of that name, such as `psql -d geoshops -f`
            assert path != ".venv/bin/", f"{path}geoshops {name}"
            continue
        assert path.lstrip('"$([`') == ".venv/bin/", f"{path}geoshops {name}"
        if isinstance(command, click.Group) and subcommand:
            assert command.get_command(context, subcommand), f"geoshops {name} {subcommand}"


def test_the_documentation_has_commands() -> None:
    assert sum(len(documented(page)) for page in PAGES) > 80
