"""Imports regions from GeoJSON polygons and reassigns all shops, in one transaction."""

from __future__ import annotations

import json
import time
from typing import Any

from geoshops.importing.errors import ImportRejected
from geoshops.importing.finishing import finish, summary, timed
from geoshops.importing.geojson import features
from geoshops.importing.opening import InputFile, open_input
from geoshops.importing.reading import positions
from geoshops.importing.region_features import COLUMNS, RegionReading, stage
from geoshops.importing.region_load import load
from geoshops.importing.rejects import Rejects, rejects_path
from geoshops.importing.request import Progress, Request
from geoshops.importing.tables import Rejected
from geoshops.importing.transaction import importing_into
from geoshops.operations.connection import ONE_AT_A_TIME

STAGING_TIMEOUT = "SET LOCAL statement_timeout = '60s'"


def import_regions(
    url: str,
    request: Request,
    progress: Progress,
    *,
    level: str,
    most_vertices: int,
    most_bytes: int,
) -> dict[str, Any]:
    """Runs the import and returns its summary; raises ImportRejected when nothing was changed."""
    started = time.perf_counter()
    mapping = request.mapping
    source = request.source_of("regions")
    file = open_input(request.path, request.encoding)
    rejects = Rejects(rejects_path(request.path, request.rejects), [*COLUMNS])
    reading = _reading(request, level, most_vertices, most_bytes)
    with rejects, importing_into(url) as connection, connection.cursor() as cursor:
        cursor.execute(STAGING_TIMEOUT)
        read = stage(cursor, file, reading, rejects, progress)
        cursor.execute(ONE_AT_A_TIME)
        loaded = load(cursor, source, mapping.parents if mapping else {})
        _reject(file, rejects, loaded.reasons)
        if rejects.count == read:
            raise _nothing_taken(read, rejects)
        late = finish(connection, file, rejects, request.dry_run)
    report = summary(request, source, read=read, counts=loaded.counts(), rejects=rejects, late=late)
    return timed(report, started)


def _reading(request: Request, level: str, most_vertices: int, most_bytes: int) -> RegionReading:
    values = request.mapping.values if request.mapping else {}
    return RegionReading(
        names=request.property_names,
        words=values.get("name", {}),
        names_by_code=values.get("name_by_code", {}),
        levels_by_code_length=values.get("level_by_code_length", {}),
        level=level,
        projection=positions(request).projection,
        most_vertices=most_vertices,
        most_bytes=most_bytes,
    )


def _reject(file: InputFile, rejects: Rejects, reasons: dict[int, str]) -> None:
    if not reasons:
        return
    rejects.add(
        Rejected(number, reasons[number], [json.dumps(feature, ensure_ascii=False)])
        for number, feature, _ in features(file)
        if number in reasons
    )


def _nothing_taken(read: int, rejects: Rejects) -> ImportRejected:
    if not read:
        return ImportRejected("the file contains no feature")
    return ImportRejected(
        f"none of the {read} features can be imported: {'; '.join(rejects.by_reason())}"
    )
