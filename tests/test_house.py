"""The house's rules that a machine can keep: who imports whom, one reader of the environment, settings documented."""

from __future__ import annotations

import ast
import configparser
import os
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

from geoshops.config import settings_table

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "geoshops"
PAGES = (ROOT / "README.md", *(ROOT / "docs").glob("*.md"), ROOT / "sql" / "README.md")
# From the bottom up; a unit imports units below its own layer, or itself. Units that are not named are features.
LAYERS = (
    {"messages", "opening_hours", "__about__"},
    {"config", "console", "errors", "metrics", "request_context", "geo"},
    {"database"},
    {"web"},
    {"nicknames"},
    {"operations"},
)
FEATURES = [
    "auth",
    "members",
    "shops",
    "search",
    "reviews",
    "favorites",
    "titles",
    "reports",
    "map",
    "tiles",
    "ogc",
    "importing",
    "analysis",
    "sample",
]
# the application factory, which gathers the features, and the commands
TOP = {"__init__", "__main__", "cli"}
# operator code: a worker process must not pay for it, nor fail with it
OPERATOR_CODE = ("operations", "console", "importing", "analysis", "sample", "database.migrations")
MOST_TOP_LEVEL_MODULES = 12
MOST_LINES, MOST_POSITIONAL = 45, 5
# who may hold SQL text, see docs/contributing.md#write-a-statement
SQL_TEXT = ("database/", "operations/", "importing/", "sample/", "analysis/ground.py")
BANNED = {
    "queries.py": ("flask", "marshmallow"),
    "schemas.py": ("geoshops.database.models", r"geoshops\.\w+\.queries", "sqlalchemy", "flask"),
    "routes.py": ("sqlalchemy",),
}


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
        if re.match(rf"{banned}(\.|$)", name)
    ]
    assert broken == []


def unit_of(path: Path) -> str:
    """The package or top-level module that a file belongs to."""
    return path.relative_to(PACKAGE).with_suffix("").parts[0]


def layer_of(unit: str) -> int:
    below = next((n for n, layer in enumerate(LAYERS) if unit in layer), None)
    if below is None:
        assert unit in FEATURES, f"geoshops/{unit} has no layer"
        return len(LAYERS)
    return below


def imported_units(path: Path) -> set[str]:
    """The units of ours that a file imports; the application factory itself is none."""
    names = (name.split(".") for name in imports(path))
    units = {p.stem for p in PACKAGE.iterdir()}
    return {parts[1] for parts in names if parts[0] == "geoshops" and parts[1:2] != []} & units


def test_imports_point_down() -> None:
    upward = [
        (str(path.relative_to(ROOT)), imported)
        for path in modules()
        if (unit := unit_of(path)) not in TOP
        for imported in imported_units(path) - {unit}
        if layer_of(imported) >= layer_of(unit)
    ]
    assert upward == []


def test_only_commands_and_entry_points_import_the_application_factory() -> None:
    # it imports every feature, so it stands above them; operator code gets it from Flask's ScriptInfo
    users = {
        str(path.relative_to(PACKAGE))
        for path in modules()
        if "geoshops.create_app" in imports(path)
    }
    assert users <= {"cli.py", "__main__.py"}


def test_only_bulk_and_catalog_code_holds_sql_text() -> None:
    statement = re.compile(
        r"\s*(SELECT|INSERT INTO|UPDATE|DELETE FROM|WITH|LOCK TABLE)\s+[\w(*\"{%']"
    )
    holders = {
        str(path.relative_to(PACKAGE))
        for path in modules()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if statement.match(node.value)
    }
    assert len(holders) > 10
    assert [name for name in sorted(holders) if not name.startswith(SQL_TEXT)] == []


def test_no_modules_import_each_other_in_a_cycle() -> None:
    names = {".".join(p.relative_to(ROOT).with_suffix("").parts): p for p in modules()}
    graph = {name: {*imports(path)} & {*names} - {name} for name, path in names.items()}
    list(TopologicalSorter(graph).static_order())


def test_few_modules_lie_at_the_top() -> None:
    top = {p.stem for p in PACKAGE.glob("*.py")} - TOP - {"__about__"}
    assert len(top) <= MOST_TOP_LEVEL_MODULES


def test_functions_are_short_and_take_few_positional_parameters() -> None:
    odd = []
    for path in modules():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.FunctionDef):
                continue
            lines = (node.end_lineno or 0) - node.lineno + 1
            parameters = {a.arg for a in (*node.args.posonlyargs, *node.args.args)} - {
                "self",
                "cls",
            }
            # click passes the parameters of a command by name
            is_command = any("click" in ast.unparse(d) for d in node.decorator_list)
            if lines > MOST_LINES or (len(parameters) > MOST_POSITIONAL and not is_command):
                odd.append(f"{path.relative_to(ROOT)}:{node.lineno} {node.name}")
    assert odd == []


def test_a_worker_process_loads_no_operator_code() -> None:
    program = "import sys, geoshops; geoshops.create_app(); print(*sys.modules)"
    settings = {
        "DATABASE_URL": "postgresql://nobody@localhost/nothing",
        "GEOSHOPS_ENV_FILE": os.devnull,
        "GEOSHOPS_SECRET_KEY": "x" * 64,
    }
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = [m.removeprefix("geoshops.") for m in done.stdout.split() if m.startswith("geoshops.")]
    assert "web.fast_path" in loaded
    assert [m for m in loaded if m.startswith(OPERATOR_CODE) or m.endswith(".commands")] == []


def test_files_have_unique_names() -> None:
    tests = [p.name for p in (ROOT / "tests").rglob("test_*.py")]
    sql = [
        p.name
        for folder in ("schema", "changes", "functions", "views", "analysis")
        for p in (ROOT / "sql" / folder).glob("*.sql")
    ]
    for names in (tests, sql):
        assert len(names) > 20
        assert [name for name, count in Counter(names).items() if count > 1] == []


def test_sql_files_have_unique_numbers() -> None:
    for folder in ("schema", "functions", "views", "analysis"):
        numbers = [p.name.split("_")[0] for p in (ROOT / "sql" / folder).glob("[0-9]*.sql")]
        assert [n for n, count in Counter(numbers).items() if count > 1] == [], folder


def test_tests_mirror_the_package() -> None:
    packages = {p.parent.name for p in PACKAGE.glob("*/__init__.py")}
    tested = {p.parent.name for p in (ROOT / "tests").glob("*/__init__.py")}
    assert packages - tested == set()
    assert tested - packages == {"browser", "containers", "races", "scripts", "sql"}


def test_each_value_kept_in_the_application_belongs_to_one_module() -> None:
    keys = re.compile(r"extensions(?:\[|\.get\()\"([\w.]+)\"")
    users = defaultdict(set)
    for path in modules():
        for key in keys.findall(path.read_text(encoding="utf-8")):
            users[key].add(str(path.relative_to(ROOT)))
    assert len(users) >= 5
    assert {key: paths for key, paths in users.items() if len(paths) > 1} == {}


def test_only_config_reads_the_environment() -> None:
    # telemetry reads the folder that prometheus-client itself takes from the environment
    allowed = {"config.py", "telemetry.py"}
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
    assert len(performance.split()) <= 1200


def test_tables_of_guarantees_have_short_cells() -> None:
    text = (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8")
    cells = [c for line in text.splitlines() if line.startswith("|") for c in line.split("|")]
    assert len(cells) > 100
    assert [cell for cell in cells if len(cell.split()) > 20] == []


def anchors(page: Path) -> set[str]:
    """The fragments by which GitHub addresses the headings of a page."""
    titles = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


def test_rows_of_tables_follow_their_headings() -> None:
    """A row after a blank line is shown as text."""
    table = re.compile(r"(?:^|\n\n)(\|.*\n(?!\|[ :-]*-))")
    lost = [(page.name, table.findall(page.read_text(encoding="utf-8"))) for page in PAGES]
    assert [found for found in lost if found[1]] == []


def test_links_between_pages_have_targets() -> None:
    broken = []
    for page in PAGES:
        for target in re.findall(r"\]\((?!https?:)([^)\s]+)\)", page.read_text(encoding="utf-8")):
            name, _, fragment = target.partition("#")
            path = page.parent / name if name else page
            if not path.exists() or (fragment and fragment not in anchors(path)):
                broken.append(f"{page.name}: {target}")
    assert broken == []


def test_setup_lists_every_package() -> None:
    config = configparser.ConfigParser()
    config.read(ROOT / "setup.cfg", encoding="utf-8")
    found = {
        str(p.parent.relative_to(ROOT)).replace("/", ".")
        for p in PACKAGE.rglob("__init__.py")
        if "node_modules" not in p.parts
    }
    assert set(config["options"]["packages"].split()) == found | {"geoshops.sql"}


def test_the_code_map_names_only_what_exists() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    names = re.findall(r"`([^`]+)`", readme.split("## Code map")[1].split("Imports point down")[0])
    folder = ROOT
    missing = []
    for name in names:
        if re.fullmatch(r"\d\d", name):
            found = list(ROOT.glob(f"sql/functions/{name}_*.sql"))
        elif re.search(r"[/.]", name):
            path = re.sub(r"<\w+>|NAME", "*", name).rstrip("/")
            found = [p for base in (folder, ROOT, ROOT / "geoshops") for p in base.glob(path)]
        else:
            continue
        if not found:
            missing.append(name)
        elif found[0].is_file():
            folder = found[0].parent
    assert names and missing == []


def test_the_list_of_sql_functions_is_complete() -> None:
    page = (ROOT / "sql" / "README.md").read_text(encoding="utf-8")
    section = page.split("## Functions")[1].split("\n## ")[0]
    files = [path.name for path in (ROOT / "sql" / "functions").glob("*.sql")]
    assert re.findall(r"^\| \[([^]]+)\]", section, re.M) == sorted(files)
