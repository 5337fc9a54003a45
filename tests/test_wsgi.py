"""The entry point of WSGI servers."""

from __future__ import annotations

import os

from tests.conftest import SECRET_KEY
from tests.server import serving, workers_of


def test_workers_do_not_push_the_database_aside(service_url: str) -> None:
    with serving(service_url, SECRET_KEY) as origin:
        threads = [thread.id for worker in workers_of(origin) for thread in worker.threads()]
        assert len(threads) >= 4
        assert {os.sched_getscheduler(thread) for thread in threads} == {os.SCHED_BATCH}
