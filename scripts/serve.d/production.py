"""Runs nginx and one server a worker, replaces what dies, and stops and reloads without losing a request.

SIGTERM, SIGINT: readiness turns to 503, then nginx finishes what it has, then the workers end.
SIGHUP: every worker is replaced by a new one, one after the other; nobody notices."""

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

from leftovers import GROUPS, SUPERVISOR, note
from nurseries import Nurseries
from processes import HANDLED, Child, answers, say, start

TICK_S = 0.05
# nginx drops its connections to a worker that was replaced within these seconds (keepalive_time)
RETIRE_S = 3.0
STOP_S = 10.0
START_S = 30.0
YOUNG_S = 2.0


@dataclass
class Slot:
    """One worker: who serves, who is about to take over, who is leaving."""

    number: int
    serving: Child | None = None
    coming: Child | None = None
    leaving: list[Child] = field(default_factory=list)
    lent_by: Child | None = None
    wait_until: float = 0.0


class Production:
    """The processes of one service."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.args = args
        self.run: Path = args.run
        self.drain_s: float = args.drain
        self.slots = [Slot(number) for number in self._numbers()]
        self.front: Child | None = None
        self.nurseries = Nurseries(self._nursery_command(), self._note)
        self.to_reload: list[Slot] = []
        self.stopping = False
        self.generation = 0

    def main(self) -> int:
        """Serves until a signal says to stop."""
        self._prepare()
        signal.pthread_sigmask(signal.SIG_BLOCK, HANDLED)
        while not self.stopping:
            self._tend()
            if self.nurseries.refused:
                # it has said which setting does not fit
                break
            found = signal.sigtimedwait(HANDLED, self._pause_s())
            self._on(found.si_signo if found else None)
        self._stop()
        return os.EX_CONFIG if self.nurseries.refused else 0

    def _prepare(self) -> None:
        shutil.rmtree(self.run, ignore_errors=True)
        self.run.mkdir(parents=True, mode=0o755)
        note(self.run, SUPERVISOR, os.getpid())

    def _nursery_command(self) -> list[str]:
        """It has loaded what nginx' configuration is made of, too."""
        program = str(Path(__file__).with_name("nursery.py"))
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
        busy = self._servers_change() or self.nurseries.busy or not self.front
        return TICK_S if busy else 1.0

    def _servers_change(self) -> bool:
        unlike = (slot.coming or slot.leaving or not slot.serving for slot in self.slots)
        return bool(self.to_reload) or any(unlike)

    def _on(self, number: int | None) -> None:
        if number in (signal.SIGTERM, signal.SIGINT):
            self.stopping = True
        elif number == signal.SIGHUP:
            self.nurseries.renew()

    def _tend(self) -> None:
        if self.nurseries.tend(self._servers_change()):
            self.to_reload = list(self.slots)
        for slot in self.slots:
            self._tend_slot(slot)
        for slot in self.slots:
            if not slot.serving:
                self._lend(slot)
        if self.to_reload and all(slot.serving and not slot.coming for slot in self.slots):
            slot = self.to_reload.pop(0)
            slot.coming = self._start_worker(slot)
        if self.front and self.front.gone:
            say("nginx ended; starting it again")
            self.front = None
        if not self.front and any(slot.serving for slot in self.slots):
            self.front = self._start_front()

    def _tend_slot(self, slot: Slot) -> None:
        if slot.serving and slot.serving.gone:
            say(f"worker {slot.number} ended; another takes its place")
            slot.serving = None
        if slot.coming and slot.coming.gone:
            # one that cannot start at all shall not keep a core busy
            slot.wait_until = time.monotonic() + YOUNG_S
            slot.coming = None
        if slot.coming and answers(slot.coming):
            self._take_over(slot, slot.coming)
        elif slot.coming and slot.coming.age_s > START_S:
            slot.coming.end_within(0)
        if not slot.serving and not slot.coming and time.monotonic() >= slot.wait_until:
            slot.coming = self._start_worker(slot)
        for child in slot.leaving:
            if child.age_s > RETIRE_S:
                child.end(signal.SIGTERM)
            if child.age_s > RETIRE_S + STOP_S:
                child.end_within(0)
        slot.leaving = [child for child in slot.leaving if not child.gone]

    def _take_over(self, slot: Slot, child: Child) -> None:
        """From now on nginx finds the new worker; the old one still gets what was on its way."""
        assert child.socket
        child.socket.rename(self._address(slot.number))
        if slot.serving:
            slot.serving.born = time.monotonic()
            slot.leaving.append(slot.serving)
        slot.serving, slot.coming, slot.lent_by = child, None, None

    def _lend(self, slot: Slot) -> None:
        """Until a slot has its worker again, its address leads to another's: nginx may not try twice what
        it sent, and does not try twice what a member must not do twice."""
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
        child = self.nurseries.fork(self.run / f"{slot.number}.{self.generation}.sock")
        if child:
            self._note(child)
        return child

    def _start_front(self) -> Child:
        command = [self.args.nginx, "-p", str(self.run), "-e", "stderr"]
        command += ["-c", str(self.run / "nginx.conf"), "-g", "daemon off;"]
        # a master that is killed leaves its workers behind; one that is told to end takes them along
        child = Child(start(command, ends_by=signal.SIGTERM))
        self._note(child)
        return child

    def _note(self, child: Child) -> None:
        note(self.run, GROUPS, child.process.pid)

    def _stop(self) -> None:
        # whoever removed the folder must not keep nginx and the workers alive
        with contextlib.suppress(OSError):
            (self.run / "draining").touch()
        pause_until = time.monotonic() + (self.drain_s if self.front else 0)
        while time.monotonic() < pause_until and signal.sigtimedwait(HANDLED, 0.1) is None:
            pass
        if self.front:
            self.front.end(signal.SIGQUIT)
            self.front.end_within(STOP_S)
        children = [child for slot in self.slots for child in (slot.serving, slot.coming) if child]
        children += [child for slot in self.slots for child in slot.leaving]
        for child in children:
            child.end(signal.SIGTERM)
        for child in children:
            child.end_within(STOP_S)
        self.nurseries.close()
        shutil.rmtree(self.run, ignore_errors=True)


def parse() -> argparse.Namespace:
    """The command line; scripts/serve fills it in."""
    parser = argparse.ArgumentParser(prog="scripts/serve --production")
    parser.add_argument("--host", required=True)
    parser.add_argument("--port", required=True)
    parser.add_argument("--workers", type=int, required=True)
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument(
        "--run", type=Path, required=True, help="folder of sockets and nginx' files"
    )
    parser.add_argument("--nginx", required=True, help="the program")
    parser.add_argument(
        "--drain", type=float, default=2.0, help="seconds not ready before stopping"
    )
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(Production(parse()).main())
