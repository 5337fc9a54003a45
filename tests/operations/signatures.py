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
# a scalar function has one result column without a name
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
    """The signature of an SQL function: parameter names and types, number of defaults, and result columns."""

    name: str
    takes: list[str]
    defaults: int
    returns: dict[str, str]

    def accepts(self, arguments: int) -> bool:
        """Whether the function can be called with this number of arguments."""
        return len(self.takes) - self.defaults <= arguments <= len(self.takes)

    def __str__(self) -> str:
        return f"{self.name}({', '.join(self.takes)})"


def functions(connection: Any) -> list[Function]:
    """All functions of the service in a database."""
    return [Function(*row) for row in migrations.run(connection, FUNCTIONS).fetchall()]


def loaded() -> list[Path]:
    """The modules that a worker imports; operators' commands are left out, because they always match the installed release."""
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
    """Names of all SQL functions that these modules call: in string literals, or as `func.name` of SQLAlchemy."""
    names: set[str] = set()
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                names.update(CALL.findall(node.value))
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                names.update({node.attr} if node.value.id == "func" else ())
    return names


def recorded() -> list[Function]:
    """The functions that the previous release calls, from the recorded file."""
    return [Function(**one) for one in json.loads(RECORD.read_text(encoding="utf-8"))]


def broken(released: Iterable[Function], present: list[Function]) -> Iterator[str]:
    """Yields a message for each call of the previous release that would fail or behave differently with these functions."""
    for function in released:
        candidates = [
            f for f in present if f.name == function.name and f.accepts(len(function.takes))
        ]
        if not candidates:
            yield f"{function} is gone"
        elif len(candidates) > 1:
            yield f"{function} may be any of {', '.join(map(str, candidates))}"
        elif candidates[0].takes[: len(function.takes)] != function.takes:
            yield f"{function} takes other parameters now: {candidates[0]}"
        elif function.returns.items() - candidates[0].returns.items():
            yield f"{function} returned {function.returns}, now {candidates[0].returns}"


def main() -> None:
    """Records the functions that the workers of this checkout call, one per line."""
    names = called(loaded())
    with psycopg2.connect(sys.argv[1]) as connection:
        kept = [asdict(one) for one in functions(connection) if one.name in names]
    lines = ",\n".join(json.dumps(one) for one in kept)
    RECORD.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    print(f"{len(kept)} functions recorded in {RECORD.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
