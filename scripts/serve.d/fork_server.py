"""Loads the service once and forks a server for each socket path that it receives.

Forking is much cheaper than loading, so killed workers are replaced quickly even under load. Workers share the
loaded memory."""

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
    """Forks servers until the supervisor closes its end of the socket, then kills the remaining ones."""
    args = parse()
    supervisor, control = os.getppid(), socket.socket(fileno=args.control)
    # loaded objects live as long as the process: freezing them keeps their pages shared after a fork
    gc.disable()
    app = load()
    configure_nginx(app, args)
    signal.signal(signal.SIGCHLD, lambda *_: reap(supervisor))
    gc.collect()
    gc.freeze()
    gc.enable()
    servers: list[int] = []
    with suppress(BrokenPipeError):
        control.send(LOADED)
        while path := control.recv(PATH_BYTES):
            pid = os.fork()
            if not pid:
                control.close()
                run_server(app, Path(os.fsdecode(path)), args.threads)
            servers.append(pid)
            control.send(str(pid).encode())
    end(servers)


def load() -> Any:
    """Loads the application and waits until short-lived library threads have ended: a fork would lose them."""
    from geoshops import metrics

    try:
        from wsgi import app
    except SystemExit:
        print("geoshops: the service cannot be loaded", file=sys.stderr)
        sys.exit(os.EX_CONFIG)
    # the fork server is not a worker
    metrics.WORKERS_STARTED.reset()
    while threading.active_count() > 1:
        time.sleep(0.01)
    return app


def configure_nginx(app: Any, args: argparse.Namespace) -> None:
    """Writes nginx' configuration unless it exists: a reload does not change it."""
    from geoshops.operations import nginx

    path = args.run / "nginx.conf"
    if not path.exists():
        settings = app.extensions["geoshops.settings"]
        text = nginx.config_of(
            settings, servers=args.servers, listen=args.listen, run=str(args.run), user=args.user
        )
        path.write_text(text, encoding="utf-8")


def end(servers: list[int]) -> None:
    """Kills servers that still run. WNOWAIT keeps the pid reserved, so that kill cannot hit another process."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for pid in servers:
        with suppress(ChildProcessError):
            os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            os.kill(pid, signal.SIGKILL)


def reap(supervisor: int) -> None:
    """Reaps ended servers and wakes the supervisor, which replaces them."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass
    if os.getppid() == supervisor:
        os.kill(supervisor, signal.SIGCHLD)


def run_server(app: Any, path: Path, threads: int) -> NoReturn:
    """Runs a server in the forked process, in its own process group."""
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
    """Serves until SIGTERM; granian forks one worker."""
    from granian import Granian
    from granian.constants import Interfaces
    from granian.log import LogLevels
    from processes import end_with_parent, schedule_as_batch

    from geoshops import metrics

    server = os.getpid()

    def target(_: str) -> Any:
        end_with_parent(signal.SIGKILL, server)
        schedule_as_batch()
        metrics.WORKERS_STARTED.inc()
        return app

    Granian(
        "wsgi:app", uds=path, uds_permissions=0o666, interface=Interfaces.WSGI, workers=1,
        blocking_threads=threads, backpressure=1024, websockets=False, log_access=False,
        log_level=LogLevels.warning,
    ).serve(target_loader=target)  # fmt: skip


def parse() -> argparse.Namespace:
    """Parses the command line, which production.py builds."""
    parser = argparse.ArgumentParser(prog="fork_server")
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--server", dest="servers", action="append", help="address of a worker")
    parser.add_argument("--listen", help="address of nginx")
    parser.add_argument("--run", type=Path, help="folder of nginx' files")
    parser.add_argument("--user", default="", help="user of nginx' workers")
    parser.add_argument("--control", type=int, required=True, help="socket of the supervisor")
    return parser.parse_args()


if __name__ == "__main__":
    sys.path.insert(0, str(Path.cwd()))
    main()
