"""Members who write and take down every acknowledged write, and the comparison with the database.

Each does as a good client does: what got no clear answer is asked again, creations with the same
Idempotency-Key, until the answer is clear."""

from __future__ import annotations

import json
import random
import threading
import time
from dataclasses import dataclass, field
from typing import Any

from client import Answer, Client, Log
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
    """What must never happen; each with a line that says where."""

    lost: list[str] = field(default_factory=list)
    returned: list[str] = field(default_factory=list)
    stale: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    def figures(self) -> dict[str, int]:
        """How many of each."""
        return {name: len(found) for name, found in vars(self).items()}


class Member(threading.Thread):
    """One member who writes until told to stop; knows what the database must hold of it."""

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
        """Writes."""
        acts = (self.create, self.change, self.delete, self.add, self.remove, self.rename)
        while not self.stopped.is_set():
            self.random.choices(acts, (30, 20, 20, 15, 14, 1))[0]()

    def create(self) -> None:
        """Writes a review under a key that makes it one."""
        if len(self.reviews) >= MOST_REVIEWS:
            return
        shop, review = self._shop(), self._review()
        key = f"{self.number}-{self.serial}"
        found = self._until_clear("POST", f"/reviews/shop/{shop}", review, {"Idempotency-Key": key})
        if self._acknowledges(found, 201):
            made = json.loads(found.body)["review_info"]["id"]
            self.reviews[made] = (shop, review["star_rating"], review["content"])
            self._look(made)

    def change(self) -> None:
        """Replaces a review."""
        if not self.reviews:
            return
        number, review = self.random.choice(list(self.reviews)), self._review()
        found = self._until_clear("PATCH", f"/reviews/{number}", review)
        if self._acknowledges(found, 200):
            shop = self.reviews[number][0]
            self.reviews[number] = (shop, review["star_rating"], review["content"])
            self._look(number)
        elif found.status == 404:
            self.violations.lost.append(f"review {number} was not there to change")

    def delete(self) -> None:
        """Deletes a review; 404 is as good when an earlier attempt got no answer."""
        if not self.reviews:
            return
        number = self.random.choice(list(self.reviews))
        found = self._until_clear("DELETE", f"/reviews/{number}")
        if found.status == 404 and not self.repeated:
            self.violations.lost.append(f"review {number} was not there to delete")
        if found.status == 404 or self._acknowledges(found, 200):
            del self.reviews[number]

    def add(self) -> None:
        """Adds a favorite."""
        shop = self._shop()
        if self._acknowledges(self._until_clear("POST", f"/favorites/{shop}"), 201, 200):
            self.favorites.add(shop)

    def remove(self) -> None:
        """Removes a favorite, most often one that is there."""
        shop = self.random.choice(list(self.favorites)) if self.favorites else self._shop()
        if self._acknowledges(self._until_clear("DELETE", f"/favorites/{shop}"), 200):
            self.favorites.discard(shop)

    def rename(self) -> None:
        """Takes another nickname."""
        self.serial += 1
        name = f"w{self.number}-{self.serial}"
        if self._acknowledges(
            self._until_clear("PATCH", "/member/nickname", {"nickname": name}), 200
        ):
            self.nickname = name

    def _shop(self) -> int:
        # a few shops get most of the writes, as in life; there counters could go wrong
        return self.random.choice((1, 2, 3, self.random.randint(1, SHOPS)))

    def _review(self) -> dict[str, Any]:
        self.serial += 1
        stars = self.random.randint(1, 5)
        return {"star_rating": stars, "content": f"{self.number}/{self.serial}", "purity": "GOOD"}

    def _until_clear(
        self, method: str, path: str, body: object = None, more: dict[str, str] | None = None
    ) -> Answer:
        data = json.dumps(body).encode() if body else None
        headers = {**self.headers, **(more or {})}
        until = time.monotonic() + STUCK_S
        self.repeated = False
        while time.monotonic() < until:
            answer = self.client.ask(method, path, headers, data)
            if answer.status in CLEAR and answer.status != 429 and not answer.again:
                return answer
            self.repeated = True
            time.sleep(self.random.uniform(*PAUSE_S))
        raise SystemExit(f"no clear answer to {method} {path} for {STUCK_S} s: {answer}")

    def _acknowledges(self, answer: Answer, *statuses: int) -> bool:
        if answer.status in statuses:
            self.acknowledged += 1
            return True
        if answer.status != 404:
            self.violations.refused.append(f"{answer.status} {answer.body[:200]!r}")
        return False

    def _look(self, number: int) -> None:
        """Sometimes reads at once what was written: an older state must never be seen again."""
        if self.random.random() < 0.1:
            seen = self.client.ask("GET", f"/reviews/{number}")
            if seen.status == 404:
                self.violations.lost.append(f"review {number} cannot be read after its write")
            elif (
                seen.status == 200
                and json.loads(seen.body)["review_info"]["content"] != self.reviews[number][2]
            ):
                self.violations.stale.append(f"review {number} shows an older text after its write")


class Ledger:
    """All members of one run."""

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
        """Lets everybody write."""
        for member in self.members:
            member.start()

    def stop(self) -> None:
        """Lets everybody finish what was begun."""
        self.stopped.set()
        for member in self.members:
            member.join(STUCK_S + 10)
            if member.is_alive():
                raise SystemExit("a writer hangs")

    def compare(self) -> int:
        """Compares with the database; returns the shops whose counters differ from their rows."""
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
        found = {row[0]: tuple(row[1:]) for row in cursor.fetchall()}
        wanted = member.reviews
        texts = {content for _, _, content in wanted.values()}
        for number in wanted.keys() - found.keys():
            self.violations.lost.append(f"review {number} of member {member.number}")
        for number in found.keys() - wanted.keys():
            again = found[number][2] in texts
            place = self.violations.doubled if again else self.violations.returned
            place.append(f"review {number} of member {member.number}")
        for number in wanted.keys() & found.keys():
            if wanted[number] != found[number]:
                self.violations.stale.append(
                    f"review {number}: {found[number]}, not {wanted[number]}"
                )

    def _compare_rest(self, cursor: Any, member: Member) -> None:
        cursor.execute("SELECT shop_id FROM favorites WHERE member_id = %s", (member.number,))
        found = {row[0] for row in cursor.fetchall()}
        who = f"of member {member.number}"
        self.violations.lost += [f"favorite {shop} {who}" for shop in member.favorites - found]
        self.violations.returned += [f"favorite {shop} {who}" for shop in found - member.favorites]
        cursor.execute("SELECT nickname FROM members WHERE id = %s", (member.number,))
        (nickname,) = cursor.fetchone()
        if nickname != member.nickname:
            self.violations.stale.append(f"nickname {nickname}, not {member.nickname}")


def fill(cluster: Cluster, members: int) -> None:
    """Shops around one place, members and their sessions; ids from 1 on."""
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
    """Access tokens of the members, signed as the service signs."""
    config = {"database_url": cluster.url("geoshops_app"), "secret_key": secret_key}
    with create_app(
        {**config, "access_token_minutes": 24 * 60, "log_level": "ERROR"}
    ).app_context():
        return [tokens.issue_access(Caller(n, n)) for n in range(1, members + 1)]
