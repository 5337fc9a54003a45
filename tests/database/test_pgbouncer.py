"""PgBouncer in transaction mode in front of primary and replica: the service keeps no session state."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psycopg2
import pytest

from tests.conftest import SECRET_KEY, as_role
from tests.database.clusters import Cluster
from tests.database.conftest import NAME, Service
from tests.pooler import POOL_SIZE, pooled
from tests.server import serving

# pooled() checks the settings
LEFT_BEHIND = """
SELECT (SELECT count(*) FROM pg_prepared_statements), (SELECT count(*) FROM pg_cursors WHERE is_holdable),
  (SELECT count(*) FROM pg_listening_channels()), pg_my_temp_schema()::bigint,
  (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()), pg_backend_pid()"""


@pytest.fixture
def through(cluster: Cluster) -> Iterator[str]:
    """The service's URL through PgBouncer."""
    program = shutil.which("pgbouncer", path="/usr/sbin:/usr/local/sbin:/usr/local/bin")
    if program is None:
        pytest.skip("no pgbouncer (Debian's package has this name)")
    with pooled(as_role(cluster.database(NAME), "geoshops_app"), Path(program)) as url:
        yield url


def test_many_clients_share_two_sessions_and_leave_nothing_in_them(
    through: str, cluster: Cluster
) -> None:
    # a different URL of the primary is routed as a replica, through the same pooler
    reader = f"{through}?target_session_attrs=any"
    with serving(through, SECRET_KEY, READ_DATABASE_URL=reader) as origin:
        service = Service(origin, cluster)
        for call, status in ((service.read, 200), (service.write, 201), (service.reviews, 200)):
            assert {response.status for response in service.at_once(call, 24)} == {status}
    sessions = set()
    with closing(psycopg2.connect(through)) as one, closing(psycopg2.connect(through)) as other:
        for connection in (one, other):
            # concurrent transactions, which therefore use different sessions
            cursor = connection.cursor()
            cursor.execute(LEFT_BEHIND)
            *counts, session = cursor.fetchone()
            assert counts == [0, 0, 0, 0, 0]
            sessions.add(session)
    assert len(sessions) == POOL_SIZE
