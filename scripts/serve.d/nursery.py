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
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

LOADED = b"loaded"
PATH_BYTES = 4096


def main() -> None:
    """Forks until the supervisor closes its end; what is left then has lost the supervisor, and ends."""
    args = parse()
    supervisor, keeper = os.getppid(), socket.socket(fileno=args.keeper)
    # what is loaded stays
    gc.disable()
    app = load()
    configure_front(app, args)
    signal.signal(signal.SIGCHLD, lambda *_: pass_on(supervisor))
    gc.collect()
    gc.freeze()
    gc.enable()
    servers: list[int] = []
    with suppress(BrokenPipeError):
        keeper.send(LOADED)
        while path := keeper.recv(PATH_BYTES):
            pid = os.fork()
            if not pid:
                keeper.close()
                live(app, Path(os.fsdecode(path)), args.threads)
            servers.append(pid)
            keeper.send(str(pid).encode())
    end(servers)


def load() -> Any:
    """The application; a fork would leave out threads, so the short-lived ones of its libraries end first."""
    from geoshops import metrics

    try:
        from wsgi import app
    except SystemExit:
        print("geoshops: the service cannot be loaded", file=sys.stderr)
        sys.exit(os.EX_CONFIG)
    # this process does not serve
    metrics.WORKERS_STARTED.reset()
    while threading.active_count() > 1:
        time.sleep(0.01)
    return app


def configure_front(app: Any, args: argparse.Namespace) -> None:
    """Writes nginx' configuration, unless nginx runs with it already: it changes with a restart only."""
    from geoshops.operations import nginx

    path = args.run / "nginx.conf"
    if not path.exists():
        settings = app.extensions["geoshops.settings"]
        text = nginx.config_of(
            settings, servers=args.servers, listen=args.listen, run=str(args.run), user=args.user
        )
        path.write_text(text, encoding="utf-8")


def end(servers: list[int]) -> None:
    """Kills those that still run: a number whose process was waited for may be a stranger's."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for pid in servers:
        with suppress(ChildProcessError):
            os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            os.kill(pid, signal.SIGKILL)


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
    from processes import end_with_parent

    from geoshops import metrics

    server = os.getpid()

    def target(_: str) -> Any:
        end_with_parent(signal.SIGKILL, server)
        metrics.WORKERS_STARTED.inc()
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
    parser.add_argument("--server", dest="servers", action="append", help="address of a worker")
    parser.add_argument("--listen", help="address of nginx")
    parser.add_argument("--run", type=Path, help="folder of nginx' files")
    parser.add_argument("--user", default="", help="user of nginx' workers")
    parser.add_argument("--keeper", type=int, required=True, help="socket of the supervisor")
    return parser.parse_args()


if __name__ == "__main__":
    sys.path.insert(0, str(Path.cwd()))
    main()
