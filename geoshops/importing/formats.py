"""Detects the format of a file."""

from __future__ import annotations

from geoshops.importing.errors import ImportRejected
from geoshops.importing.opening import InputFile


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
