"""The parts of scripts/bench replicas: CPU time of started processes, a standby, the wait of requests."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg2
import pytest

BENCH = Path(__file__).resolve().parents[2] / "scripts" / "bench.d"
# longer than the 0.5 s asserted: user and system time are each cut to 10 ms
BUSY = "import time; end = time.process_time() + 0.55\nwhile time.process_time() < end: pass"


@pytest.fixture(autouse=True, scope="module")
def parts() -> Iterator[None]:
    """The benchmark's modules, imported as by scripts/bench."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(BENCH))
        yield
    for name in ("data", "figures", "load", "nodes", "radius", "replicas"):
        sys.modules.pop(name, None)


def test_processor_time_is_that_of_the_process_and_what_it_started() -> None:
    from load import processor_s

    command = [sys.executable, "-c", f"import subprocess, sys; subprocess.run([sys.executable, '-c', {BUSY!r}]); input()"]  # fmt: skip
    with subprocess.Popen(command, stdin=subprocess.PIPE) as busy:
        idle = processor_s([1 << 30])
        for _ in range(200):
            if processor_s([busy.pid]) >= 0.5:
                break
            with pytest.raises(subprocess.TimeoutExpired):
                busy.wait(0.1)
        assert 0.5 <= processor_s([busy.pid]) < 2
        assert idle == 0
        busy.communicate(b"\n")


@pytest.mark.full
def test_a_standby_follows_and_everything_is_removed() -> None:
    from nodes import standby, throwaway

    with throwaway() as primary:
        with psycopg2.connect(primary.url) as connection:
            connection.cursor().execute("CREATE TABLE t AS SELECT 1 AS one")
        with standby(primary, 1, primary.url) as second:
            cursor = psycopg2.connect(second.url).cursor()
            cursor.execute("SELECT one, pg_is_in_recovery() FROM t")
            assert cursor.fetchone() == (1, True)
            cursor.connection.close()
        assert not second.folder.exists()
    assert not primary.folder.exists()
