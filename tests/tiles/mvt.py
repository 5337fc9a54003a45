"""Decodes points of Mapbox vector tiles (version 2.1 of the specification)."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5


@dataclass(frozen=True)
class Feature:
    """A point in units of its tile."""

    layer: str
    id: int | None
    x: int
    y: int
    properties: dict[str, Any]


def decode(tile: bytes) -> list[Feature]:
    """All features of all layers."""
    return [feature for number, layer in messages(tile) if number == 3 for feature in of(layer)]


def of(layer: bytes) -> Iterator[Feature]:
    parts = list(messages(layer))
    name = next(value for number, value in parts if number == 1).decode()
    keys = [value.decode() for number, value in parts if number == 3]
    values = [scalar(value) for number, value in parts if number == 4]
    assert [value for number, value in parts if number == 5] == [4096]
    for number, value in parts:
        if number == 2:
            fields = dict(messages(value))
            tags = list(varints(fields[2]))
            pairs = zip(tags[::2], tags[1::2], strict=True)
            command, x, y = varints(fields[4])
            assert (command, fields[3]) == (9, 1), "one point"
            yield Feature(
                name,
                fields.get(1),
                unzigzag(x),
                unzigzag(y),
                {keys[k]: values[v] for k, v in pairs},
            )


def messages(data: bytes) -> Iterator[tuple[int, Any]]:
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        kind = tag & 7
        if kind == VARINT:
            value, at = varint(data, at)
            yield tag >> 3, value
            continue
        size, at = varint(data, at) if kind == BYTES else ({FIXED64: 8, FIXED32: 4}[kind], at)
        yield tag >> 3, data[at : at + size]
        at += size


def varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def varints(data: bytes) -> Iterator[int]:
    at = 0
    while at < len(data):
        value, at = varint(data, at)
        yield value


def unzigzag(value: int) -> int:
    return (value >> 1) ^ -(value & 1)


def scalar(value: bytes) -> Any:
    ((number, raw),) = messages(value)
    if number == 1:
        return raw.decode()
    if number in (2, 3):
        return struct.unpack("<f" if number == 2 else "<d", raw)[0]
    return {4: raw, 5: raw, 6: unzigzag(raw) if number == 6 else 0, 7: bool(raw)}[number]
