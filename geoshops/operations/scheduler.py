"""`geoshops scheduler`: a process that runs the periodic jobs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

import click

# Shorter than the documented hour, to allow for the duration of a run and the lifetime of cached responses.
HOURLY_S = 55 * 60
DAILY_S = 24 * 60 * 60
TICK_S = 1.0
LONGEST_S = 30 * 60
# The first jobs wait until the service has started.
FIRST_S = 10


@dataclass(frozen=True)
class Job:
    """A command of geoshops and its interval."""

    command: str
    every_s: int


JOBS = (
    Job("tiles refresh", HOURLY_S),
    Job("titles refresh", HOURLY_S),
    Job("shops displays", HOURLY_S),
    Job("members unlink-pending", 5 * 60),
    Job("idempotency clean", DAILY_S),
    Job("sessions purge", DAILY_S),
)


def say(text: str) -> None:
    """Prints a line of the scheduler's log."""
    click.echo(f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ} {text}", err=True)


def run(job: Job, is_active: Callable[[], bool] = lambda: True) -> bool:
    """Runs a job in a separate process until it or the scheduler ends; returns whether it succeeded."""
    started = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-m", "geoshops", *job.command.split()],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    output = None
    while output is None:
        try:
            output = process.communicate(timeout=TICK_S)[0]
        except subprocess.TimeoutExpired:
            if not is_active() or time.monotonic() - started > LONGEST_S:
                process.terminate()
    outcome = "" if process.returncode == 0 else f"failed with {process.returncode}: "
    text = " | ".join(output.strip().splitlines())
    say(f"{job.command}: {outcome}{text} ({time.monotonic() - started:.1f} s)")
    return process.returncode == 0


def keep_running(
    jobs: Iterable[Job], is_active: Callable[[], bool], first_s: float = FIRST_S
) -> None:
    """Runs each job when it is due, one at a time; a failed job runs again after its interval."""
    due = {job: time.monotonic() + first_s for job in jobs}
    while is_active():
        job = min(due, key=lambda one: due[one])
        if due[job] > time.monotonic():
            time.sleep(TICK_S)
            continue
        due[job] = time.monotonic() + job.every_s
        run(job, is_active)


@click.command()
@click.option(
    "--once", is_flag=True, help="Run every job now and exit, with code 1 if one of them failed."
)
@click.option(
    "--with-parent", "parent", type=int, metavar="PID",
    help="Id of the process with which the scheduler ends.",
)  # fmt: skip
def scheduler(once: bool, parent: int | None) -> None:
    """Run the periodic jobs: refresh tiles and titles of shops, unlink members, delete expired rows.

    Connects as the owner of the database. scripts/serve and docker compose start one; running a second one is safe."""
    if once:
        succeeded = [run(job) for job in JOBS]
        sys.exit(0 if all(succeeded) else 1)
    stopped = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopped.set())
    say("the scheduler runs: " + ", ".join(job.command for job in JOBS))
    # passed as an option, because a parent that ends immediately would be gone before os.getppid()
    keep_running(JOBS, lambda: not stopped.is_set() and parent in (None, os.getppid()))


if __name__ == "__main__":
    # scripts/serve runs this module directly, so that the modules of other commands are not loaded
    scheduler()
