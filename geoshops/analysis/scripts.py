"""Catalogue of sql/analysis: question, parameters and columns of each script."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from geoshops.database.sql_files import SQL

FOLDER = SQL / "analysis"
SECTION = re.compile(r"^-- (Question|Parameters|Columns|Method|QGIS): +(.*)$")
ENTRY = re.compile(r"^(\w+)  +(\S.*)$")
DEFAULT = re.compile(r"^\\if :\{\?(\w+)\} \\else\n\\set \1 (.*)\n\\endif$", re.MULTILINE)


class UnknownScriptError(LookupError):
    """No script has this name; the message lists all names."""


@dataclass(frozen=True)
class Script:
    """A file of sql/analysis; `parameters` holds defaults by name, `meanings` and `columns` descriptions by name."""

    path: Path
    text: str
    question: str
    parameters: dict[str, str]
    meanings: dict[str, str]
    columns: dict[str, str]
    method: str

    @property
    def name(self) -> str:
        """The file name without its extension, such as 07_density_hexagons."""
        return self.path.stem


def catalogue() -> list[Script]:
    """Returns all scripts ordered by number."""
    return [_read(path) for path in sorted(FOLDER.glob("[0-9][0-9]_*.sql"))]


def find(name: str) -> Script:
    """Returns the script with this name, number or name without number."""
    wanted = name.removesuffix(".sql")
    scripts = catalogue()
    for script in scripts:
        number, _, rest = script.name.partition("_")
        if wanted in (script.name, number, rest) or wanted == str(int(number)):
            return script
    raise UnknownScriptError(
        f"unknown script {name!r}; available: {', '.join(s.name for s in scripts)}"
    )


def _read(path: Path) -> Script:
    text = path.read_text(encoding="utf-8")
    sections = _sections(text)
    return Script(
        path=path,
        text=text,
        question=" ".join(sections.get("Question", [])),
        parameters={name: value.strip("'") for name, value in DEFAULT.findall(text)},
        meanings=_entries(sections.get("Parameters", [])),
        columns=_entries(sections.get("Columns", [])),
        method=" ".join(sections.get("Method", [])),
    )


def _sections(text: str) -> dict[str, list[str]]:
    """Returns the lines of the leading comment by heading."""
    sections: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in text.splitlines():
        if not line.startswith("--"):
            break
        heading = SECTION.match(line)
        if heading:
            lines = sections.setdefault(heading[1], [])
            lines.append(heading[2])
        else:
            lines.append(line[2:].removeprefix(" " * 13))
    return sections


def _entries(lines: list[str]) -> dict[str, str]:
    """Parses names with their descriptions; an indented line continues the previous one."""
    entries: dict[str, str] = {}
    name = ""
    for line in lines:
        entry = ENTRY.match(line)
        if entry:
            name = entry[1]
            entries[name] = entry[2]
        elif name:
            entries[name] += " " + line.strip()
    return entries
