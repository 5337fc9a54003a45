"""GeoJSON points as a table: one column per property, and the position as @x and @y."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from typing import Any

from geoshops.importing.errors import ImportRejected
from geoshops.importing.geojson import Feature, features
from geoshops.importing.opening import InputFile
from geoshops.importing.tables import CHUNK_ROWS, Chunk, Rejected

X, Y, ID = "@x", "@y", "@id"


class FeatureTable:
    """Columns are the properties of the first features; the line of a row is the feature's number."""

    def __init__(self, file: InputFile) -> None:
        self.file = file
        first = [feature for _, feature, _ in islice(features(file), CHUNK_ROWS)]
        if not first:
            raise ImportRejected(f"{file.path} contains no feature")
        names: dict[str, None] = {}
        for feature in first:
            names.update(dict.fromkeys((feature or {}).get("properties") or {}))
        self.properties = list(names)
        self.has_ids = any("id" in feature for feature in first if feature)
        self.columns = [*self.properties, *([ID] if self.has_ids else []), X, Y]

    def chunks(self) -> Iterator[Chunk]:
        """All features as rows; features that are not points are rejected."""
        chunk = Chunk()
        for number, feature, text in features(self.file):
            if feature is None:
                chunk.rejected.append(Rejected(number, "not a GeoJSON feature", [text]))
            else:
                self._add(chunk, number, feature)
            if len(chunk) >= CHUNK_ROWS:
                yield chunk
                chunk = Chunk()
        chunk.bytes_read = self.file.size_bytes
        yield chunk

    def _add(self, chunk: Chunk, number: int, feature: Feature) -> None:
        properties = feature.get("properties") or {}
        row = [_text(properties.get(name)) for name in self.properties]
        row += [_text(feature.get("id"))] if self.has_ids else []
        try:
            x, y = _position(feature.get("geometry"))
        except ValueError as error:
            chunk.rejected.append(Rejected(number, str(error), [*row, "", ""]))
        else:
            chunk.lines.append(number)
            chunk.rows.append([*row, x, y])


def _position(geometry: dict[str, Any] | None) -> tuple[str, str]:
    if geometry is None:
        return "", ""
    coordinates = geometry.get("coordinates")
    if geometry.get("type") != "Point" or not isinstance(coordinates, list):
        raise ValueError(f"the geometry must be a Point, not {str(geometry.get('type'))[:40]}")
    if not coordinates:
        return "", ""
    if len(coordinates) < 2:
        raise ValueError("the point has one coordinate")
    return _text(coordinates[0]), _text(coordinates[1])


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    return json.dumps(value, ensure_ascii=False)
