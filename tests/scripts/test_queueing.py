"""The simulation behind scripts/cluster queues against closed formulas of queueing theory, within its sampling error."""

from __future__ import annotations

import math
import statistics
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts" / "cluster.d"))

from queueing import GroupFlush, Machine, Process, Simulation, Slots

RUN_S, WARM_UP_S = 60_000.0, 500.0
SEEDS = (1, 2, 3)


def mean_response_s(
    seed: int, rate_per_s: float, build: Callable[[Simulation], Callable[[], Process]]
) -> float:
    """The mean time in a system with Poisson arrivals."""
    simulation, times_s = Simulation(seed), []
    visit = build(simulation)

    def customer() -> Process:
        started_s = simulation.now_s
        yield from visit()
        if started_s > WARM_UP_S:
            times_s.append(simulation.now_s - started_s)

    def arrivals() -> Process:
        while True:
            yield simulation.pause(simulation.random.expovariate(rate_per_s))
            simulation.spawn(customer())

    simulation.spawn(arrivals())
    simulation.run(RUN_S)
    return statistics.fmean(times_s)


def over_seeds(rate_per_s: float, build: Callable[[Simulation], Callable[[], Process]]) -> float:
    return statistics.fmean(mean_response_s(seed, rate_per_s, build) for seed in SEEDS)


def erlang_c(servers: int, offered: float) -> float:
    """The probability of waiting in M/M/c (Erlang 1917)."""
    last = offered**servers / math.factorial(servers) * servers / (servers - offered)
    return last / (sum(offered**n / math.factorial(n) for n in range(servers)) + last)


def fifo(count: int) -> Callable[[Simulation], Callable[[], Process]]:
    """Servers with a common FIFO queue and exponential service of mean 1 s."""

    def build(simulation: Simulation) -> Callable[[], Process]:
        slots = Slots(count)

        def visit() -> Process:
            yield slots.acquire
            yield simulation.pause(simulation.random.expovariate(1))
            slots.release()

        return visit

    return build


def shared(
    cores: int, demand_s: Callable[[Simulation], float]
) -> Callable[[Simulation], Callable[[], Process]]:
    """A machine shared by its jobs."""

    def build(simulation: Simulation) -> Callable[[], Process]:
        machine = Machine(simulation, cores)

        def visit() -> Process:
            yield machine.work(demand_s(simulation))

        return visit

    return build


def exponential(simulation: Simulation) -> float:
    return simulation.random.expovariate(1)


def two_sizes(simulation: Simulation) -> float:
    """Mean 1 s, squared coefficient of variation 9: a tenth of the jobs have most of the work."""
    return 9.1 if simulation.random.random() < 0.1 else 0.1


@pytest.mark.parametrize("load", [0.3, 0.6, 0.8])
def test_one_server_follows_m_m_1(load: float) -> None:
    assert over_seeds(load, fifo(1)) == pytest.approx(1 / (1 - load), rel=0.05)


@pytest.mark.parametrize(("servers", "load"), [(2, 0.7), (4, 0.8), (8, 0.6)])
def test_several_servers_follow_erlang_c(servers: int, load: float) -> None:
    offered = servers * load
    expected_s = 1 + erlang_c(servers, offered) / (servers - offered)
    assert over_seeds(offered, fifo(servers)) == pytest.approx(expected_s, rel=0.05)


@pytest.mark.parametrize("demand_s", [exponential, two_sizes, lambda _: 1.0])
def test_a_shared_core_depends_only_on_the_mean_demand(
    demand_s: Callable[[Simulation], float],
) -> None:
    # M/G/1-PS is insensitive to the distribution: E[T] = E[S] / (1 - rho)
    assert over_seeds(0.6, shared(1, demand_s)) == pytest.approx(1 / 0.4, rel=0.05)


def test_two_shared_cores_follow_erlang_c() -> None:
    # with exponential demands, the number of jobs is that of M/M/2 in any order
    expected_s = 1 + erlang_c(2, 1.4) / 0.6
    assert over_seeds(1.4, shared(2, exponential)) == pytest.approx(expected_s, rel=0.05)


def mean_value_analysis(customers: int, think_s: float, demands_s: list[float]) -> float:
    """The throughput of a closed product-form network (Reiser and Lavenberg 1980)."""
    queued = [0.0] * len(demands_s)
    rate_per_s = 0.0
    for number in range(1, customers + 1):
        times_s = [d * (1 + q) for d, q in zip(demands_s, queued, strict=True)]
        rate_per_s = number / (think_s + sum(times_s))
        queued = [rate_per_s * t for t in times_s]
    return rate_per_s


@pytest.mark.parametrize("customers", [1, 4, 12])
def test_a_closed_network_follows_mean_value_analysis(customers: int) -> None:
    think_s, demands_s = 5.0, [1.0, 0.6, 0.3]
    simulation, ended = Simulation(5), []
    machine, queues = Machine(simulation, 1), [Slots(1), Slots(1)]

    def client() -> Process:
        while True:
            yield simulation.pause(simulation.random.expovariate(1 / think_s))
            yield machine.work(two_sizes(simulation) * demands_s[0])
            for queue, demand_s in zip(queues, demands_s[1:], strict=True):
                yield queue.acquire
                yield simulation.pause(simulation.random.expovariate(1 / demand_s))
                queue.release()
            ended.append(simulation.now_s)

    for _ in range(customers):
        simulation.spawn(client())
    simulation.run(RUN_S)
    expected_per_s = mean_value_analysis(customers, think_s, demands_s)
    assert len(ended) / RUN_S == pytest.approx(expected_per_s, rel=0.02)


def test_a_flush_serves_all_who_waited_when_it_began() -> None:
    simulation, ended = Simulation(1), []
    log = GroupFlush(simulation, lambda: 1.0)

    def writer(arrives_s: float) -> Process:
        yield simulation.pause(arrives_s)
        yield log.flush
        ended.append((arrives_s, simulation.now_s))

    for arrives_s in (0.0, 0.2, 0.9, 1.5):
        simulation.spawn(writer(arrives_s))
    simulation.run(10)
    assert ended == [(0.0, 1.0), (0.2, 2.0), (0.9, 2.0), (1.5, 3.0)]


def test_parallel_processes_are_over_with_the_first() -> None:
    simulation, ended = Simulation(1), []

    def waits(delay_s: float) -> Process:
        yield simulation.pause(delay_s)

    def process() -> Process:
        yield simulation.first_of([waits(3), waits(2)])
        ended.append(simulation.now_s)

    simulation.spawn(process())
    simulation.run(10)
    assert ended == [2]


def test_a_machine_counts_its_busy_cores() -> None:
    simulation = Simulation(1)
    machine = Machine(simulation, 2)

    def job(cpu_s: float) -> Process:
        yield machine.work(cpu_s)

    for cpu_s in (1.0, 1.0, 2.0):
        simulation.spawn(job(cpu_s))
    simulation.run(4)
    # all three share two cores for 1.5 s, then one needs another second
    assert machine.busy_s() == pytest.approx(4)
