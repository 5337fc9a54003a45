"""The scheduler runs every due job, continues after failures, and ends with the server that started it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import click
import pytest
import yaml
from click.testing import CliRunner

from geoshops.cli import main
from geoshops.operations import scheduler
from geoshops.operations.scheduler import HOURLY_S, JOBS, Job, run
from tests.conftest import SECRET_KEY
from tests.make import Maker

ROOT = Path(__file__).resolve().parent.parent.parent
PATIENCE_S = 30
QUICK = Job("tiles refresh", 0)


@pytest.fixture
def owner(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment of an operator of the test database."""
    for name in ("DATABASE_URL", "GEOSHOPS_OWNER_DATABASE_URL"):
        monkeypatch.setenv(name, database_url)
    monkeypatch.setenv("GEOSHOPS_SECRET_KEY", SECRET_KEY)
    monkeypatch.setenv("FLASK_SKIP_DOTENV", "1")


def until(condition: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.1)
    return False


def test_every_job_is_a_command_of_geoshops() -> None:
    for job in JOBS:
        name, verb = job.command.split()
        group = main.get_command(click.Context(main), name)
        assert isinstance(group, click.Group) and verb in group.commands


def test_tiles_and_titles_are_refreshed_within_the_hour() -> None:
    hourly = {job.command for job in JOBS if job.every_s <= HOURLY_S < 3600}
    assert {"tiles refresh", "titles refresh"} <= hourly


def test_a_run_does_what_the_command_does(
    owner: None, make: Maker, capfd: pytest.CaptureFixture[str]
) -> None:
    make.insert("crowded_tiles", zoom=0, x=0, y=0, refreshed_at="2026-11-20 10:00+09")
    assert run(QUICK)
    assert make.sql("SELECT count(*) FROM crowded_tiles") == 0
    assert "tiles refresh: 0 cells changed" in capfd.readouterr().err


def test_a_failed_job_is_reported_and_the_others_run(monkeypatch: pytest.MonkeyPatch) -> None:
    lines: list[str] = []
    monkeypatch.setattr(scheduler, "say", lines.append)
    jobs = (Job("tiles nonsense", 3600), Job("--help", 3600))
    scheduler.keep_running(jobs, lambda: len(lines) < 2, first_s=0)
    assert len(lines) == 2
    assert "tiles nonsense: failed with 2" in lines[0]
    assert "--help: " in lines[1] and "failed" not in lines[1]


def test_once_runs_every_job(owner: None) -> None:
    command = [sys.executable, "-m", "geoshops", "scheduler", "--once"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert [line.split(" ", 1)[1].split(":")[0] for line in done.stderr.splitlines()] == [
        job.command for job in JOBS
    ]


def test_once_exits_with_an_error_if_a_job_failed(
    owner: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines: list[str] = []
    monkeypatch.setattr(scheduler, "say", lines.append)
    monkeypatch.setattr(scheduler, "JOBS", (Job("tiles nonsense", HOURLY_S), QUICK))
    assert CliRunner().invoke(main, ["scheduler", "--once"]).exit_code == 1
    assert "failed" in lines[0] and "failed" not in lines[1]


def alive(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1]
    except FileNotFoundError:
        return False


def test_the_scheduler_does_not_import_the_service() -> None:
    program = "import sys, geoshops.operations.scheduler; print(*{name.partition('.')[0] for name in sys.modules})"
    loaded = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert {"geoshops", "click"} <= set(loaded.stdout.split())
    assert not {"flask", "sqlalchemy", "psycopg2"} & set(loaded.stdout.split())


def test_it_ends_with_its_parent(owner: None) -> None:
    shell = subprocess.Popen(
        ["sh", "-c", '(exec "$0" -m geoshops.operations.scheduler --with-parent "$$" 2>&1) & echo $!; exec sleep 60', sys.executable],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    assert shell.stdout is not None
    pid = int(shell.stdout.readline())
    assert "the scheduler runs" in shell.stdout.readline()
    assert alive(pid)
    shell.kill()
    shell.wait()
    assert until(lambda: not alive(pid))


def test_it_does_not_outlive_a_parent_that_ends_at_once(owner: None) -> None:
    # as scripts/serve does when the server rejects an option
    ended = subprocess.run(
        ["sh", "-c", '(exec "$0" -m geoshops.operations.scheduler --with-parent "$$" >/dev/null 2>&1) & echo $!', sys.executable],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    pid = int(ended.stdout)
    try:
        assert until(lambda: not alive(pid))
    finally:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def test_it_ends_on_a_signal(owner: None) -> None:
    started = subprocess.Popen(
        [sys.executable, "-m", "geoshops", "scheduler"], cwd=ROOT, stderr=subprocess.PIPE, text=True
    )
    assert started.stderr is not None
    assert "the scheduler runs" in started.stderr.readline()
    started.send_signal(signal.SIGTERM)
    assert started.wait(PATIENCE_S) == 0


def test_compose_and_serve_start_one() -> None:
    services = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))["services"]
    for name, migrated in (("scheduler", "migrate"), ("scheduler-nodes", "migrate-nodes")):
        service = services[name]
        assert service["command"] == ["geoshops", "scheduler"]
        assert service["restart"] == "unless-stopped"
        # the same databases as the migration that precedes it; each profile has separate ones
        assert service["environment"] == services[migrated]["environment"]
        assert service.get("profiles") == services[migrated].get("profiles")
        assert list(service["depends_on"]) == [migrated]
    # `up service` starts only the dependencies of that service, not the rest of its profile
    assert "scheduler-nodes" in services["service"]["depends_on"]
    assert 'scheduler --with-parent "$$"' in (ROOT / "scripts" / "serve").read_text(
        encoding="utf-8"
    )
