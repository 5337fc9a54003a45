"""Output, exit codes and interrupts of operator commands.

Lost output does not abort a command, and Ctrl-C during a commit is delayed until its result is known."""

from __future__ import annotations

import errno
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any, TextIO

import click
from flask.cli import FlaskGroup

# changes are or may be committed, but the command could not report them or complete
EXIT_INCOMPLETE = 3


def as_started(line: str) -> str:
    """Returns a geoshops command line for messages, with the path by which this program was started."""
    started = Path(sys.argv[0])
    return f"{started if started.name == 'geoshops' else 'geoshops'} {line}"


class IncompleteError(click.ClickException):
    """An error of a command whose changes are or may be committed."""

    exit_code = EXIT_INCOMPLETE


@dataclass
class Changes:
    """Records whether the current command has committed changes."""

    committed: bool = False
    unknown: bool = False

    def begin(self) -> None:
        """Resets the state for a new command in this process."""
        self.committed = self.unknown = False

    def failure(self, message: str, *, of_a_change: bool = False) -> click.ClickException:
        """Returns an error that states whether changes were committed; if none were, only for `of_a_change`."""
        with_statement = f"{message}. {self.statement()}"
        if self.committed or self.unknown:
            return IncompleteError(with_statement)
        return click.ClickException(with_statement if of_a_change else message)

    def statement(self) -> str:
        """Returns a sentence for error messages."""
        if self.committed:
            return "Changes committed before are kept."
        if self.unknown:
            return "The connection was lost during the commit: the change may have been made."
        return "Nothing was changed."


changes = Changes()


@contextmanager
def interrupts_kept() -> Iterator[list[int]]:
    """Collects SIGINT instead of raising KeyboardInterrupt; in other threads does nothing."""
    signals: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield signals
        return

    def collect(number: int, _: FrameType | None) -> None:
        signals.append(number)

    before = signal.signal(signal.SIGINT, collect)
    try:
        yield signals
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def committing() -> Iterator[list[int]]:
    """Wraps a commit, or a statement that commits by itself: records it and yields the SIGINTs received meanwhile."""
    with interrupts_kept() as signals:
        before = changes.unknown
        changes.unknown = True
        try:
            yield signals
        except Exception as error:
            # an error reported by the server means that the transaction was rolled back
            changes.unknown = before or getattr(error, "pgcode", None) is None
            if signals:
                raise KeyboardInterrupt from error
            raise
        changes.unknown = before
        changes.committed = True


class Output:
    """A standard stream that records write errors instead of raising them, so that they do not abort a command."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.failure: OSError | None = None

    def __getattr__(self, name: str) -> Any:
        if name == "buffer":
            # otherwise click bypasses this object for some encodings
            raise AttributeError(name)
        return getattr(self.stream, name)

    def write(self, text: str) -> int:
        """Writes text; escapes characters that the encoding lacks."""
        if not isinstance(text, str):
            # click detects text streams by this error
            raise TypeError("write() takes text")
        try:
            if self.failure is None:
                self.stream.write(text)
        except UnicodeEncodeError as error:
            self.write(text.encode(error.encoding, "backslashreplace").decode(error.encoding))
        except OSError as error:
            self._fail(error)
        return len(text)

    def flush(self) -> None:
        """Flushes the stream."""
        try:
            if self.failure is None:
                self.stream.flush()
        except OSError as error:
            self._fail(error)

    @property
    def was_cut(self) -> bool:
        """Whether text was lost, except when the reader closed the pipe (`head`)."""
        return self.failure is not None and self.failure.errno != errno.EPIPE

    def _fail(self, error: OSError) -> None:
        self.failure = error
        # flushing the buffered text would fail again at exit
        with suppress(OSError, ValueError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.stream.fileno())
            os.close(nowhere)


class Commands(FlaskGroup):
    """The root command group, which reports interrupts and lost output by exit code."""

    def invoke(self, ctx: click.Context) -> Any:
        """Runs a command; exit code 3 if it committed changes but was interrupted or lost output."""
        changes.begin()
        with _outputs() as output:
            try:
                value = super().invoke(ctx)
            except KeyboardInterrupt:
                if not changes.committed:
                    raise
                click.echo(f"interrupted. {changes.statement()}", err=True)
                ctx.exit(EXIT_INCOMPLETE)
            if output and output.was_cut:
                reason = output.failure.strerror if output.failure else ""
                click.echo(f"done, but the output could not be written: {reason}", err=True)
                ctx.exit(EXIT_INCOMPLETE)
            return value


def raw(stream: TextIO) -> TextIO:
    """Returns the underlying stream, for commands whose purpose is their output and which must fail if it is lost."""
    return stream.stream if isinstance(stream, Output) else stream


@contextmanager
def _outputs() -> Iterator[Output | None]:
    before = sys.stdout, sys.stderr
    # a stream is None if it was closed
    output = Output(sys.stdout) if sys.stdout else None
    errors = Output(sys.stderr) if sys.stderr else None
    sys.stdout, sys.stderr = output, errors
    try:
        yield output
    finally:
        sys.stdout, sys.stderr = before
