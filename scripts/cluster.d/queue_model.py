"""The queueing model of the cluster: which stations a request visits, and where it waits.

A request waits for a thread of a server, for the server's interpreter (its GIL), for a core, for a connection of a
pooler, for the flush of the write-ahead log, and for the flush of one standby. Programs with one thread serve one
message at a time. All stations on one machine share its cores; a message that wakes a process takes a fixed time."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from demands import CLIENT, Demand
from queueing import GroupFlush, Machine, Process, Simulation, Slots

# background work comes in slices of this length
SLICE_S = 0.001
# threads of a server process (GEOSHOPS_POOL_SIZE) and PgBouncer's default_pool_size
THREADS, CONNECTIONS = 5, 8


@dataclass(frozen=True)
class Costs:
    """Measured costs: demands of single reads and writes by station, flushes, messages, the load by station without
    requests (`idle`), and the load of programs that serve no requests (`background`).

    `idle` and `background` are in cores, everything else in seconds."""

    read: list[Demand]
    write: list[Demand]
    flush_s: list[float]
    standby_flush_s: list[float]
    message_s: float
    background: float
    idle: Demand = field(default_factory=dict)

    def mean_s(self, kind: str) -> float:
        """Returns the mean CPU time of a read or a write over all stations."""
        return sum(self.means_s(kind).values())

    def means_s(self, kind: str) -> Demand:
        """Returns the mean CPU time of a read or a write by station."""
        demands = self.write if kind == "write" else self.read
        return {name: statistics.fmean(each[name] for each in demands) for name in demands[0]}

    def times(self, relative: Demand) -> Costs:
        """Returns the costs with the demands of each station multiplied, and messages as slow as the reads."""

        def scale(demands: list[Demand]) -> list[Demand]:
            return [{name: s * relative[name] for name, s in each.items()} for each in demands]

        costs = replace(self, read=scale(self.read), write=scale(self.write))
        return replace(costs, message_s=self.message_s * costs.mean_s("read") / self.mean_s("read"))


@dataclass(frozen=True)
class Place:
    """The programs and their machines, in cores; `one_machine_cores` puts all on one."""

    servers: int = 2
    followers: int = 2
    connections: int = CONNECTIONS
    balancer_threads: int = 2
    one_machine_cores: int = 0
    server_cores: int = 0
    node_cores: int = 0
    balancer_cores: int = 0
    servers_per_machine: int = 1


@dataclass
class Server:
    """A server process."""

    machine: Machine
    threads: Slots = field(default_factory=lambda: Slots(THREADS))
    interpreter: Slots = field(default_factory=lambda: Slots(1))


@dataclass
class Node:
    """A PostgreSQL with its PgBouncer."""

    machine: Machine
    log: GroupFlush
    connections: Slots
    pooler: Slots = field(default_factory=lambda: Slots(1))
    receiver: Slots = field(default_factory=lambda: Slots(1))
    sender: Slots = field(default_factory=lambda: Slots(1))


class Cluster:
    """Balancer, servers, poolers, leader and followers in a simulation."""

    def __init__(self, simulation: Simulation, place: Place, costs: Costs) -> None:
        self.simulation, self.costs = simulation, costs
        self.machines: dict[str, list[Machine]] = {}
        only = Machine(simulation, place.one_machine_cores) if place.one_machine_cores else None

        def machine(kind: str, cores: int) -> Machine:
            found = only or Machine(simulation, cores)
            self.machines.setdefault(kind, []).append(found)
            return found

        draw = simulation.random.choice
        self._balancer = machine("balancer", place.balancer_cores)
        self._balancing, self._relaying = Slots(place.balancer_threads), Slots(2)
        self._client_machine = only
        servers = [
            [Server(shared) for _ in range(place.servers_per_machine)]
            for shared in (machine("server", place.server_cores) for _ in range(place.servers // place.servers_per_machine))
        ]  # fmt: skip
        self._servers = itertools.cycle(
            [each for group in zip(*servers, strict=True) for each in group]
        )
        self._leader = Node(
            machine("leader", place.node_cores),
            GroupFlush(simulation, lambda: draw(costs.flush_s)),
            Slots(place.connections),
        )
        self._followers = [
            Node(
                machine("follower", place.node_cores),
                GroupFlush(simulation, lambda: draw(costs.standby_flush_s)),
                Slots(place.connections),
            )
            for _ in range(place.followers)
        ]
        self._reads = itertools.cycle(self._followers)
        if only:
            simulation.spawn(self._background(only))

    def busy_s(self) -> dict[str, float]:
        """Returns the time that the cores of each kind of machine were busy, as a mean over the cores."""
        return {
            name: statistics.fmean(machine.busy_s() / machine.cores for machine in machines)
            for name, machines in self.machines.items()
        }

    def read(self, client: Slots) -> Process:
        """A search: one query on a follower."""
        need = self.simulation.random.choice(self.costs.read)
        yield from self._request(need, next(self._reads), client, is_write=False)

    def write(self, client: Slots) -> Process:
        """A review: one command on the leader, acknowledged after a standby has flushed it."""
        need = self.simulation.random.choice(self.costs.write)
        yield from self._request(need, self._leader, client, is_write=True)

    def _request(self, need: Demand, node: Node, client: Slots, *, is_write: bool) -> Process:
        server = next(self._servers)
        # a query's messages pass a relay twice; those of a commit pass it twice per standby
        relay_s = need["relay"] / (2 + 2 * len(self._followers) * is_write)
        yield from self._client(client, need)
        yield from self._balance(need)
        yield server.threads.acquire
        yield from self._use(server.machine, server.interpreter, need["server"] / 2)
        yield from self._balance(need)
        yield from self._relay(relay_s)
        yield from self._use(node.machine, node.pooler, need["pooler"] / 2)
        yield node.connections.acquire
        yield from self._message()
        yield node.machine.work(need["backend"])
        if is_write:
            yield from self._commit(need, relay_s)
        yield from self._use(node.machine, node.pooler, need["pooler"] / 2)
        node.connections.release()
        yield from self._relay(relay_s)
        yield from self._balance(need)
        yield from self._use(server.machine, server.interpreter, need["server"] / 2)
        server.threads.release()
        yield from self._balance(need)
        yield from self._client(client, need)

    def _commit(self, need: Demand, relay_s: float) -> Process:
        """Flushes the log of the leader, then waits for the first standby (synchronous_standby_names ANY 1)."""
        yield self._leader.log.flush
        yield self.simulation.first_of(
            [self._replicate(need, each, relay_s) for each in self._followers]
        )

    def _replicate(self, need: Demand, node: Node, relay_s: float) -> Process:
        standbys = len(self._followers)
        sender_s, receiver_s = need["sender"] / standbys / 2, need["receiver"] / standbys
        yield from self._use(self._leader.machine, node.sender, sender_s)
        yield from self._relay(relay_s)
        yield from self._use(node.machine, node.receiver, receiver_s)
        yield node.log.flush
        yield from self._relay(relay_s)
        yield from self._use(self._leader.machine, node.sender, sender_s)
        # replay and background processes do not delay acknowledgements
        self.simulation.spawn(_job(node.machine, need["log"] / standbys))

    def _client(self, client: Slots, need: Demand) -> Process:
        if self._client_machine:
            yield from self._use(self._client_machine, client, need[CLIENT] / 2)

    def _balance(self, need: Demand) -> Process:
        yield from self._use(self._balancer, self._balancing, need["balancer"] / 4)

    def _relay(self, cpu_s: float) -> Process:
        """The relays of the small cluster; separate machines have none."""
        if self._client_machine:
            yield from self._use(self._client_machine, self._relaying, cpu_s)

    def _use(self, machine: Machine, slots: Slots, cpu_s: float) -> Process:
        """A message to a program, which serves it when one of its threads is free."""
        yield from self._message()
        yield slots.acquire
        yield machine.work(cpu_s)
        slots.release()

    def _message(self) -> Process:
        yield self.simulation.pause(self.costs.message_s)

    def _background(self, machine: Machine) -> Process:
        while self.costs.background:
            yield self.simulation.pause(
                self.simulation.random.expovariate(self.costs.background / SLICE_S)
            )
            self.simulation.spawn(_job(machine, SLICE_S))


def _job(machine: Machine, cpu_s: float) -> Process:
    yield machine.work(cpu_s)


@dataclass(frozen=True)
class Group:
    """Closed clients: connections that think for an exponential time between requests of one kind."""

    kind: str
    connections: int
    think_s: float = 0.0

    @property
    def is_write(self) -> bool:
        """Whether the requests are writes."""
        return self.kind == "write"


@dataclass(frozen=True)
class Prediction:
    """Completed requests of a group per second and their latencies in ms."""

    per_s: float
    p50_ms: float
    p95_ms: float


def simulate(
    costs: Costs, place: Place, groups: Sequence[Group], *, seconds: float = 40, seed: int = 1
) -> tuple[list[Prediction], dict[str, float]]:
    """Returns the predictions by group, and the utilisation by kind of machine.

    The first tenth of the time is not counted."""
    simulation = Simulation(seed)
    cluster = Cluster(simulation, place, costs)
    times_s: list[list[float]] = [[] for _ in groups]
    warm_up_s = seconds / 10

    def client(group: Group, thread: Slots, into_s: list[float]) -> Process:
        request = cluster.write if group.is_write else cluster.read
        while True:
            if group.think_s:
                yield simulation.pause(simulation.random.expovariate(1 / group.think_s))
            started_s = simulation.now_s
            yield from request(thread)
            if started_s > warm_up_s:
                into_s.append(simulation.now_s - started_s)

    for group, into_s in zip(groups, times_s, strict=True):
        thread = Slots(1)
        for _ in range(group.connections):
            simulation.spawn(client(group, thread, into_s))
    simulation.run(warm_up_s)
    before_s = cluster.busy_s()
    simulation.run(seconds)
    counted_s = seconds - warm_up_s
    used = {
        name: (busy_s - before_s[name]) / counted_s for name, busy_s in cluster.busy_s().items()
    }
    return [_prediction(sorted(each), counted_s) for each in times_s], used


def _prediction(ordered_s: list[float], seconds: float) -> Prediction:
    def percentile_ms(share: float) -> float:
        return 1000 * ordered_s[min(len(ordered_s) - 1, int(len(ordered_s) * share))]

    return Prediction(len(ordered_s) / seconds, percentile_ms(0.5), percentile_ms(0.95))
