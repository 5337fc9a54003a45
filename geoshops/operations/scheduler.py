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

# Shorter than the hour that is promised, by what a run and the waiting of readers' caches take.
HOURLY_S = 55 * 60
DAILY_S = 24 * 60 * 60
TICK_S = 1.0
LONGEST_S = 30 * 60
# A service that starts has better things to do with the processor.
FIRST_S = 10


@dataclass(frozen=True)
class Job:
    """A command of geoshops and how often it is run."""

    command: str
    every_s: int


JOBS = (
    Job("tiles refresh", HOURLY_S),
    Job("titles refresh", HOURLY_S),
    Job("members unlink-pending", 5 * 60),
    Job("idempotency clean", DAILY_S),
    Job("sessions purge", DAILY_S),
)


def say(text: str) -> None:
    """Prints a line of the scheduler's log."""
    click.echo(f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ} {text}", err=True)


def run(job: Job, goes_on: Callable[[], bool] = lambda: True) -> bool:
    """Runs a job in a process of its own, until it or the scheduler ends; whether it succeeded."""
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
            if not goes_on() or time.monotonic() - started > LONGEST_S:
                process.terminate()
    outcome = "" if process.returncode == 0 else f"failed with {process.returncode}: "
    text = " | ".join(output.strip().splitlines())
    say(f"{job.command}: {outcome}{text} ({time.monotonic() - started:.1f} s)")
    return process.returncode == 0


def keep_running(
    jobs: Iterable[Job], goes_on: Callable[[], bool], first_s: float = FIRST_S
) -> None:
    """Runs each job soon and then whenever it is due, one after the other; a failure waits for its next turn."""
    due = {job: time.monotonic() + first_s for job in jobs}
    while goes_on():
        job = min(due, key=lambda one: due[one])
        if due[job] > time.monotonic():
            time.sleep(TICK_S)
            continue
        due[job] = time.monotonic() + job.every_s
        run(job, goes_on)


@click.command()
@click.option("--once", is_flag=True, help="Run every job now and exit; 1 when one of them failed.")
@click.option(
    "--with-parent", "parent", type=int, metavar="PID",
    help="End with the process that started the scheduler.",
)  # fmt: skip
def scheduler(once: bool, parent: int | None) -> None:
    """Run what is due hourly and daily: tiles and titles of shops, unlinkings, clean-up.

    Needs the database as its owner. scripts/serve and docker compose start one; a second one does no harm."""
    if once:
        done = [run(job) for job in JOBS]
        sys.exit(0 if all(done) else 1)
    stopped = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopped.set())
    say("the scheduler runs: " + ", ".join(job.command for job in JOBS))
    # the number of the parent is given, not asked for: whoever ends at once is gone before this program is loaded
    keep_running(JOBS, lambda: not stopped.is_set() and parent in (None, os.getppid()))


if __name__ == "__main__":
    # scripts/serve starts it so: all that the other commands need is not loaded
    scheduler()
