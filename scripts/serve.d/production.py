"""Supervises nginx and the workers: replaces ended processes, stops and reloads without failing requests.

SIGTERM, SIGINT: /readyz responds 503, nginx finishes open requests, then the workers end.
SIGHUP: replaces the workers one by one."""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import signal
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from fork_servers import ForkServers
from leftovers import GROUPS, SUPERVISOR, note
from processes import HANDLED, Child, is_ready, say, start

TICK_S = 0.05
# longer than keepalive_time of nginx, after which it has closed its connections to a replaced worker
RETIRE_S = 3.0
STOP_S = 10.0
START_S = 30.0
YOUNG_S = 2.0


@dataclass
class Slot:
    """The address of a worker, with the current, starting and retiring processes; `lent_by` serves it meanwhile."""

    number: int
    serving: Child | None = None
    starting: Child | None = None
    retiring: list[Child] = field(default_factory=list)
    lent_by: Child | None = None
    wait_until: float = 0.0


class Production:
    """The processes of one service."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.args = args
        self.run: Path = args.run
        self.drain_s: float = args.drain
        self.slots = [Slot(number) for number in self._numbers()]
        self.nginx: Child | None = None
        self.fork_servers = ForkServers(self._fork_server_command(), self._note)
        self.to_reload: list[Slot] = []
        self.stopping = False
        self.generation = 0

    def main(self) -> int:
        """Serves until SIGTERM or SIGINT and returns the exit code."""
        self._prepare()
        signal.pthread_sigmask(signal.SIG_BLOCK, HANDLED)
        while not self.stopping:
            self._supervise()
            if self.fork_servers.has_invalid_settings:
                # the fork server has reported which
                break
            received = signal.sigtimedwait(HANDLED, self._pause_s())
            self._handle(received.si_signo if received else None)
        self._stop()
        return os.EX_CONFIG if self.fork_servers.has_invalid_settings else 0

    def _prepare(self) -> None:
        shutil.rmtree(self.run, ignore_errors=True)
        self.run.mkdir(parents=True, mode=0o755)
        note(self.run, SUPERVISOR, os.getpid())

    def _fork_server_command(self) -> list[str]:
        program = str(Path(__file__).with_name("fork_server.py"))
        servers = [f"--server=unix:{self._address(number)}" for number in self._numbers()]
        user = ["--user=www-data"] if os.geteuid() == 0 else []
        listen = f"--listen={self.args.host}:{self.args.port}"
        threads = f"--threads={self.args.threads}"
        return [sys.executable, program, threads, *servers, listen, f"--run={self.run}", *user]

    def _numbers(self) -> range:
        return range(1, self.args.workers + 1)

    def _address(self, number: int) -> Path:
        return self.run / f"worker-{number}.sock"

    def _pause_s(self) -> float:
        busy = self._servers_change() or self.fork_servers.busy or not self.nginx
        return TICK_S if busy else 1.0

    def _servers_change(self) -> bool:
        changing = (slot.starting or slot.retiring or not slot.serving for slot in self.slots)
        return bool(self.to_reload) or any(changing)

    def _handle(self, number: int | None) -> None:
        if number in (signal.SIGTERM, signal.SIGINT):
            self.stopping = True
        elif number == signal.SIGHUP:
            self.fork_servers.reload()

    def _supervise(self) -> None:
        if self.fork_servers.supervise(self._servers_change()):
            self.to_reload = list(self.slots)
        for slot in self.slots:
            self._supervise_slot(slot)
        for slot in self.slots:
            if not slot.serving:
                self._lend(slot)
        if self.to_reload and all(slot.serving and not slot.starting for slot in self.slots):
            slot = self.to_reload.pop(0)
            slot.starting = self._start_worker(slot)
        if self.nginx and self.nginx.gone:
            say("nginx ended; restarting it")
            self.nginx = None
        if not self.nginx and any(slot.serving for slot in self.slots):
            self.nginx = self._start_nginx()

    def _supervise_slot(self, slot: Slot) -> None:
        if slot.serving and slot.serving.gone:
            say(f"worker {slot.number} ended; starting another one")
            slot.serving = None
        if slot.starting and slot.starting.gone:
            # do not restart a failing worker in a busy loop
            slot.wait_until = time.monotonic() + YOUNG_S
            slot.starting = None
        if slot.starting and is_ready(slot.starting):
            self._switch_to(slot, slot.starting)
        elif slot.starting and slot.starting.age_s > START_S:
            slot.starting.end_within(0)
        if not slot.serving and not slot.starting and time.monotonic() >= slot.wait_until:
            slot.starting = self._start_worker(slot)
        for child in slot.retiring:
            if child.age_s > RETIRE_S:
                child.end(signal.SIGTERM)
            if child.age_s > RETIRE_S + STOP_S:
                child.end_within(0)
        slot.retiring = [child for child in slot.retiring if not child.gone]

    def _switch_to(self, slot: Slot, child: Child) -> None:
        """Moves the new worker's socket to the slot's address; the old worker still serves its open connections."""
        assert child.socket
        child.socket.rename(self._address(slot.number))
        if slot.serving:
            slot.serving.born = time.monotonic()
            slot.retiring.append(slot.serving)
        slot.serving, slot.starting, slot.lent_by = child, None, None

    def _lend(self, slot: Slot) -> None:
        """Links the address of a slot without a worker to another worker: nginx does not retry
        non-idempotent requests, so each failed connection would be an error for a client."""
        other = next((other for other in self.slots if other.serving), None)
        if other is None or slot.lent_by is other.serving:
            return
        spare = self.run / "spare.sock"
        spare.unlink(missing_ok=True)
        os.link(self._address(other.number), spare)
        spare.rename(self._address(slot.number))
        slot.lent_by = other.serving

    def _start_worker(self, slot: Slot) -> Child | None:
        self.generation += 1
        child = self.fork_servers.fork(self.run / f"{slot.number}.{self.generation}.sock")
        if child:
            self._note(child)
        return child

    def _start_nginx(self) -> Child:
        command = [self.args.nginx, "-p", str(self.run), "-e", "stderr"]
        command += ["-c", str(self.run / "nginx.conf"), "-g", "daemon off;"]
        # SIGTERM, not SIGKILL: a killed nginx master leaves its workers running
        child = Child(start(command, parent_death_signal=signal.SIGTERM))
        self._note(child)
        return child

    def _note(self, child: Child) -> None:
        note(self.run, GROUPS, child.process.pid)

    def _stop(self) -> None:
        # stop even if the folder was removed
        with contextlib.suppress(OSError):
            (self.run / "draining").touch()
        pause_until = time.monotonic() + (self.drain_s if self.nginx else 0)
        while time.monotonic() < pause_until and signal.sigtimedwait(HANDLED, 0.1) is None:
            pass
        if self.nginx:
            self.nginx.end(signal.SIGQUIT)
            self.nginx.end_within(STOP_S)
        children = [c for slot in self.slots for c in (slot.serving, slot.starting) if c]
        children += [child for slot in self.slots for child in slot.retiring]
        for child in children:
            child.end(signal.SIGTERM)
        for child in children:
            child.end_within(STOP_S)
        self.fork_servers.close()
        shutil.rmtree(self.run, ignore_errors=True)


def parse() -> argparse.Namespace:
    """Parses the command line, which scripts/serve builds."""
    parser = argparse.ArgumentParser(prog="scripts/serve --production")
    parser.add_argument("--host", required=True)
    parser.add_argument("--port", required=True)
    parser.add_argument("--workers", type=int, required=True)
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument(
        "--run", type=Path, required=True, help="folder for sockets and nginx' files"
    )
    parser.add_argument("--nginx", required=True, help="path of the nginx program")
    parser.add_argument(
        "--drain", type=float, default=2.0, help="seconds between failing /readyz and stopping"
    )
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(Production(parse()).main())
