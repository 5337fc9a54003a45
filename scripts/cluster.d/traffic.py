"""Generates writes and reads over HTTP and records acknowledged writes in a ledger.

Every write is repeated with the same Idempotency-Key until it is acknowledged. Afterwards the database must
contain each acknowledged review exactly once."""

from __future__ import annotations

import itertools
import secrets
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from typing import Any

import psycopg2
import requests
from layout import Layout

from geoshops import create_app
from geoshops.web import tokens
from geoshops.web.tokens import Caller

MEMBERS = 16
WRITERS, READERS = 4, 2
ANSWER_WITHIN_S = 10
PAUSE_S = 0.1
MEMBER_NAMES = "drill"


@dataclass(frozen=True)
class Member:
    """A member with an access token."""

    id: int
    token: str


@dataclass(frozen=True)
class Acknowledged:
    """An acknowledged write: the start of its last attempt and the time of the response."""

    sent_at: float
    answered_at: float
    review_id: int


@dataclass
class Ledger:
    """The results of all requests of a run."""

    run: str
    writes: dict[str, Acknowledged] = field(default_factory=dict)
    rejections: Counter[str] = field(default_factory=Counter)
    reads: int = 0
    reads_failed: Counter[str] = field(default_factory=Counter)
    slowest_read_s: float = 0.0

    def write_back_after(self, moment: float) -> float | None:
        """Returns the seconds until the first response to a write that was sent after the moment."""
        times = [w.answered_at for w in self.writes.values() if w.sent_at > moment]
        return round(min(times) - moment, 2) if times else None

    def longest_gap_s(self, since: float = 0.0) -> float:
        """Returns the longest time between two acknowledgements."""
        times = sorted(w.answered_at for w in self.writes.values() if w.answered_at >= since)
        return round(max((b - a for a, b in itertools.pairwise(times)), default=0.0), 2)


class Traffic:
    """Threads that write and read until stopped."""

    def __init__(self, layout: Layout, *, writers: int = WRITERS, readers: int = READERS) -> None:
        self.layout = layout
        self.members = make_members(layout)
        self.shops = shop_ids(layout)
        self.ledger = Ledger(secrets.token_hex(4))
        self.over = threading.Event()
        self.lock = threading.Lock()
        loops = [(self._write, n) for n in range(writers)] + [
            (self._read, n) for n in range(readers)
        ]
        self.threads = [threading.Thread(target=loop, args=(n,), daemon=True) for loop, n in loops]

    def start(self) -> None:
        """Starts all threads."""
        for thread in self.threads:
            thread.start()

    def stop(self) -> Ledger:
        """Stops all threads; writes in progress are repeated for at most 30 s."""
        self.over.set()
        for thread in self.threads:
            thread.join(60)
        return self.ledger

    def _write(self, worker: int) -> None:
        session = requests.Session()
        number = 0
        while not self.over.is_set():
            number += 1
            member = self.members[(worker * 5 + number) % len(self.members)]
            shop = self.shops[(worker * 7 + number) % len(self.shops)]
            key = f"drill-{self.ledger.run}-{worker}-{number}"
            self._write_until_acknowledged(session, member, shop, key)

    def _write_until_acknowledged(
        self, session: requests.Session, member: Member, shop: int, key: str
    ) -> None:
        gives_up_at = None
        while gives_up_at is None or time.monotonic() < gives_up_at:
            if self.over.is_set() and gives_up_at is None:
                gives_up_at = time.monotonic() + 30
            sent_at = time.monotonic()
            try:
                response = post_review(session, self.layout.origin, member, shop, key)
            except requests.RequestException as error:
                self._count_rejection(type(error).__name__)
                continue
            if response.status_code == 201:
                done = Acknowledged(sent_at, time.monotonic(), review_of(response))
                with self.lock:
                    self.ledger.writes[key] = done
                return
            self._count_rejection(_rejection(response))

    def _count_rejection(self, why: str) -> None:
        with self.lock:
            self.ledger.rejections[why] += 1
        time.sleep(PAUSE_S)

    def _read(self, worker: int) -> None:
        session = requests.Session()
        number = worker
        while not self.over.is_set():
            number += 1
            shop = self.shops[number % len(self.shops)]
            path = (f"shops/{shop}", f"reviews/shop/{shop}", RADIUS)[number % 3]
            started = time.monotonic()
            failure = read(session, f"{self.layout.origin}/{path}")
            with self.lock:
                self.ledger.reads += 1
                took_s = time.monotonic() - started
                self.ledger.slowest_read_s = max(self.ledger.slowest_read_s, round(took_s, 2))
                if failure:
                    self.ledger.reads_failed[failure] += 1
            time.sleep(0.01)


RADIUS = "shops/brand?userLat=37.4979&userLng=127.0276&mapLat=37.4979&mapLng=127.0276&radius=1000"


def read(session: requests.Session, url: str) -> str | None:
    """Sends a read; returns the cause of a failure or None."""
    try:
        response = session.get(url, timeout=ANSWER_WITHIN_S)
    except requests.RequestException as error:
        return type(error).__name__
    return None if response.status_code == 200 else str(response.status_code)


def post_review(
    session: requests.Session, origin: str, member: Member, shop: int, key: str
) -> requests.Response:
    """Sends one attempt. The review's text is the key, which the audit looks for."""
    return session.post(
        f"{origin}/reviews/shop/{shop}",
        json={"star_rating": 4, "content": key},
        headers={"Authorization": f"Bearer {member.token}", "Idempotency-Key": key},
        timeout=ANSWER_WITHIN_S,
    )


def review_of(response: requests.Response) -> int:
    """Returns the id of the created review."""
    return int(response.headers["Location"].rsplit("/", 1)[1])


def _rejection(response: requests.Response) -> str:
    must_wait = response.status_code in (409, 503) and "Retry-After" in response.headers
    return f"{response.status_code} with Retry-After" if must_wait else str(response.status_code)


@contextmanager
def owner_cursor(layout: Layout) -> Iterator[Any]:
    """Yields an autocommit cursor on the leader as the schema owner."""
    with closing(psycopg2.connect(layout.url("direct", "owner"), connect_timeout=5)) as connection:
        connection.autocommit = True
        yield connection.cursor()


def make_members(layout: Layout, count: int = MEMBERS) -> list[Member]:
    """Creates members unless they exist, and new sessions and tokens for them."""
    with owner_cursor(layout) as cursor:
        cursor.execute(
            "INSERT INTO members (nickname, nickname_key) SELECT %(name)s || n, %(name)s || n"
            " FROM generate_series(1, %(count)s) n ON CONFLICT (nickname_key) DO NOTHING",
            {"name": MEMBER_NAMES, "count": count},
        )
        cursor.execute(
            "INSERT INTO sessions (member_id, device, expires_at, refresh_hash)"
            " SELECT id, %(name)s, now() + interval '1 day', sha256('drill') FROM members"
            " WHERE nickname_key ~ ('^' || %(name)s || '[0-9]+$') ORDER BY id RETURNING member_id, id",
            {"name": MEMBER_NAMES},
        )
        sessions = cursor.fetchall()
    app = create_app(
        {
            "database_url": layout.url("writer"),
            "secret_key": layout.secrets["key"],
            "log_level": "ERROR",
        }
    )
    with app.app_context():
        return [Member(m, tokens.issue_access(Caller(m, session))) for m, session in sessions]


def shop_ids(layout: Layout, count: int = 200) -> list[int]:
    """Returns the ids of shops to review."""
    with owner_cursor(layout) as cursor:
        cursor.execute("SELECT id FROM shops WHERE status = 'OPEN' ORDER BY id LIMIT %s", (count,))
        return [row[0] for row in cursor.fetchall()]


def audit(layout: Layout, ledger: Ledger) -> dict[str, int]:
    """Compares the ledger and all counters with the leader's rows."""
    with owner_cursor(layout) as cursor:
        cursor.execute(
            "SELECT content, array_agg(id) FROM reviews WHERE content LIKE %s GROUP BY content",
            (f"drill-{ledger.run}-%",),
        )
        rows = dict(cursor.fetchall())
        cursor.execute(
            "SELECT count(*) FROM shops s LEFT JOIN (SELECT shop_id, count(*) AS n, sum(star_rating) AS stars"
            " FROM reviews WHERE hidden_at IS NULL GROUP BY 1) r ON r.shop_id = s.id"
            " WHERE (s.review_cnt, s.star_rating_sum) <> (coalesce(r.n, 0), coalesce(r.stars, 0))"
        )
        (counters_wrong,) = cursor.fetchone()
    lost = [key for key, done in ledger.writes.items() if done.review_id not in rows.get(key, [])]
    return {
        "acknowledged": len(ledger.writes),
        "acknowledged_lost": len(lost),
        "duplicates": sum(len(ids) - 1 for ids in rows.values()),
        "counters_wrong": int(counters_wrong),
    }
