"""Commands report what they changed even if their output fails or Ctrl-C interrupts them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import IO, Any

import psycopg2
import psycopg2.extensions
import pytest
from click.testing import CliRunner, Result

from geoshops.cli import main
from geoshops.console import EXIT_INCOMPLETE, as_started
from tests.conftest import SECRET_KEY
from tests.make import Maker

Run = Callable[..., Result]
FULL = Path("/dev/full")
# commands that write, each with a query that checks the change
WRITING = (
    (("brands", "add", "하루필름"), "SELECT count(*) FROM brands WHERE name = '하루필름'"),
    (("shops", "close", "SHOP", "--reason", "x"), "SELECT count(*) FROM shops WHERE status = 'CLOSED'"),
    (("recount",), "SELECT count(*) FROM shops WHERE review_cnt = 0"),
    (("seed", "--shops", "3", "--reviews", "1", "--members", "1"),
     "SELECT sign(count(*))::int FROM shops WHERE source = 'sample'"),
    (("import", "shops", "in.csv", "--source", "own"), "SELECT count(*) FROM shops WHERE source = 'own'"),
    (("import", "shops", "in.csv", "--source", "own", "--json"),
     "SELECT count(*) FROM shops WHERE source = 'own'"),
)  # fmt: skip
NAMES = [" ".join(words[:2]) + " --json" * ("--json" in words) for words, _ in WRITING]


@pytest.fixture
def start(
    make: Maker, database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs `geoshops ARGS…` in a process, with the given standard output."""
    shop_id = make.shop()
    make.sql("UPDATE shops SET review_cnt = 7, star_rating_sum = 7")
    (tmp_path / "in.csv").write_text("name,lon,lat\n새 가게,127.5,37.5\n", encoding="utf-8")
    environment = {**os.environ, "DATABASE_URL": database_url, "GEOSHOPS_SECRET_KEY": SECRET_KEY}
    for name in ("GEOSHOPS_OWNER_DATABASE_URL", "GEOSHOPS_READER_DATABASE_URL"):
        environment.pop(name, None)

    def invoke(
        words: tuple[str, ...], stdout: int | IO[Any], **more: str
    ) -> subprocess.CompletedProcess[str]:
        words = tuple(str(shop_id) if word == "SHOP" else word for word in words)
        return subprocess.run(
            [sys.executable, "-m", "geoshops", *words], cwd=tmp_path, stdout=stdout, text=True,
            stderr=subprocess.PIPE, env={**environment, **more}, timeout=60, check=False,
        )  # fmt: skip

    return invoke


@pytest.mark.parametrize(("words", "check"), WRITING, ids=NAMES)
def test_a_closed_output_pipe_does_not_stop_a_command(
    start: Callable[..., subprocess.CompletedProcess[str]],
    make: Maker,
    words: tuple[str, ...],
    check: str,
) -> None:
    reads, writes = os.pipe()
    os.close(reads)
    ended = start(words, writes)
    os.close(writes)
    assert (ended.returncode, make.sql(check)) == (0, 1), ended.stderr
    assert "hanged" not in ended.stderr.replace("interrupted", "changed")
    assert "Traceback" not in ended.stderr and "Exception ignored" not in ended.stderr


@pytest.mark.skipif(not FULL.exists(), reason="no /dev/full on this system")
@pytest.mark.parametrize(("words", "check"), WRITING, ids=NAMES)
def test_a_full_disk_is_reported_as_such(
    start: Callable[..., subprocess.CompletedProcess[str]],
    make: Maker,
    words: tuple[str, ...],
    check: str,
) -> None:
    with FULL.open("w") as full:
        ended = start(words, full)
    assert (ended.returncode, make.sql(check)) == (EXIT_INCOMPLETE, 1), ended.stderr
    message = "done, but the output could not be written: No space left on device"
    assert ended.stderr.splitlines()[-1] == message


def test_characters_outside_the_terminals_encoding_are_escaped(
    start: Callable[..., subprocess.CompletedProcess[str]], make: Maker, tmp_path: Path
) -> None:
    (tmp_path / "in.csv").write_text("name,lon,lat,brand\n가게,127,37,하루필름\n", encoding="utf-8")
    words = ("import", "shops", "in.csv", "--source", "own", "--add-brands")
    ended = start(words, subprocess.PIPE, PYTHONIOENCODING="ascii")
    assert (ended.returncode, make.sql("SELECT count(*) FROM brands")) == (0, 2)
    assert "brands added: \\ud558\\ub8e8\\ud544\\ub984" in ended.stdout


@pytest.fixture
def run(make: Maker, database_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Runs `geoshops ARGS…` in this process, in a temporary folder."""
    monkeypatch.setenv("DATABASE_URL", database_url)
    monkeypatch.delenv("GEOSHOPS_OWNER_DATABASE_URL", raising=False)
    monkeypatch.chdir(tmp_path)
    Path("in.csv").write_text("name,lon,lat\n가게,127,37\n나쁜 가게,x,37\n", encoding="utf-8")
    return lambda *words: CliRunner().invoke(main, words)


def connected_by(monkeypatch: pytest.MonkeyPatch, commit: Callable[[Any], None]) -> None:
    """Makes new connections commit with this function."""

    class Connection(psycopg2.extensions.connection):
        def commit(self) -> None:
            commit(super().commit)

    connect = partial(psycopg2.connect, connection_factory=Connection)
    monkeypatch.setattr("psycopg2.connect", connect)


def test_ctrl_c_during_a_commit_does_not_undo_it(
    run: Run, make: Maker, monkeypatch: pytest.MonkeyPatch, without_cancelling: None
) -> None:
    def interrupted(commit: Callable[[], None]) -> None:
        signal.raise_signal(signal.SIGINT)
        commit()
        signal.raise_signal(signal.SIGINT)

    connected_by(monkeypatch, interrupted)
    done = run("brands", "add", "하루필름")
    assert (done.exit_code, done.stdout[:6]) == (0, "done; ")
    assert make.sql("SELECT count(*) FROM brands") == 1


def test_ctrl_c_after_a_commit_reports_the_commit(
    run: Run, make: Maker, monkeypatch: pytest.MonkeyPatch, without_cancelling: None
) -> None:
    messages: list[str] = []

    def interrupted(text: str, **_: object) -> None:
        messages.append(text)
        if len(messages) == 1:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr("click.echo", interrupted)
    done = run("brands", "add", "하루필름")
    assert make.sql("SELECT count(*) FROM brands") == 1
    assert done.exit_code == EXIT_INCOMPLETE
    assert messages[1] == "interrupted. Changes committed before are kept."


def test_a_connection_lost_during_the_commit_leaves_the_outcome_open(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lost(_: Callable[[], None]) -> None:
        raise psycopg2.OperationalError("server closed the connection unexpectedly")

    connected_by(monkeypatch, lost)
    for words in (("brands", "add", "하루필름"), ("import", "shops", "in.csv", "--source", "own")):
        done = run(*words)
        assert done.exit_code == EXIT_INCOMPLETE
        assert "the change may have been made" in done.stderr
        assert "Nothing was changed" not in done.stderr


def test_an_error_after_the_commit_does_not_deny_it(
    run: Run, make: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    rejects = Path("rejects.csv")

    def taken(commit: Callable[[], None]) -> None:
        commit()
        rejects.mkdir(exist_ok=True)

    connected_by(monkeypatch, taken)
    done = run("import", "shops", "in.csv", "--source", "own", "--rejects", str(rejects))
    assert make.sql("SELECT count(*) FROM shops") == 1
    assert done.exit_code == EXIT_INCOMPLETE
    assert "Changes committed before are kept" in done.stderr
    assert "Nothing was changed" not in done.stderr


def test_a_folder_as_rejects_file_is_reported_before_any_change(run: Run, make: Maker) -> None:
    done = run("import", "shops", "in.csv", "--source", "own", "--rejects", ".")
    assert (done.exit_code, make.sql("SELECT count(*) FROM shops")) == (2, 0)
    assert "is a directory" in done.stderr


@pytest.mark.parametrize(
    ("started", "line"),
    [
        (".venv/bin/geoshops", ".venv/bin/geoshops db upgrade"),
        ("/opt/geoshops/bin/geoshops", "/opt/geoshops/bin/geoshops db upgrade"),
        ("/usr/bin/pytest", "geoshops db upgrade"),
    ],
)
def test_a_remedy_names_the_program_as_it_was_started(
    monkeypatch: pytest.MonkeyPatch, started: str, line: str
) -> None:
    monkeypatch.setattr(sys, "argv", [started, "seed"])
    assert as_started("db upgrade") == line
