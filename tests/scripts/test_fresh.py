"""scripts/fresh and .ci/run: wrong usage, machines that cannot be created, complete clean-up."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import psutil
import pytest

ROOT = Path(__file__).resolve().parents[2]
FRESH = ROOT / "scripts" / "fresh"


def run(*words: str | Path, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(word) for word in words],
        env={**os.environ, **environ},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def stub(folder: Path, name: str, text: str) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nonsense"], "unknown argument nonsense; put a command after --"),
        (["--user", "nobody"], "--user is root or someone, not 'nobody'"),
        (["--user"], "--user is root or someone, not ''"),
        (["--suite", "../x"], "--suite needs the name of a Debian release, not '../x'"),
        (["--suite"], "--suite needs the name of a Debian release, not ''"),
    ],
)
def test_wrong_usage_is_explained(words: list[str], message: str) -> None:
    done = run(FRESH, *words)
    assert done.returncode == 2
    assert message in done.stderr


def test_without_root_there_is_no_machine(tmp_path: Path) -> None:
    stub(tmp_path, "id", "echo 1000")
    done = run(FRESH, "--prepare", PATH=f"{tmp_path}:{os.environ['PATH']}")
    assert (done.returncode, done.stderr) == (1, "geoshops: a new machine needs root\n")


def test_without_the_right_to_mount_there_is_no_machine(tmp_path: Path) -> None:
    stub(tmp_path, "id", "echo 0")
    stub(tmp_path, "unshare", "exit 1")
    done = run(FRESH, "--prepare", PATH=f"{tmp_path}:{os.environ['PATH']}")
    assert done.returncode == 1
    assert "mounting file systems in a new namespace is not permitted" in done.stderr


def test_nothing_is_mounted_outside_of_a_namespace(tmp_path: Path) -> None:
    here = str(Path("/proc/self/ns/mnt").readlink())
    done = run("sh", ROOT / "scripts/fresh.d/machine.sh", here, tmp_path, "root", "")
    assert (done.returncode, done.stderr) == (
        1,
        "fresh: machine.sh must run in a new mount namespace\n",
    )


MOUNTING = """
. scripts/setup.d/common.sh
. scripts/fresh.d/base.sh
folder=$PWD/machine
remove_machine() { stop_isolated; remove_tree "$folder"; }
on_exit remove_machine
isolated sh -c 'mkdir machine && mount --bind precious machine && touch machine/mounted && (sh -c "sleep 60; :" "$PWD" & sleep 60)'
"""


def running_with(word: Path) -> list[list[str]]:
    """Command lines that contain the word."""
    commands = [process.info["cmdline"] or [] for process in psutil.process_iter(["cmdline"])]
    return [command for command in commands if str(word) in command]


@pytest.fixture
def mount_namespace() -> None:
    """Skips where none can be made: without root, and in a chroot, whose root is no mount point."""
    made = run("unshare", "--mount", "true")
    if made.returncode != 0:
        pytest.skip(f"needs a mount namespace ({made.stderr.strip()})")


@pytest.mark.usefixtures("mount_namespace")
@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_machine_deletes_nothing_that_is_mounted(
    tmp_path: Path, end: signal.Signals
) -> None:
    (tmp_path / "scripts").mkdir()
    for name in ("setup.d", "fresh.d"):
        (tmp_path / "scripts" / name).symlink_to(ROOT / "scripts" / name)
    (tmp_path / "scripts" / "try").write_text(MOUNTING)
    (tmp_path / "precious").mkdir()
    process = subprocess.Popen(["sh", "scripts/try"], cwd=tmp_path, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 20
    while not (tmp_path / "precious" / "mounted").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert (tmp_path / "precious" / "mounted").exists()
    assert not (tmp_path / "machine" / "mounted").exists(), "the mount is not seen from outside"
    process.send_signal(end)
    assert process.wait(20) == 128 + end
    assert (tmp_path / "precious" / "mounted").exists()
    assert not (tmp_path / "machine").exists()
    while running_with(tmp_path) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert running_with(tmp_path) == []


class Checkout:
    """A folder with .ci/run and scripts that only record their calls."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / ".ci").mkdir()
        shutil.copy(ROOT / ".ci" / "run", folder / ".ci" / "run")
        self.script("lint")
        self.script("test")

    def script(self, name: str, text: str = "") -> None:
        stub(self.folder / "scripts", name, f'echo "{name} $*" >>calls\n{text}')

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        path = f"{self.folder / 'bin'}:{os.environ['PATH']}"
        return run(self.folder / ".ci" / "run", *words, JOBS="2", PATH=path)

    def calls(self) -> list[str]:
        return (self.folder / "calls").read_text().splitlines()


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


ON_THE_MACHINE = "fresh -- env CI=true JOBS=2 scripts/test"


def test_ci_lints_and_tests_on_a_new_machine(checkout: Checkout) -> None:
    checkout.script("fresh")
    assert checkout.run("-k", "radius").returncode == 0
    assert checkout.calls() == ["lint ", "fresh --prepare", f"{ON_THE_MACHINE} -k radius"]


@pytest.mark.parametrize(
    ("user", "apt", "words"),
    [(0, "exit 0", ""), (0, "exit 100", "--no-apt "), (1000, "exit 0", "--no-apt ")],
    ids=["root", "no network", "someone"],
)
def test_ci_runs_in_place_where_no_machine_can_be_made(
    checkout: Checkout, user: int, apt: str, words: str
) -> None:
    stub(checkout.folder / "bin", "id", f"echo {user}")
    stub(checkout.folder / "bin", "apt-get", apt)
    stub(checkout.folder / "bin", "sudo", "exit 1")
    checkout.script("fresh", 'echo "geoshops: it cannot be made" >&2; exit 1')
    done = checkout.run("-k", "radius")
    assert done.returncode == 0
    assert checkout.calls() == ["lint ", "fresh --prepare", f"test {words}-k radius"]
    assert "it cannot be made\nci: cannot create a new machine" in done.stderr


def test_a_failure_on_the_new_machine_is_a_failure(checkout: Checkout) -> None:
    checkout.script("fresh", '[ "$1" = --prepare ] || exit 3')
    assert checkout.run().returncode == 3
    assert checkout.calls() == ["lint ", "fresh --prepare", ON_THE_MACHINE]


def test_what_lint_finds_ends_the_run(checkout: Checkout) -> None:
    checkout.script("lint", "exit 1")
    assert checkout.run().returncode == 1
    assert checkout.calls() == ["lint "]
