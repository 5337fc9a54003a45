"""Opens a file to import: its encoding, its format, and whether it changed while being read."""

from __future__ import annotations

import codecs
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from geoshops.importing.errors import ImportRejected

BLOCK_BYTES = 1 << 20
HANGUL = re.compile("[ㄱ-ㆎ가-힣]")
BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


@dataclass(frozen=True)
class InputFile:
    """A regular file with its encoding and its state when it was opened first."""

    path: Path
    encoding: str
    size_bytes: int
    state: tuple[int, int, int]

    def open(self) -> TextIO:
        """The text from the beginning, with unchanged line ends."""
        return self.path.open(encoding=self.encoding, newline="")

    def check_unchanged(self) -> None:
        """Raises ImportRejected if the file has changed since it was opened first."""
        try:
            now = _state(self.path.stat())
        except OSError as error:
            raise ImportRejected(f"{self.path} was deleted while it was read: {error}") from error
        if now != self.state:
            raise ImportRejected(f"{self.path} changed while it was read; import it again")


def open_input(path: Path, encoding: str = "") -> InputFile:
    """Inspects a file and detects its encoding unless one is given; raises ImportRejected if it is not a text file."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise ImportRejected(f"{path} is not a regular file")
        if status.st_size == 0:
            raise ImportRejected(f"{path} is empty")
        encoding = _known(encoding) if encoding else detect_encoding(path)
    except OSError as error:
        raise ImportRejected(f"{path} cannot be read: {error.strerror}") from error
    return InputFile(path, encoding, status.st_size, _state(status))


def detect_encoding(path: Path) -> str:
    """UTF-8 (with or without BOM), UTF-16 with BOM, or CP949 if that gives Korean text."""
    with path.open("rb") as stream:
        head = stream.read(4)
    for bom, name in BOMS:
        if head.startswith(bom):
            return name
    if _share_of_hangul(path, "utf-8") is not None:
        return "utf-8"
    share = _share_of_hangul(path, "cp949")
    if share is None or share < 0.5:
        raise ImportRejected(
            f"{path} is neither UTF-8 nor Korean CP949; specify the encoding with --encoding"
        )
    return "cp949"


def _share_of_hangul(path: Path, encoding: str) -> float | None:
    """Share of Hangul among non-ASCII characters; None if the file has another encoding."""
    decoder = codecs.getincrementaldecoder(encoding)()
    beyond_ascii = hangul = 0
    try:
        for block in _blocks(path):
            text = decoder.decode(block)
            if encoding != "utf-8" and not text.isascii():
                beyond_ascii += sum(1 for c in text if c > "\x7f")
                hangul += len(HANGUL.findall(text))
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return None
    return hangul / beyond_ascii if beyond_ascii else 1.0


def _blocks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as stream:
        while block := stream.read(BLOCK_BYTES):
            yield block


def _known(encoding: str) -> str:
    try:
        name = codecs.lookup(encoding).name
    except LookupError:
        raise ImportRejected(f"unknown encoding {encoding}") from None
    return "utf-8-sig" if name == "utf-8" else name


def _state(status: os.stat_result) -> tuple[int, int, int]:
    return status.st_ino, status.st_size, status.st_mtime_ns
