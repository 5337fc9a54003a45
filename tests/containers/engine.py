"""A Docker daemon for the tests: one that runs already, or a private one; and a Compose project on it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import pytest
import requests
import yaml

from tests.conftest import ROOT
from tests.server import free_port

T = TypeVar("T")
STAND_INS = Path(__file__).parent / "stand-ins"
COMPOSE_FILES = ("docker-compose.yml", "scripts/deploy/production.yml")
PROFILES = ("demo", "analyst", "replica", "replica-demo")
OLDEST_COMPOSE = (2, 24)
BUILD_WITHIN_S = 3600
START_WITHIN_S = 300


def docker(*args: str, timeout_s: float = 120, check: bool = True) -> str:
    """Standard output of a docker command."""
    done = subprocess.run(
        ["docker", *args], capture_output=True, text=True, timeout=timeout_s, check=False
    )
    if check and done.returncode:
        raise AssertionError(f"docker {' '.join(args)}: {done.stderr[-4000:]}")
    return done.stdout


def require_compose() -> None:
    """Skips the test, with a reason, if programs are missing."""
    if not shutil.which("docker"):
        pytest.skip("docker is not installed")
    found = re.match(r"v?(\d+)\.(\d+)", docker("compose", "version", "--short", check=False))
    if not found or tuple(map(int, found.groups())) < OLDEST_COMPOSE:
        pytest.skip("Docker Compose 2.24 or newer is not installed")


def daemon_responds() -> bool:
    """Whether the daemon that DOCKER_HOST or Docker's context names is up."""
    found = subprocess.run(["docker", "version"], capture_output=True, timeout=60, check=False)
    return found.returncode == 0


@contextmanager
def daemon() -> Iterator[None]:
    """A running daemon: the existing one, else a private one, which needs root and dockerd."""
    if daemon_responds():
        yield
        return
    dockerd = shutil.which("dockerd", path=f"{os.environ['PATH']}:/usr/sbin")
    if not dockerd or os.geteuid() != 0:
        pytest.skip("no Docker daemon responds, and a private one needs root and dockerd")
    with (
        tempfile.TemporaryDirectory(prefix="geoshops-docker.") as folder,
        private_daemon(dockerd, Path(folder)),
    ):
        yield


@contextmanager
def private_daemon(dockerd: str, folder: Path) -> Iterator[None]:
    """dockerd with socket, images and volumes in the folder; the block's end stops it and its containers."""
    socket = f"unix://{folder}/docker.sock"
    before = os.environ.get("DOCKER_HOST")
    with (folder / "dockerd.log").open("w") as log:
        process = subprocess.Popen(
            [
                dockerd, "--host", socket, "--data-root", str(folder / "data"),
                "--exec-root", str(folder / "exec"), "--pidfile", str(folder / "docker.pid"),
            ],
            stdout=log, stderr=subprocess.STDOUT,
        )  # fmt: skip
        os.environ["DOCKER_HOST"] = socket
        try:
            if not wait_for(daemon_responds, 60, or_else=lambda: process.poll() is not None):
                said = (folder / "dockerd.log").read_text().splitlines()[-3:]
                pytest.skip(f"a private Docker daemon does not start here: {said}")
            yield
        finally:
            process.terminate()
            process.wait(60)
            os.environ.pop("DOCKER_HOST")
            if before is not None:
                os.environ["DOCKER_HOST"] = before


def base_images() -> set[str]:
    """The public images that the Dockerfiles and compose files name."""
    found: set[str] = set()
    for path in (ROOT / "scripts" / "deploy").glob("Dockerfile*"):
        text = path.read_text(encoding="utf-8")
        stages = set(re.findall(r" AS (\S+)", text))
        values = dict(re.findall(r"^ARG (\w+)=(\S+)", text, re.MULTILINE))
        for name, value in values.items():
            text = text.replace(f"${{{name}}}", value)
        found |= set(re.findall(r"^FROM (\S+)", text, re.MULTILINE)) - stages
    for name in COMPOSE_FILES:
        text = (ROOT / name).read_text(encoding="utf-8").replace("!reset ", "")
        services = yaml.safe_load(text)["services"].values()
        found |= {
            s["image"] for s in services if not s.get("image", "geoshops").startswith("geoshops")
        }
    return found


def require_base_images() -> None:
    """Pulls missing images; builds stand-ins if no registry is reachable; skips the test if both fail."""
    missing = [name for name in sorted(base_images()) if not docker("image", "ls", "-q", name)]
    if all(pull(name) for name in missing):
        return
    if os.geteuid() != 0 or not shutil.which("debootstrap", path="/usr/sbin:/usr/bin"):
        pytest.skip("base images cannot be pulled, and stand-ins need root and debootstrap")
    subprocess.run([str(STAND_INS)], check=True, timeout=BUILD_WITHIN_S)


def pull(image: str) -> bool:
    """Whether the image came from its registry."""
    command = ["docker", "pull", "-q", image]
    try:
        return (
            subprocess.run(command, capture_output=True, timeout=600, check=False).returncode == 0
        )
    except subprocess.TimeoutExpired:
        return False


def wait_for(
    look: Callable[[], T], within_s: float, *, or_else: Callable[[], bool] = lambda: False
) -> T | None:
    """The first true value of `look`; None after the timeout, or if waiting has become pointless."""
    end = time.monotonic() + within_s
    while time.monotonic() < end and not or_else():
        found = look()
        if found:
            return found
        time.sleep(0.2)
    return None


@dataclass
class Project:
    """A Compose project of the checkout under a name of its own, without the checkout's .env."""

    name: str
    files: tuple[str, ...] = COMPOSE_FILES[:1]
    env_file: str = "/dev/null"
    port: int = field(default_factory=free_port)
    analyst_port: int = field(default_factory=free_port)

    @property
    def origin(self) -> str:
        """The URL of the service."""
        return f"http://127.0.0.1:{self.port}"

    def compose(self, *args: str, timeout_s: float = START_WITHIN_S, check: bool = True) -> str:
        """Standard output of a docker compose command with all profiles."""
        done = self.run(*args, timeout_s=timeout_s)
        if check and done.returncode:
            raise AssertionError(
                f"compose {' '.join(args)}: {done.stdout[-2000:]}{done.stderr[-4000:]}"
            )
        return done.stdout

    def run(self, *args: str, timeout_s: float) -> subprocess.CompletedProcess[str]:
        """A docker compose command."""
        command = ["docker", "compose", "-p", self.name, "--env-file", self.env_file]
        command += [part for name in self.files for part in ("-f", str(ROOT / name))]
        return subprocess.run(
            [*command, *args], env=self.environment(), cwd=ROOT, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=timeout_s, check=False,
        )  # fmt: skip

    def environment(self) -> Mapping[str, str]:
        """An environment without the machine's settings, which must not affect the containers."""
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("GEOSHOPS_", "COMPOSE_"))}
        return {**kept, "PORT": str(self.port), "ANALYST_PORT": str(self.analyst_port)}

    def all_profiles(self) -> tuple[str, ...]:
        """Arguments that name every profile."""
        return tuple(part for name in PROFILES for part in ("--profile", name))

    def down(self, *args: str) -> None:
        """Removes containers and networks; with --volumes the data, too."""
        self.compose(*self.all_profiles(), "down", "--remove-orphans", "--timeout", "10", *args)

    def require_ready(self, within_s: float = 120) -> None:
        """Waits for /readyz."""
        ready = wait_for(lambda: self.status("/readyz") == 200, within_s)
        assert ready, self.compose("logs", "--tail", "20", check=False)[-6000:]

    def get(self, path: str, timeout_s: float = 10) -> requests.Response:
        """A GET request to the service."""
        with requests.Session() as session:
            session.trust_env = False
            return session.get(f"{self.origin}{path}", timeout=timeout_s, allow_redirects=False)

    def status(self, path: str) -> int:
        """The status of a GET request; 0 without a response."""
        try:
            return self.get(path).status_code
        except requests.RequestException:
            return 0

    def json_of(self, *args: str) -> Any:
        """Standard output of a command as JSON, whatever its exit code."""
        return json.loads(self.run(*args, timeout_s=START_WITHIN_S).stdout)


@contextmanager
def project(purpose: str) -> Iterator[Project]:
    """A project whose containers, networks and volumes are removed afterwards."""
    made = Project(f"geoshops-test-{purpose}-{os.getpid()}")
    try:
        yield made
    finally:
        made.files = COMPOSE_FILES
        made.down("--volumes")
