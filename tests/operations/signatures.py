"""SQL functions that a release calls, recorded so that the next release keeps them for its workers.

When a release is made, record its functions: python -m tests.operations.signatures URL, where URL names a database
with the release's schema."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import psycopg2

from geoshops.database import migrations
from tests.conftest import ROOT

RECORD = Path(__file__).with_name("released_functions.json")
CALL = re.compile(r"\b([a-z_][a-z0-9_]*)\(")
# a function without result columns has one without a name
FUNCTIONS = """
SELECT p.proname,
  ARRAY(SELECT concat_ws(' ', p.proargnames[n], format_type(t, NULL))
        FROM unnest(p.proargtypes) WITH ORDINALITY AS i (t, n) ORDER BY n),
  p.pronargdefaults,
  coalesce(
    (SELECT json_object_agg(p.proargnames[n], format_type(t, NULL))
     FROM unnest(p.proallargtypes, p.proargmodes) WITH ORDINALITY AS o (t, mode, n) WHERE mode IN ('o', 'b', 't')),
    json_build_object('', CASE WHEN p.proretset THEN 'SETOF ' ELSE '' END || format_type(p.prorettype, NULL)))
FROM pg_proc p
WHERE p.pronamespace = 'public'::regnamespace AND p.prokind = 'f'
  AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
ORDER BY 1, 2"""


@dataclass(frozen=True)
class Function:
    """A function as its callers see it: names and types of parameters, how many have a default, columns of the result."""

    name: str
    takes: list[str]
    defaults: int
    returns: dict[str, str]

    def accepts(self, arguments: int) -> bool:
        """True when it can be called with so many."""
        return len(self.takes) - self.defaults <= arguments <= len(self.takes)

    def __str__(self) -> str:
        return f"{self.name}({', '.join(self.takes)})"


def functions(connection: Any) -> list[Function]:
    """All functions of ours in a database."""
    return [Function(*row) for row in migrations.run(connection, FUNCTIONS).fetchall()]


def loaded() -> list[Path]:
    """The modules of a worker; an operator's command is always of the release that is installed."""
    program = (
        "import sys; from geoshops import create_app; "
        "create_app({'testing': True, 'database_url': 'postgresql://127.0.0.1:1/none'}); "
        "print(*(m.__file__ for name, m in sys.modules.items() if name.startswith('geoshops')), sep='\\n')"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return [Path(line) for line in run.stdout.splitlines()]


def called(paths: Iterable[Path]) -> set[str]:
    """Every name that the strings of these modules call, or that they write as `func.name`."""
    names: set[str] = set()
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                names.update(CALL.findall(node.value))
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                names.update({node.attr} if node.value.id == "func" else ())
    return names


def recorded() -> list[Function]:
    """What the release before calls."""
    return [Function(**one) for one in json.loads(RECORD.read_text(encoding="utf-8"))]


def broken(released: Iterable[Function], present: list[Function]) -> Iterator[str]:
    """Calls of the release before that would fail, or do something else, in a database with these functions."""
    for one in released:
        found = [f for f in present if f.name == one.name and f.accepts(len(one.takes))]
        if not found:
            yield f"{one} is gone"
        elif len(found) > 1:
            yield f"{one} may be any of {', '.join(map(str, found))}"
        elif found[0].takes[: len(one.takes)] != one.takes:
            yield f"{one} takes other parameters now: {found[0]}"
        elif one.returns.items() - found[0].returns.items():
            yield f"{one} returned {one.returns}, now {found[0].returns}"


def main() -> None:
    """Records the functions that the workers of this checkout call, one a line."""
    names = called(loaded())
    with psycopg2.connect(sys.argv[1]) as connection:
        kept = [asdict(one) for one in functions(connection) if one.name in names]
    lines = ",\n".join(json.dumps(one) for one in kept)
    RECORD.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    print(f"{len(kept)} functions recorded in {RECORD.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
