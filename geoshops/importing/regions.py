"""Regions from GeoJSON polygons, in one transaction with the regions of all shops."""

from __future__ import annotations

import json
import time
from typing import Any

from geoshops.importing.geojson import features
from geoshops.importing.opening import InputFile, open_input
from geoshops.importing.refusal import ImportRefused, WrongUsage
from geoshops.importing.region_features import COLUMNS, RegionReading, stage
from geoshops.importing.region_load import LoadedRegions, load
from geoshops.importing.rejects import Rejects, rejects_path
from geoshops.importing.shops import Progress, Request, finish, positions
from geoshops.importing.tables import Rejected
from geoshops.importing.transaction import cancellable, importing_into
from geoshops.operators import ONE_AT_A_TIME

STAGING_TIMEOUT = "SET LOCAL statement_timeout = '60s'"


def import_regions(
    url: str,
    wanted: Request,
    progress: Progress,
    *,
    level: str = "",
    most_vertices: int = 10_000,
    most_bytes: int = 1 << 20,
) -> dict[str, Any]:
    """Runs the import and returns its summary; raises ImportRefused when nothing was changed."""
    started = time.perf_counter()
    mapping = wanted.mapping
    source = wanted.own_source
    if not source:
        raise WrongUsage("name the source of the regions by --source NAME")
    file = open_input(wanted.path, wanted.encoding or None)
    rejects = Rejects(rejects_path(wanted.path, wanted.rejects), [*COLUMNS])
    reading = _reading(wanted, level, most_vertices, most_bytes)
    try:
        with importing_into(url) as connection, connection.cursor() as cursor:
            cursor.execute(STAGING_TIMEOUT)
            read = stage(cursor, file, reading, rejects, progress)
            with cancellable():
                cursor.execute(ONE_AT_A_TIME)
                loaded = load(cursor, source, mapping.parents if mapping else {})
            _reject(file, rejects, loaded.reasons)
            if rejects.count == read:
                raise _nothing_taken(read, rejects)
            file.check_unchanged()
            late = finish(connection, rejects, wanted.dry_run)
    except BaseException:
        rejects.discard()
        raise
    return _summary(wanted, source, read, loaded, rejects) | {
        "interrupted_too_late": late,
        "seconds": round(time.perf_counter() - started, 3),
    }


def _reading(wanted: Request, level: str, most_vertices: int, most_bytes: int) -> RegionReading:
    mapping = wanted.mapping
    names = {f: cs[0] for f, cs in mapping.columns.items()} if mapping else {}
    return RegionReading(
        names=names | {field: column for column, field in wanted.given},
        words=mapping.values.get("name", {}) if mapping else {},
        names_by_code=mapping.values.get("name_by_code", {}) if mapping else {},
        levels_by_code_length=mapping.values.get("level_by_code_length", {}) if mapping else {},
        level=level,
        projection=positions(wanted).projection,
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


def _nothing_taken(read: int, rejects: Rejects) -> ImportRefused:
    if not read:
        return ImportRefused("the file holds no feature")
    return ImportRefused(
        f"none of the {read} features can be taken: {'; '.join(rejects.by_reason())}"
    )


def _summary(
    wanted: Request, source: str, read: int, loaded: LoadedRegions, rejects: Rejects
) -> dict[str, Any]:
    return {
        "file": str(wanted.path),
        "source": source,
        "read": read,
        "inserted": loaded.inserted,
        "updated": loaded.updated,
        "unchanged": loaded.unchanged,
        "rejected": rejects.count,
        "repaired": loaded.repaired,
        "shops_changed": loaded.shops_changed,
        "reasons": rejects.by_reason(),
        "rejects_file": str(rejects.path) if rejects.count else None,
        "dry_run": wanted.dry_run,
    }
