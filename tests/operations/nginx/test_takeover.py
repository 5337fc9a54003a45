"""scripts/serve: imports the service once, replaces killed processes, and cleans up after a kill -9 on the next start."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import pytest
import requests

from tests.conftest import ROOT, SECRET_KEY
from tests.operations.nginx.conftest import NGINX
from tests.server import free_port, wait_until

sys.path.insert(0, str(ROOT / "scripts" / "serve.d"))

import leftovers

# generous, because the machine may be busy
PATIENCE_S = 60


@dataclass
class Serve:
    """scripts/serve on one port, which can be started repeatedly."""

    folder: Path
    database_url: str
    options: tuple[str, ...]
    port: int
    settings: dict[str, str] = field(default_factory=dict)

    @property
    def log(self) -> str:
        return (self.folder / "log").read_text()

    @contextmanager
    def started(self) -> Iterator[psutil.Process]:
        environment = {
            **os.environ, "DATABASE_URL": self.database_url, "GEOSHOPS_SECRET_KEY": SECRET_KEY,
            "GEOSHOPS_STATE_DIR": str(self.folder), "GEOSHOPS_RUN_DIR": str(self.folder / "nginx"),
            "PROMETHEUS_MULTIPROC_DIR": str(self.folder / "metrics"), "HOST": "127.0.0.1", "PORT": str(self.port),
            "DRAIN_S": "0", **self.settings,
        }  # fmt: skip
        environment.pop("CLAIMED_PORT", None)
        with (self.folder / "log").open("ab") as log:
            process = subprocess.Popen(
                [str(ROOT / "scripts" / "serve"), *self.options],
                env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            )  # fmt: skip
        try:
            yield psutil.Process(process.pid)
        finally:
            process.terminate()
            process.wait(30)

    @contextmanager
    def ready(self) -> Iterator[psutil.Process]:
        with self.started() as process:
            deadline = time.monotonic() + PATIENCE_S
            while not self.is_ready():
                assert not have_ended([process]) and time.monotonic() < deadline, self.log
                time.sleep(0.05)
            wait_until(lambda: len(servers(process)) >= 2)
            yield process

    def is_ready(self) -> bool:
        with suppress(requests.RequestException):
            return requests.get(f"http://127.0.0.1:{self.port}/readyz", timeout=5).ok
        return False


@pytest.fixture
def serve(folder: Path, service_url: str) -> Serve:
    """The production server."""
    if not NGINX:
        pytest.skip("nginx is not installed")
    return Serve(folder, service_url, ("--production",), free_port())


def named(process: psutil.Process, text: str) -> list[psutil.Process]:
    """Children of the process whose command line contains the text."""
    return [child for child in process.children() if text in command_line(child)]


def command_line(process: psutil.Process) -> str:
    """The command line of a process; empty once it has ended."""
    with suppress(psutil.NoSuchProcess):
        return " ".join(process.cmdline())
    return ""


def servers(process: psutil.Process) -> list[psutil.Process]:
    """The two processes that serve: granian's workers, or the servers forked by the fork server."""
    return [child for parent in named(process, "fork_server.py") or [process] for child in parent.children()
            if (line := command_line(child)) and "scheduler" not in line]  # fmt: skip


def have_ended(processes: list[psutil.Process]) -> bool:
    return all(map(has_ended, processes))


def has_ended(process: psutil.Process) -> bool:
    """Whether the process no longer exists or is a zombie."""
    with suppress(psutil.NoSuchProcess):
        return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
    return True


def kill(*processes: psutil.Process) -> None:
    for one in processes:
        one.send_signal(signal.SIGSTOP)
    for one in processes:
        one.kill()


def policies(supervisor: psutil.Process) -> list[set[int]]:
    """The scheduling policies of each worker's threads; empty if a thread ended meanwhile."""
    workers = [one for server in servers(supervisor) for one in server.children() or [server]]
    with suppress(ProcessLookupError):
        return [{os.sched_getscheduler(thread.id) for thread in one.threads()} for one in workers]
    return []


@pytest.mark.parametrize("options", [(), ("--production",)])
def test_threads_of_workers_are_scheduled_as_batch(serve: Serve, options: tuple[str, ...]) -> None:
    serve.options = options
    with serve.ready() as supervisor:
        wait_until(lambda: policies(supervisor) == [{os.SCHED_BATCH}] * 2)


def test_all_processes_end_with_a_killed_supervisor(serve: Serve) -> None:
    with serve.ready() as supervisor:
        rest = supervisor.children(recursive=True)
        assert named(supervisor, "nginx: master") and named(
            supervisor, "geoshops.operations.scheduler"
        )
        kill(supervisor)
        wait_until(lambda: have_ended(rest))
    with serve.ready():
        assert "ended" not in serve.log


def test_a_start_loads_the_service_once(serve: Serve) -> None:
    # each Python process logs its imports; the scheduler is off, because its jobs would log theirs
    serve.settings = {"PYTHONPROFILEIMPORTTIME": "1", "GEOSHOPS_SCHEDULER": "off"}
    with serve.ready():
        imported = [line.rpartition("|")[2].strip() for line in serve.log.splitlines()]
        assert imported.count("argparse") >= 2
        assert imported.count("flask") == imported.count("sqlalchemy") == 1


@pytest.mark.parametrize("other", ["nginx: master", "fork_server.py"])
def test_a_start_ends_processes_left_by_killed_ones(serve: Serve, other: str) -> None:
    with serve.ready() as supervisor:
        rest = supervisor.children(recursive=True)
        kill(supervisor, *named(supervisor, other))
        # no supervisor is left to end them
        assert not have_ended(rest)
    with serve.ready():
        assert "processes of a server that was killed" in serve.log
        assert have_ended(rest)


@pytest.mark.parametrize("what", ["nginx: master", "fork_server.py", "server"])
def test_a_supervisor_replaces_any_process_that_is_killed(serve: Serve, what: str) -> None:
    with serve.ready() as supervisor:
        victim = servers(supervisor)[0] if what == "server" else named(supervisor, what)[0]
        rest = victim.children(recursive=True) if what != "fork_server.py" else []
        kill(victim)
        wait_until(lambda: have_ended([victim, *rest]))
        wait_until(serve.is_ready)
        wait_until(lambda: len(named(supervisor, "nginx: master")) == 1)
        wait_until(lambda: len(named(supervisor, "fork_server.py")) == 1)
        assert supervisor.is_running()


def test_a_start_leaves_a_running_service_alone(serve: Serve) -> None:
    with serve.ready() as supervisor:
        family = supervisor.children(recursive=True)
        with ExitStack() as second:
            rejected = second.enter_context(serve.started())
            assert rejected.wait(30) == 1
        assert f"port {serve.port} is in use" in serve.log
        assert all(one.is_running() for one in family)
        assert serve.is_ready()


def test_granians_workers_end_with_a_killed_server(folder: Path, service_url: str) -> None:
    serve = Serve(folder, service_url, (), free_port())
    with serve.ready() as server:
        rest = server.children(recursive=True)
        assert len(rest) >= 3
        kill(server)
        wait_until(lambda: have_ended(rest))
    with serve.ready():
        assert serve.is_ready()


@contextmanager
def sleeping(cwd: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Runs a process that leads its own process group."""
    process = subprocess.Popen(["sleep", "60"], cwd=cwd, start_new_session=True)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def write_note(run: Path, name: str, pid: int, start: Callable[[int], int]) -> None:
    process = leftovers.read(pid)
    assert process
    (run / name).write_text(f"{pid} {start(process.start)}\n1")


def test_only_the_recorded_process_is_ended(tmp_path: Path) -> None:
    with sleeping(Path.cwd()) as ours, sleeping(tmp_path) as elsewhere:
        # the start time differs: another process has reused the pid
        write_note(tmp_path, "groups", ours.pid, lambda start: start - 1)
        assert leftovers.end_leftovers(tmp_path) == 0
        write_note(tmp_path, "groups", elsewhere.pid, lambda start: start)
        assert leftovers.end_leftovers(tmp_path) == 0
        assert ours.poll() is None and elsewhere.poll() is None
        write_note(tmp_path, "groups", ours.pid, lambda start: start)
        # the supervisor still runs
        write_note(tmp_path, "supervisor", os.getpid(), lambda start: start)
        assert leftovers.end_leftovers(tmp_path) == 0
        # another process has reused the supervisor's pid
        write_note(tmp_path, "supervisor", os.getpid(), lambda start: start - 1)
        assert leftovers.end_leftovers(tmp_path) == 1
        assert ours.wait(30) == -signal.SIGKILL
