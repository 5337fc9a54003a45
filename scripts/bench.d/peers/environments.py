"""Virtual environments of the peers, in the user's cache; recreated when their pins change."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

PEERS = Path(__file__).resolve().parent


def cache() -> Path:
    """Returns the folder of the environments."""
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "geoshops" / "bench"


def place(folder: Path) -> Path:
    """Returns the environment of a folder with requirements, named after its pins and the Python build, since
    profile-guided optimisation affects the speed."""
    pins = (folder / "requirements.txt").read_bytes()
    python = f"{sys.version} {sys.base_prefix}".encode()
    return cache() / f"{folder.name}-{hashlib.sha256(pins + python).hexdigest()[:12]}"


def environment(folder: Path) -> Path:
    """Returns the environment of a folder, installed on first use."""
    wanted = place(folder)
    if not (wanted / ".complete").exists():
        print(f"installing the packages of {folder.name} in {wanted}", file=sys.stderr)
        shutil.rmtree(wanted, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", str(wanted)], check=True)
        _install(wanted, folder / "requirements.txt")
        (wanted / ".complete").touch()
    return wanted


def _install(wanted: Path, pins: Path) -> None:
    python = str(wanted / "bin" / "python")
    uv = shutil.which("uv")
    # as in scripts/setup, pip may be configured with indexes that uv ignores
    if (
        uv
        and not subprocess.run(
            [uv, "pip", "install", "-q", "--python", python, "-r", str(pins)], check=False
        ).returncode
    ):
        return
    subprocess.run([python, "-m", "pip", "install", "-q", "-r", str(pins)], check=True)


def program(folder: str, name: str) -> str:
    """Returns the path of a program in the environment."""
    return str(environment(PEERS / folder) / "bin" / name)


def version(folder: str, package: str) -> str:
    """Returns the pinned version of a package."""
    for line in (PEERS / folder / "requirements.txt").read_text(encoding="utf-8").splitlines():
        name, _, rest = line.partition("==")
        if name == package:
            return rest.partition(" ;")[0]
    raise LookupError(f"{folder} does not pin {package}")
