"""Reads GeoJSON feature by feature: a FeatureCollection of any size, or a sequence of features."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, TextIO

from geoshops.importing.errors import ImportRejected
from geoshops.importing.opening import InputFile
from geoshops.importing.tables import LONGEST_RECORD

BLOCK = 1 << 20
BLANKS = re.compile(r"[ \t\r\n]*")
NAMED_WGS84 = ("CRS84", "4326")
Feature = dict[str, Any]


def features(file: InputFile) -> Iterator[tuple[int, Feature | None, str]]:
    """Yields number from 1 and feature; for an invalid one, None and its text."""
    try:
        with file.open() as stream:
            read = _sequence if is_sequence(stream) else _collection
            stream.seek(0)
            yield from read(stream)
    except UnicodeDecodeError as error:
        raise ImportRejected(f"{file.path} is not {file.encoding}: {error.reason}") from error
    except RecursionError as error:
        raise ImportRejected(f"{file.path} is nested too deeply for GeoJSON") from error


def is_geojson(file: InputFile, named: str = "") -> bool:
    """Whether a file is GeoJSON or a sequence of it, by name or first character; otherwise it is CSV."""
    if named:
        return named != "csv"
    try:
        with file.open() as stream:
            begin = stream.read(4096)
    except UnicodeDecodeError as error:
        raise ImportRejected(f"{file.path} is not {file.encoding}: {error.reason}") from error
    return begin.lstrip().startswith(("{", "\x1e"))


def is_sequence(stream: TextIO) -> bool:
    """Whether the first line is a complete feature or begins with RFC 8142's record separator."""
    first = stream.readline(LONGEST_RECORD)
    if first.startswith("\x1e"):
        return True
    try:
        return bool(json.loads(first)["type"] == "Feature")
    except (ValueError, KeyError, TypeError, RecursionError):
        return False


def _sequence(stream: TextIO) -> Iterator[tuple[int, Feature | None, str]]:
    number = 0
    for text in _records(stream):
        if not text.strip():
            continue
        number += 1
        try:
            yield number, _feature(json.loads(text)), ""
        except ValueError:
            yield number, None, text.strip()


def _records(stream: TextIO) -> Iterator[str]:
    separated = stream.read(1) == "\x1e"
    stream.seek(0)
    record = ""
    while line := stream.readline(LONGEST_RECORD + 1):
        if len(record) + len(line) > LONGEST_RECORD:
            raise ImportRejected(f"a feature is longer than {LONGEST_RECORD >> 20} MiB")
        if not separated:
            yield line
        elif line.startswith("\x1e"):
            yield record
            record = line[1:]
        else:
            record += line
    yield record


def _collection(stream: TextIO) -> Iterator[tuple[int, Feature | None, str]]:
    text = _JsonText(stream)
    text.expect("{", "a GeoJSON FeatureCollection")
    found = False
    while not text.take("}"):
        name = text.value()
        text.expect(":", "a colon")
        if name == "features":
            found = True
            yield from _elements(text)
        else:
            _check_member(name, text.value())
        text.take(",")
    if not found:
        raise ImportRejected("the JSON has no features; expected a GeoJSON FeatureCollection")


def _elements(text: _JsonText) -> Iterator[tuple[int, Feature | None, str]]:
    text.expect("[", "a list of features")
    number = 0
    while not text.take("]"):
        number += 1
        value = text.value()
        try:
            yield number, _feature(value), ""
        except ValueError:
            yield number, None, json.dumps(value, ensure_ascii=False)
        text.take(",")


def _feature(value: object) -> Feature:
    if not isinstance(value, dict) or value.get("type") != "Feature":
        raise ValueError
    properties, geometry = value.get("properties") or {}, value.get("geometry")
    if not isinstance(properties, dict) or not isinstance(geometry, dict | None):
        raise ValueError
    return value


def _check_member(name: object, value: object) -> None:
    if name == "type" and value == "Topology":
        raise ImportRejected("this is TopoJSON; convert it to GeoJSON first")
    if name == "type" and value != "FeatureCollection":
        raise ImportRejected(f"expected a GeoJSON FeatureCollection, not {str(value)[:40]!r}")
    if name == "crs" and value and not any(code in json.dumps(value) for code in NAMED_WGS84):
        raise ImportRejected(
            f"the file names another coordinate system ({json.dumps(value)[:200]}); "
            "GeoJSON is WGS 84: remove the member crs and specify the system with --crs"
        )


class _JsonText:
    """Parses JSON value by value, so that memory is bounded by the largest feature, not the file."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._buffer = ""
        self._at = 0
        self._decode = json.JSONDecoder().raw_decode

    def take(self, mark: str) -> bool:
        """Consumes the token if it is next; returns whether it was."""
        self._skip_blanks()
        if self._buffer.startswith(mark, self._at):
            self._at += 1
            return True
        if self._at == len(self._buffer):
            raise ImportRejected("the JSON ends too early: is the file cut off?")
        return False

    def expect(self, mark: str, meaning: str) -> None:
        """Consumes the token or rejects the file."""
        if not self.take(mark):
            raise ImportRejected(f"not valid GeoJSON: {meaning} expected")

    def value(self) -> Any:
        """The next value; reads more text while it is incomplete."""
        self._skip_blanks()
        block = BLOCK
        while True:
            try:
                value, end = self._decode(self._buffer, self._at)
            except ValueError as error:
                if len(self._buffer) - self._at > LONGEST_RECORD or not self._more(block):
                    raise ImportRejected(f"not valid JSON: {error}") from error
                block *= 2
                continue
            # a number at the end of the block may continue in the next one
            if end < len(self._buffer) or not self._more(BLOCK):
                self._at = end
                return value

    def _skip_blanks(self) -> None:
        while True:
            match = BLANKS.match(self._buffer, self._at)
            self._at = match.end() if match else self._at
            if self._at < len(self._buffer) or not self._more(BLOCK):
                return

    def _more(self, size: int) -> bool:
        text = self._stream.read(size)
        self._buffer, self._at = self._buffer[self._at :] + text, 0
        return bool(text)
