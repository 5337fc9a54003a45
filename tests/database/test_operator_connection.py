"""Ctrl-C cancels an operator command that waits for the database, without any effect."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing

import psycopg2
import pytest

from geoshops.database import migrations
from tests.make import Maker

COMMANDS = (
    ("export", "shops", "-o", "/dev/null"),
    ("titles", "refresh"),
    ("tiles", "refresh"),
    ("recount", "--check"),
    ("shops", "duplicates"),
    ("db", "upgrade"),
)
WAITING = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND wait_event_type = 'Lock' AND query NOT LIKE '%pg_stat_activity%'"""


@pytest.fixture
def blocked(make: Maker, database_url: str) -> Iterator[None]:
    """Locks shops and the upgrade lock, so that readers and upgrades wait."""
    with closing(psycopg2.connect(database_url)) as connection:
        cursor = connection.cursor()
        cursor.execute("LOCK TABLE shops IN ACCESS EXCLUSIVE MODE")
        cursor.execute("SELECT pg_advisory_lock(%s)", (migrations.LOCK,))
        yield


def test_ctrl_c_ends_a_command_that_waits_for_the_database(
    blocked: None, make: Maker, database_url: str
) -> None:
    program = "from geoshops.cli import main; main()"
    environment = {**os.environ, "DATABASE_URL": database_url, "GEOSHOPS_TESTING": "1"}
    for name in ("GEOSHOPS_OWNER_DATABASE_URL", "GEOSHOPS_READER_DATABASE_URL"):
        environment.pop(name, None)
    running = [
        subprocess.Popen(
            [sys.executable, "-c", program, *words], env=environment, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True,
        )
        for words in COMMANDS
    ]  # fmt: skip
    try:
        # on busy processors the commands start late
        deadline = time.monotonic() + 60
        while (waiting := make.sql(WAITING)) < len(COMMANDS) and time.monotonic() < deadline:
            time.sleep(0.1)
        assert waiting == len(COMMANDS)
        for process in running:
            process.send_signal(signal.SIGINT)
        for words, process in zip(COMMANDS, running, strict=True):
            stderr = process.communicate(timeout=10)[1]
            assert (process.returncode, stderr.strip()) == (1, "Aborted!"), words
        assert make.sql(WAITING) == 0
    finally:
        for process in running:
            process.kill()
