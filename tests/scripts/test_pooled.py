"""The contract through PgBouncer in transaction mode, with two connections for all clients."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("shops", "search", "reviews", "favorites", "members", "auth", "titles", "tiles", "ogc")


@pytest.mark.full
def test_the_contract_holds_through_a_pool_of_two() -> None:
    started = subprocess.run(
        [str(ROOT / "scripts" / "cluster"), "program", "pgbouncer"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert started.returncode == 0, started.stderr
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-m", "not full", "-p", "no:cacheprovider",
         *(f"tests/{name}" for name in FOLDERS), "tests/web/test_middleware.py"],
        cwd=ROOT,
        env={**os.environ, "GEOSHOPS_TEST_PGBOUNCER": started.stdout.strip()},
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )  # fmt: skip
    print(done.stdout.splitlines()[-1])
    assert done.returncode == 0, done.stdout[-6000:]
