"""A server does not share its port, and counts as started when it responds itself."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
WAITER = """
. scripts/setup.d/common.sh
. "$PARTS/server.sh"
make_state_dir
(exec sh -c 'echo "port $0 is in use" >"$1"' "$PORT" "$SERVER_LOG") &
echo "$!" >"$SERVER_PID"
wait_ready
echo ready
"""


CHOOSER = """
. scripts/setup.d/common.sh
. "$PARTS/server.sh"
make_state_dir
choose_address
echo "$PORT"
exec sleep 60
"""


class Ready(BaseHTTPRequestHandler):
    """The server of another checkout."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Logs nothing."""


@pytest.fixture
def taken_port() -> Iterator[int]:
    with HTTPServer(("127.0.0.1", 0), Ready) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()


def script(folder: Path, text: str, **environment: str) -> tuple[list[str], dict[str, Any]]:
    """A script of a separate checkout, started with Popen."""
    (folder / "scripts").mkdir(parents=True)
    (folder / "scripts" / "setup.d").symlink_to(ROOT / "scripts" / "setup.d")
    (folder / "scripts" / "script").write_text(text)
    environment |= {
        "PATH": "/usr/bin:/bin", "HOME": str(folder), "GEOSHOPS_STATE_DIR": str(folder / "state"),
    }  # fmt: skip
    return ["sh", "scripts/script"], {"cwd": folder, "env": environment, "text": True}


def test_a_response_of_another_server_on_the_port_does_not_count(
    tmp_path: Path, taken_port: int
) -> None:
    words, more = script(tmp_path / "ours", WAITER, HOST="127.0.0.1", PORT=str(taken_port))
    done = subprocess.run(words, capture_output=True, timeout=30, check=False, **more)
    assert (done.returncode, done.stdout) == (1, "")
    assert f"port {taken_port} is in use" in done.stderr


def test_two_that_start_at_once_choose_different_ports(tmp_path: Path) -> None:
    started = []
    try:
        for name in ("one", "two"):
            words, more = script(tmp_path / name, CHOOSER)
            started.append(subprocess.Popen(words, stdout=subprocess.PIPE, **more))
        # neither server listens yet
        ports = {process.stdout.readline() for process in started if process.stdout}
        assert len(ports) == 2
        words, more = script(tmp_path / "three", CHOOSER, PORT=ports.pop().strip())
        rejected = subprocess.run(words, capture_output=True, timeout=30, check=False, **more)
        assert (rejected.returncode, rejected.stdout) == (1, "")
        assert "is in use" in rejected.stderr
    finally:
        for process in started:
            process.kill()
            process.communicate()
