"""Every verb has --help and rejects wrong usage."""

import os
import pwd
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
VERBS = sorted(p.name for p in (ROOT / "scripts").iterdir() if p.is_file() and p.suffix == "")


@pytest.mark.parametrize("verb", VERBS)
def test_help_names_the_verb_and_costs_nothing(verb: str) -> None:
    shown = subprocess.run(
        [str(ROOT / "scripts" / verb), "--help"],
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    assert shown.returncode == 0, shown.stderr
    assert f"scripts/{verb}" in shown.stdout


@pytest.mark.parametrize("verb", ["db", "demo", "setup"])
def test_an_unknown_argument_is_wrong_usage(verb: str) -> None:
    rejected = subprocess.run(
        [str(ROOT / "scripts" / verb), "nonsense"], capture_output=True, timeout=20, check=False
    )
    assert rejected.returncode == 2


def test_a_verb_works_for_an_ordinary_user_without_home(tmp_path: Path) -> None:
    # a user id other than root's: the state folder is then below the home directory
    (tmp_path / "id").write_text('#!/bin/sh\n[ "$1" = -un ] && echo root || echo 1000\n')
    (tmp_path / "id").chmod(0o755)
    shown = subprocess.run(
        [str(ROOT / "scripts" / "db"), "status"],
        env={"PATH": f"{tmp_path}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    assert f"(would be in {pwd.getpwuid(0).pw_dir}/.local/share/geoshops/" in shown.stdout
