"""The house's rules that a machine can keep: who imports whom, one reader of the environment, settings documented."""

from __future__ import annotations

import ast
import configparser
from collections.abc import Iterator
from pathlib import Path

from geoshops.config import settings_table

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "geoshops"
FEATURES = {p.parent.name for p in PACKAGE.glob("*/__init__.py")}
BANNED = {
    "queries.py": ("flask", "marshmallow"),
    "schemas.py": ("geoshops.models", "sqlalchemy", "flask"),
    "routes.py": ("sqlalchemy",),
}
# commands gather what several features offer to operators
GATHERERS = {"__init__.py", "cli.py"}


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def modules() -> list[Path]:
    found = [p for p in PACKAGE.rglob("*.py") if "node_modules" not in p.parts]
    assert len(found) > 15
    return found


def test_layers_do_not_import_what_is_not_theirs() -> None:
    broken = [
        (str(path.relative_to(ROOT)), name)
        for path in modules()
        for name in imports(path)
        for banned in BANNED.get(path.name, ())
        if name == banned or name.startswith(f"{banned}.")
    ]
    assert broken == []


def test_no_feature_imports_another() -> None:
    broken = []
    for path in modules():
        own = path.relative_to(PACKAGE).parts[0]
        if path.parent == PACKAGE and path.name in GATHERERS:
            continue
        for name in imports(path):
            parts = name.split(".")
            if parts[0] == "geoshops" and len(parts) > 1 and parts[1] in FEATURES - {own}:
                broken.append((str(path.relative_to(ROOT)), name))
    assert broken == []


def test_only_config_reads_the_environment() -> None:
    # observe reads the folder that prometheus-client itself takes from the environment
    allowed = {"config.py", "observe.py"}
    readers = [
        str(path.relative_to(ROOT))
        for path in modules()
        if path.name not in allowed and "os.environ" in path.read_text(encoding="utf-8")
    ]
    assert readers == []


def test_the_settings_page_has_every_setting() -> None:
    page = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    assert "\n".join(settings_table()) in page, "update it with the output of: geoshops settings"


def test_the_first_changelog_only_adds() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert [line for line in text.splitlines() if line.startswith("### ")] == ["### Added"]
    assert text.count("\n") <= 50


def test_entry_pages_stay_short() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    performance = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")
    assert readme.count("\n") <= 120
    assert len(performance.split()) <= 1300


def test_setup_lists_every_package() -> None:
    config = configparser.ConfigParser()
    config.read(ROOT / "setup.cfg", encoding="utf-8")
    found = {
        str(p.parent.relative_to(ROOT)).replace("/", ".")
        for p in PACKAGE.rglob("__init__.py")
        if "node_modules" not in p.parts
    }
    assert set(config["options"]["packages"].split()) == found | {"geoshops.sql"}
