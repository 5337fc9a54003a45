"""Discrete-event simulation of queues: machines shared by their processes, limited slots, and group commits.

A simulated process is a generator that yields steps; a step calls its argument when the process may continue.
All times are seconds. Tests compare the stations with closed formulas."""

from __future__ import annotations

import heapq
import itertools
import random
from collections import deque
from collections.abc import Callable, Generator, Iterable

Resume = Callable[[], None]
Step = Callable[[Resume], None]
Process = Generator[Step, None, None]


class Simulation:
    """The clock, the pending events and the random numbers of one run."""

    def __init__(self, seed: int) -> None:
        self.now_s = 0.0
        self.random = random.Random(seed)
        self._events: list[tuple[float, int, Resume]] = []
        self._order = itertools.count()

    def after(self, delay_s: float, action: Resume) -> None:
        """Schedules an action; actions of the same moment run in the order of their scheduling."""
        heapq.heappush(self._events, (self.now_s + delay_s, next(self._order), action))

    def spawn(self, process: Process, at_end: Resume = lambda: None) -> None:
        """Runs a process to its first step, and continues it whenever a step is complete."""
        step = next(process, None)
        if step is None:
            at_end()
        else:
            step(lambda: self.spawn(process, at_end))

    def run(self, until_s: float) -> None:
        """Runs all events up to a moment."""
        while self._events and self._events[0][0] <= until_s:
            self.now_s, _, action = heapq.heappop(self._events)
            action()
        self.now_s = until_s

    def pause(self, delay_s: float) -> Step:
        """A step that only takes time."""
        return lambda resume: self.after(delay_s, resume)

    def first_of(self, processes: Iterable[Process]) -> Step:
        """A step that runs processes in parallel and completes when the first of them ends."""

        def step(resume: Resume) -> None:
            ended = itertools.count()

            def at_end() -> None:
                if next(ended) == 0:
                    resume()

            for process in processes:
                self.spawn(process, at_end)

        return step


class Machine:
    """Cores shared equally by all runnable jobs (egalitarian processor sharing).

    With n jobs each runs at the rate min(1, cores / n). A job ends when the rate, integrated since its arrival,
    has reached its demand; therefore one heap ordered by that sum suffices (Kleinrock, Queueing Systems II, 4.4)."""

    def __init__(self, simulation: Simulation, cores: int) -> None:
        self.cores, self._busy_s = cores, 0.0
        self._simulation = simulation
        self._jobs: list[tuple[float, int, Resume]] = []
        self._order = itertools.count()
        self._attained_s = self._since_s = 0.0
        self._plan = 0

    def work(self, cpu_s: float) -> Step:
        """A step that needs CPU time."""

        def step(resume: Resume) -> None:
            self._advance()
            heapq.heappush(self._jobs, (self._attained_s + cpu_s, next(self._order), resume))
            self._schedule()

        return step

    def busy_s(self) -> float:
        """Returns the time that cores were busy, added over the cores."""
        self._advance()
        return self._busy_s

    def _rate(self) -> float:
        return min(1.0, self.cores / len(self._jobs)) if self._jobs else 0.0

    def _advance(self) -> None:
        passed_s = self._simulation.now_s - self._since_s
        self._attained_s += passed_s * self._rate()
        self._busy_s += passed_s * min(self.cores, len(self._jobs))
        self._since_s = self._simulation.now_s

    def _schedule(self) -> None:
        """Schedules the next end of a job; each change invalidates the previous plan."""
        self._plan += 1
        if self._jobs:
            plan = self._plan
            left_s = max(0.0, self._jobs[0][0] - self._attained_s) / self._rate()
            self._simulation.after(left_s, lambda: self._end_first(plan))

    def _end_first(self, plan: int) -> None:
        if plan != self._plan:
            return
        self._advance()
        _, _, resume = heapq.heappop(self._jobs)
        self._schedule()
        resume()


class Slots:
    """A fixed number of slots with a FIFO queue: threads, pooled connections, or a lock."""

    def __init__(self, count: int) -> None:
        self.free = count
        self._queue: deque[Resume] = deque()

    def acquire(self, resume: Resume) -> None:
        """A step that waits for a slot and takes it."""
        if self.free:
            self.free -= 1
            resume()
        else:
            self._queue.append(resume)

    def release(self) -> None:
        """Passes the slot to the first waiting process, or frees it."""
        if self._queue:
            self._queue.popleft()()
        else:
            self.free += 1


class GroupFlush:
    """A write-ahead log: one flush at a time; each flush serves all processes that were waiting when it began."""

    def __init__(self, simulation: Simulation, duration_s: Callable[[], float]) -> None:
        self._simulation, self._duration_s = simulation, duration_s
        self._queue: list[Resume] = []
        self._is_busy = False

    def flush(self, resume: Resume) -> None:
        """A step that completes at the end of a flush that began after its start."""
        self._queue.append(resume)
        if not self._is_busy:
            self._begin()

    def _begin(self) -> None:
        self._is_busy = True
        served, self._queue = self._queue, []
        self._simulation.after(self._duration_s(), lambda: self._end(served))

    def _end(self, served: list[Resume]) -> None:
        self._is_busy = False
        if self._queue:
            self._begin()
        for resume in served:
            resume()
