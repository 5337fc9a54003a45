"""A server counts as started when it answers itself, not when another one does on its port."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

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


class Ready(BaseHTTPRequestHandler):
    """The server of another checkout."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Nothing is written."""


@pytest.fixture
def taken_port() -> Iterator[int]:
    with HTTPServer(("127.0.0.1", 0), Ready) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()


def test_the_answer_of_another_server_on_the_port_is_not_ours(
    tmp_path: Path, taken_port: int
) -> None:
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "setup.d").symlink_to(ROOT / "scripts" / "setup.d")
    waiter = tmp_path / "scripts" / "waiter"
    waiter.write_text(WAITER)
    environment = {
        "PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "GEOSHOPS_STATE_DIR": str(tmp_path / "state"),
        "HOST": "127.0.0.1", "PORT": str(taken_port),
    }  # fmt: skip
    done = subprocess.run(
        ["sh", str(waiter)], cwd=tmp_path, env=environment, capture_output=True, text=True,
        timeout=30, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (1, "")
    assert f"port {taken_port} is in use" in done.stderr
