"""Members that write and record acknowledged writes, and the comparison of the records with the database.

A member repeats a request, with the same Idempotency-Key, until the response is valid and not retryable."""

from __future__ import annotations

import json
import random
import threading
import time
from dataclasses import dataclass, field
from typing import Any

from client import Client, Log, Response
from cluster import Cluster

from geoshops import create_app
from geoshops.web import tokens
from geoshops.web.tokens import Caller

SHOPS = 200
MOST_REVIEWS = 30
STUCK_S = 60
PAUSE_S = (0.02, 0.1)
CLEAR = range(200, 500)


@dataclass
class Violations:
    """Violated guarantees, each with a description."""

    lost: list[str] = field(default_factory=list)
    returned: list[str] = field(default_factory=list)
    stale: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    rejected: list[str] = field(default_factory=list)

    def figures(self) -> dict[str, int]:
        """Returns the number of violations of each kind."""
        return {name: len(found) for name, found in vars(self).items()}


class Member(threading.Thread):
    """A member that writes until stopped and records the expected rows."""

    def __init__(
        self, number: int, token: str, client: Client, violations: Violations, stop: threading.Event
    ) -> None:
        super().__init__(daemon=True)
        self.number, self.client, self.violations, self.stopped = number, client, violations, stop
        self.headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        self.random = random.Random(number)
        self.reviews: dict[int, tuple[int, int, str]] = {}
        self.favorites: set[int] = set()
        self.nickname = f"w{number}"
        self.acknowledged = 0
        self.serial = 0

    def run(self) -> None:
        """Runs random writes."""
        writes = (self.create, self.change, self.delete, self.add, self.remove, self.rename)
        while not self.stopped.is_set():
            self.random.choices(writes, (30, 20, 20, 15, 14, 1))[0]()

    def create(self) -> None:
        """Creates a review with an Idempotency-Key."""
        if len(self.reviews) >= MOST_REVIEWS:
            return
        shop, review = self._shop(), self._review()
        key = f"{self.number}-{self.serial}"
        response = self._until_valid(
            "POST", f"/reviews/shop/{shop}", review, {"Idempotency-Key": key}
        )
        if self._is_acknowledged(response, 201):
            made = json.loads(response.body)["review_info"]["id"]
            self.reviews[made] = (shop, review["star_rating"], review["content"])
            self._look(made)

    def change(self) -> None:
        """Replaces a review."""
        if not self.reviews:
            return
        number, review = self.random.choice(list(self.reviews)), self._review()
        response = self._until_valid("PATCH", f"/reviews/{number}", review)
        if self._is_acknowledged(response, 200):
            shop = self.reviews[number][0]
            self.reviews[number] = (shop, review["star_rating"], review["content"])
            self._look(number)
        elif response.status == 404:
            self.violations.lost.append(f"review {number} was not there to change")

    def delete(self) -> None:
        """Deletes a review; a repeated request may return 404."""
        if not self.reviews:
            return
        number = self.random.choice(list(self.reviews))
        response = self._until_valid("DELETE", f"/reviews/{number}")
        if response.status == 404 and not self.repeated:
            self.violations.lost.append(f"review {number} was not there to delete")
        if response.status == 404 or self._is_acknowledged(response, 200):
            del self.reviews[number]

    def add(self) -> None:
        """Adds a favorite."""
        shop = self._shop()
        if self._is_acknowledged(self._until_valid("POST", f"/favorites/{shop}"), 201, 200):
            self.favorites.add(shop)

    def remove(self) -> None:
        """Removes a favorite if there is one."""
        shop = self.random.choice(list(self.favorites)) if self.favorites else self._shop()
        if self._is_acknowledged(self._until_valid("DELETE", f"/favorites/{shop}"), 200):
            self.favorites.discard(shop)

    def rename(self) -> None:
        """Changes the nickname."""
        self.serial += 1
        name = f"w{self.number}-{self.serial}"
        if self._is_acknowledged(
            self._until_valid("PATCH", "/member/nickname", {"nickname": name}), 200
        ):
            self.nickname = name

    def _shop(self) -> int:
        # most writes concern a few shops, so that they contend for the same counters
        return self.random.choice((1, 2, 3, self.random.randint(1, SHOPS)))

    def _review(self) -> dict[str, Any]:
        self.serial += 1
        stars = self.random.randint(1, 5)
        return {"star_rating": stars, "content": f"{self.number}/{self.serial}", "purity": "GOOD"}

    def _until_valid(
        self, method: str, path: str, body: object = None, more: dict[str, str] | None = None
    ) -> Response:
        data = json.dumps(body).encode() if body else None
        headers = {**self.headers, **(more or {})}
        until = time.monotonic() + STUCK_S
        self.repeated = False
        while time.monotonic() < until:
            response = self.client.request(method, path, headers, data)
            if response.status in CLEAR and response.status != 429 and not response.is_retryable:
                return response
            self.repeated = True
            time.sleep(self.random.uniform(*PAUSE_S))
        raise SystemExit(f"no valid response to {method} {path} for {STUCK_S} s: {response}")

    def _is_acknowledged(self, response: Response, *statuses: int) -> bool:
        if response.status in statuses:
            self.acknowledged += 1
            return True
        if response.status != 404:
            self.violations.rejected.append(f"{response.status} {response.body[:200]!r}")
        return False

    def _look(self, number: int) -> None:
        """Reads one in ten reviews after the write: an older state must not be returned."""
        if self.random.random() < 0.1:
            seen = self.client.request("GET", f"/reviews/{number}")
            if seen.status == 404:
                self.violations.lost.append(f"review {number} cannot be read after its write")
            elif (
                seen.status == 200
                and json.loads(seen.body)["review_info"]["content"] != self.reviews[number][2]
            ):
                self.violations.stale.append(f"review {number} shows an older text after its write")


class Ledger:
    """The members of a run."""

    def __init__(
        self, cluster: Cluster, port: int, secret_key: str, log: Log, members: int
    ) -> None:
        self.cluster = cluster
        self.violations = Violations()
        self.stopped = threading.Event()
        fill(cluster, members)
        self.tokens = sign_in(cluster, secret_key, members)
        self.members = [
            Member(number, token, Client(port, log), self.violations, self.stopped)
            for number, token in enumerate(self.tokens, start=1)
        ]

    @property
    def acknowledged(self) -> int:
        """Writes acknowledged so far."""
        return sum(member.acknowledged for member in self.members)

    def start(self) -> None:
        """Starts all members."""
        for member in self.members:
            member.start()

    def stop(self) -> None:
        """Waits until all members have finished their current write."""
        self.stopped.set()
        for member in self.members:
            member.join(STUCK_S + 10)
            if member.is_alive():
                raise SystemExit(f"a member did not finish within {STUCK_S + 10} s")

    def compare(self) -> int:
        """Compares with the database; returns the number of shops with wrong counters."""
        connection = self.cluster.connect()
        cursor = connection.cursor()
        for member in self.members:
            self._compare_reviews(cursor, member)
            self._compare_rest(cursor, member)
        cursor.execute("SELECT count(*) FROM counter_differences")
        (differing,) = cursor.fetchone()
        connection.close()
        return int(differing)

    def _compare_reviews(self, cursor: Any, member: Member) -> None:
        cursor.execute(
            "SELECT id, shop_id, star_rating, content FROM reviews WHERE member_id = %s",
            (member.number,),
        )
        rows = {row[0]: tuple(row[1:]) for row in cursor.fetchall()}
        expected = member.reviews
        texts = {content for _, _, content in expected.values()}
        for number in expected.keys() - rows.keys():
            self.violations.lost.append(f"review {number} of member {member.number}")
        for number in rows.keys() - expected.keys():
            again = rows[number][2] in texts
            place = self.violations.doubled if again else self.violations.returned
            place.append(f"review {number} of member {member.number}")
        for number in expected.keys() & rows.keys():
            if expected[number] != rows[number]:
                self.violations.stale.append(
                    f"review {number}: {rows[number]}, not {expected[number]}"
                )

    def _compare_rest(self, cursor: Any, member: Member) -> None:
        cursor.execute("SELECT shop_id FROM favorites WHERE member_id = %s", (member.number,))
        rows = {row[0] for row in cursor.fetchall()}
        who = f"of member {member.number}"
        self.violations.lost += [f"favorite {shop} {who}" for shop in member.favorites - rows]
        self.violations.returned += [f"favorite {shop} {who}" for shop in rows - member.favorites]
        cursor.execute("SELECT nickname FROM members WHERE id = %s", (member.number,))
        (nickname,) = cursor.fetchone()
        if nickname != member.nickname:
            self.violations.stale.append(f"nickname {nickname}, not {member.nickname}")


def fill(cluster: Cluster, members: int) -> None:
    """Inserts shops along a line, members and their sessions; ids start at 1."""
    connection = cluster.connect()
    cursor = connection.cursor()
    cursor.execute("INSERT INTO brands (id, name, is_representative) VALUES (1, '인생네컷', true)")
    cursor.execute(
        "INSERT INTO shops (id, brand_id, place_name, geog) SELECT n, 1, '인생네컷 ' || n || '호점',"
        " point_at(127 + n * 0.0001, 37.5) FROM generate_series(1, %s) n", (SHOPS,),
    )  # fmt: skip
    cursor.execute(
        "INSERT INTO members (id, nickname, nickname_key) SELECT n, 'w' || n, 'w' || n"
        " FROM generate_series(1, %s) n", (members,),
    )  # fmt: skip
    cursor.execute(
        "INSERT INTO sessions (id, member_id, expires_at, refresh_hash)"
        " SELECT n, n, now() + interval '1 day', sha256('x') FROM generate_series(1, %s) n", (members,),
    )  # fmt: skip
    cursor.execute("ANALYZE")
    connection.close()


def sign_in(cluster: Cluster, secret_key: str, members: int) -> list[str]:
    """Issues access tokens for the members."""
    config = {"database_url": cluster.url("geoshops_app"), "secret_key": secret_key}
    with create_app(
        {**config, "access_token_minutes": 24 * 60, "log_level": "ERROR"}
    ).app_context():
        return [tokens.issue_access(Caller(n, n)) for n in range(1, members + 1)]
