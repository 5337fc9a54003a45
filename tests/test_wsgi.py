"""The entry point of WSGI servers."""

from __future__ import annotations

import os
from contextlib import suppress

from tests.conftest import SECRET_KEY
from tests.server import serving, wait_until, workers_of


def schedulers(origin: str) -> list[int]:
    """How each thread of the workers is scheduled."""
    found = []
    for thread in [thread.id for worker in workers_of(origin) for thread in worker.threads()]:
        # the service's libraries have threads of a moment while they load
        with suppress(ProcessLookupError):
            found.append(os.sched_getscheduler(thread))
    return found


def test_workers_do_not_push_the_database_aside(service_url: str) -> None:
    with serving(service_url, SECRET_KEY) as origin:
        # one worker answers while another still loads the service
        wait_until(lambda: set(schedulers(origin)) == {os.SCHED_BATCH})
        assert len(schedulers(origin)) >= 4
