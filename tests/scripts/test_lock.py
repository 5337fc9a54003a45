"""Only one set-up runs at a time in a checkout, also after one was killed."""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# the second one checks for a moment whether the killed one is still alive
STARTER = """
. scripts/setup.d/common.sh
process_alive() { [ "$1" = "$$" ] || kill -0 "$1" 2>/dev/null || { sleep "$LOOKS_FOR_S"; return 1; }; }
lock 2>/dev/null
echo in >>order; sleep 2; echo out >>order
"""


def test_a_lock_left_behind_is_taken_over_by_one(tmp_path: Path) -> None:
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "setup.d").symlink_to(ROOT / "scripts" / "setup.d")
    starter = tmp_path / "scripts" / "starter"
    starter.write_text(STARTER)
    with subprocess.Popen(["true"]) as gone:
        gone.wait()
    (tmp_path / ".setup.lock").mkdir()
    (tmp_path / ".setup.lock" / "pid").write_text(f"{gone.pid}\n")
    both = [
        subprocess.Popen(["sh", str(starter)], cwd=tmp_path, env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "LOOKS_FOR_S": s})
        for s in ("0", "1")
    ]  # fmt: skip
    assert [process.wait(30) for process in both] == [0, 0]
    assert (tmp_path / "order").read_text().split() == ["in", "out", "in", "out"]
    assert not (tmp_path / ".setup.lock").exists()
