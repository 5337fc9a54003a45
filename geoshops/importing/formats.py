"""Which format a file is in."""

from __future__ import annotations

from geoshops.importing.errors import ImportRejected
from geoshops.importing.opening import InputFile


def is_geojson(file: InputFile, named: str = "") -> bool:
    """True for GeoJSON and sequences of it, by name or by the first character; else it is CSV."""
    if named:
        return named != "csv"
    try:
        with file.open() as stream:
            begin = stream.read(4096)
    except UnicodeDecodeError as error:
        raise ImportRejected(f"{file.path} is not {file.encoding}: {error.reason}") from error
    return begin.lstrip().startswith(("{", "\x1e"))
