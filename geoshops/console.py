"""What operators' commands report: output never decides about the work, and Ctrl-C waits for a commit."""

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

# changes are committed, or may be, but the command could not report them or finish what follows them
EXIT_INCOMPLETE = 3


def as_started(line: str) -> str:
    """A command of ours as this machine finds it: by the path under which this program was started."""
    started = Path(sys.argv[0])
    return f"{started if started.name == 'geoshops' else 'geoshops'} {line}"


@dataclass
class Changes:
    """What this process's command has committed so far."""

    committed: bool = False
    unknown: bool = False

    def begin(self) -> None:
        """Forgets what an earlier command of this process committed."""
        self.committed = self.unknown = False

    def failure(self, message: str, *, of_a_change: bool = False) -> click.ClickException:
        """The error of a command, with what stands in spite of it; of a change it says so too when nothing does."""
        if not (self.committed or self.unknown):
            return click.ClickException(
                f"{message}. {self.statement()}" if of_a_change else message
            )
        error = click.ClickException(f"{message}. {self.statement()}")
        error.exit_code = EXIT_INCOMPLETE  # type: ignore[misc]
        return error

    def statement(self) -> str:
        """One sentence for an error message."""
        if self.committed:
            return "What was committed before stays."
        if self.unknown:
            return "The connection was lost during the commit: whether the change was made is not known."
        return "Nothing was changed."


changes = Changes()


@contextmanager
def interrupts_kept() -> Iterator[list[int]]:
    """Collects Ctrl-C instead of raising it while the outcome of a commit is the server's."""
    came: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield came
        return

    def remember(number: int, _: FrameType | None) -> None:
        came.append(number)

    before = signal.signal(signal.SIGINT, remember)
    try:
        yield came
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def committing() -> Iterator[list[int]]:
    """Around a commit, or a statement that commits itself: notes it, and yields Ctrl-C that came meanwhile."""
    with interrupts_kept() as came:
        before = changes.unknown
        changes.unknown = True
        try:
            yield came
        except Exception as error:
            # an error that the server reports has rolled the transaction back
            changes.unknown = before or getattr(error, "pgcode", None) is None
            if came:
                raise KeyboardInterrupt from error
            raise
        changes.unknown = before
        changes.committed = True


class Output:
    """A standard stream whose failures are remembered instead of raised, so that they interrupt no work."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.failure: OSError | None = None

    def __getattr__(self, name: str) -> Any:
        if name == "buffer":
            # click would write around this object where it mistrusts the encoding
            raise AttributeError(name)
        return getattr(self.stream, name)

    def write(self, text: str) -> int:
        """Writes the text; what the encoding lacks is escaped."""
        if not isinstance(text, str):
            # click tells text streams from binary ones by this
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
        """Flushes what was written."""
        try:
            if self.failure is None:
                self.stream.flush()
        except OSError as error:
            self._fail(error)

    @property
    def was_cut(self) -> bool:
        """Whether text was lost for another reason than a reader that had enough, such as `head`."""
        return self.failure is not None and self.failure.errno != errno.EPIPE

    def _fail(self, error: OSError) -> None:
        self.failure = error
        # what the stream still holds would fail again when Python ends
        with suppress(OSError, ValueError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.stream.fileno())
            os.close(nowhere)


class Commands(FlaskGroup):
    """The root of the command line: says the truth about what a command did, whatever happens to its output."""

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the command; exit code 3 when its changes stand but its output is lost or it was interrupted."""
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
    """The stream itself, for output that is the whole purpose of a command and must fail as soon as it is lost."""
    return stream.stream if isinstance(stream, Output) else stream


@contextmanager
def _outputs() -> Iterator[Output | None]:
    before = sys.stdout, sys.stderr
    # None where the caller closed it
    output = Output(sys.stdout) if sys.stdout else None
    errors = Output(sys.stderr) if sys.stderr else None
    sys.stdout, sys.stderr = output, errors
    try:
        yield output
    finally:
        sys.stdout, sys.stderr = before
