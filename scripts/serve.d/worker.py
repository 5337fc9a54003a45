"""Loads the application in granian's workers, which end when their server is killed."""

from __future__ import annotations

import multiprocessing
import signal
from typing import Any

from processes import end_with_parent, schedule_as_batch


def load() -> Any:
    """Loads the application."""
    server = multiprocessing.parent_process()
    if server and server.pid:
        end_with_parent(signal.SIGKILL, server.pid)
    schedule_as_batch()
    from wsgi import app

    return app
