"""Loads the service once and forks a server of it for each path that it is told.

To load the service takes a second of processor time, and several seconds where requests want the processor, too;
a fork takes milliseconds. So whoever kills every worker is noticed for a moment only. What was loaded is shared
between the workers, which saves memory as well."""

from __future__ import annotations

import argparse
import gc
import os
import signal
import socket
import sys
import threading
import time
import traceback
from pathlib import Path
from typing import Any, NoReturn

LOADED = b"loaded"
PATH_BYTES = 4096


def main() -> None:
    """Forks until the supervisor closes its end."""
    args = parse()
    supervisor, keeper = os.getppid(), socket.socket(fileno=args.keeper)
    app = load()
    signal.signal(signal.SIGCHLD, lambda *_: pass_on(supervisor))
    gc.collect()
    gc.freeze()
    keeper.send(LOADED)
    while path := keeper.recv(PATH_BYTES):
        pid = os.fork()
        if not pid:
            keeper.close()
            live(app, Path(os.fsdecode(path)), args.threads)
        keeper.send(str(pid).encode())


def load() -> Any:
    """The application; a fork would leave out threads, so the short-lived ones of its libraries end first."""
    from geoshops import observe

    try:
        from wsgi import app
    except SystemExit:
        print("geoshops: the service cannot be loaded", file=sys.stderr)
        sys.exit(os.EX_CONFIG)
    # this process does not serve
    observe.WORKERS.reset()
    while threading.active_count() > 1:
        time.sleep(0.01)
    return app


def pass_on(supervisor: int) -> None:
    """Takes the ends of servers down and wakes the supervisor, who watches them."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass
    if os.getppid() == supervisor:
        os.kill(supervisor, signal.SIGCHLD)


def live(app: Any, path: Path, threads: int) -> NoReturn:
    """The forked process: a server, in a process group of its own."""
    status = 1
    try:
        os.setsid()
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        serve(app, path, threads)
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def serve(app: Any, path: Path, threads: int) -> None:
    """Serves until SIGTERM; granian forks the one worker."""
    from granian import Granian
    from granian.constants import Interfaces
    from granian.log import LogLevels

    from geoshops import observe

    def target(_: str) -> Any:
        observe.WORKERS.inc()
        return app

    Granian(
        "wsgi:app", uds=path, uds_permissions=0o666, interface=Interfaces.WSGI, workers=1,
        blocking_threads=threads, backpressure=1024, websockets=False, log_access=False,
        log_level=LogLevels.warning,
    ).serve(target_loader=target)  # fmt: skip


def parse() -> argparse.Namespace:
    """The command line; production.py fills it in."""
    parser = argparse.ArgumentParser(prog="nursery")
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--keeper", type=int, required=True, help="socket of the supervisor")
    return parser.parse_args()


if __name__ == "__main__":
    sys.path.insert(0, str(Path.cwd()))
    main()
