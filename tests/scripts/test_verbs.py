"""Every verb explains itself."""

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
    refused = subprocess.run(
        [str(ROOT / "scripts" / verb), "nonsense"], capture_output=True, timeout=20, check=False
    )
    assert refused.returncode == 2
