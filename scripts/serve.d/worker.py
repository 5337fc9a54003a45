"""The service as the workers of scripts/serve load it: they end with a server that was killed."""

from __future__ import annotations

import multiprocessing
import signal
from typing import Any

from processes import end_with_parent


def load() -> Any:
    """The application, in a process that granian started."""
    server = multiprocessing.parent_process()
    if server and server.pid:
        end_with_parent(signal.SIGKILL, server.pid)
    from wsgi import app

    return app
