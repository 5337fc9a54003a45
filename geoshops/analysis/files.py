"""Atomic file output: writes to a temporary folder, then renames."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import click

from geoshops import console

STDOUT = "-"


@contextmanager
def new_file(place: str) -> Iterator[Path]:
    """Yields a temporary path; renames it to the target if the block succeeds, otherwise removes it."""
    target = Path(place)
    if target.is_dir():
        raise click.UsageError(f"{target} is a directory")
    try:
        folder = tempfile.TemporaryDirectory(dir=target.parent, prefix=".geoshops-")
    except OSError as error:
        raise click.ClickException(
            f"cannot write to {target.parent}: {error.strerror or error}"
        ) from error
    with folder as name:
        draft = Path(name, target.name)
        yield draft
        draft.replace(target)


@contextmanager
def text_output(place: str) -> Iterator[IO[str]]:
    """Yields standard output for `-`, otherwise a new file."""
    if place == STDOUT:
        output = console.raw(sys.stdout)
        yield output
        output.flush()
        return
    with new_file(place) as path, path.open("w", encoding="utf-8", newline="") as opened:
        yield opened
