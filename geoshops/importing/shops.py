"""Shops from a file: the steps of one import, in one transaction."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from geoshops import indexes
from geoshops.importing import deriving, matching, shop_load, shop_rows
from geoshops.importing.crs import projection
from geoshops.importing.csv_table import CsvTable
from geoshops.importing.feature_table import FeatureTable
from geoshops.importing.finishing import finish, summary, timed
from geoshops.importing.formats import is_geojson
from geoshops.importing.mapping import plan
from geoshops.importing.opening import InputFile, open_input
from geoshops.importing.points import Positions
from geoshops.importing.refusal import ImportRefused
from geoshops.importing.rejects import Rejects, rejects_path
from geoshops.importing.request import Progress, Request
from geoshops.importing.staging import Staging
from geoshops.importing.tables import Rejected, Table
from geoshops.importing.transaction import cancellable, importing_into
from geoshops.operators import COUNT_BRANDS, ONE_AT_A_TIME


def import_shops(
    url: str, wanted: Request, progress: Progress, warn: Callable[[str], object]
) -> dict[str, Any]:
    """Runs the import and returns its summary; raises ImportRefused when nothing was changed.

    `warn` gets what an operator should know before anything is written."""
    started = time.perf_counter()
    source = wanted.source_of("rows")
    file, table, rejects = open_table(wanted)
    with rejects, importing_into(url) as connection:
        staging = prepare(wanted, table, rejects, progress)
        with connection.cursor() as cursor:
            loaded = _load(cursor, wanted, source, staging, warn)
        late = finish(connection, file, rejects, wanted.dry_run)
    counts = {
        "inserted": loaded.inserted,
        "updated": loaded.updated,
        "unchanged": loaded.unchanged,
        "reopened": loaded.reopened,
        "closed_stated": loaded.closed_stated,
        "closed_missing": loaded.closed_missing,
        "rekeyed": loaded.rekeyed,
        "rejection": loaded.rejection,
        "brands_added": loaded.brands_added,
        "address_checked": loaded.address_checked,
        "address_fits": loaded.address_fits,
        "duplicate_candidates": loaded.duplicate_candidates,
        **about(file, staging),
    }
    return timed(summary(wanted, source, staging.read, counts, rejects, late), started)


def open_table(wanted: Request) -> tuple[InputFile, Table, Rejects]:
    """The file as a table and the list of its rejects; nothing is written yet."""
    named = wanted.encoding or (wanted.mapping.encoding if wanted.mapping else "")
    file = open_input(wanted.path, named or None)
    table: Table
    if is_geojson(file, wanted.format):
        table = FeatureTable(file)
    else:
        table = CsvTable(file, wanted.delimiter or None)
    return file, table, Rejects(rejects_path(wanted.path, wanted.rejects), table.columns)


def prepare(wanted: Request, table: Table, rejects: Rejects, progress: Progress) -> Staging:
    """Plan, coordinate system and fields of a shop import."""
    found = plan(table.columns, shop_rows.COLUMNS, shop_rows.REQUIRED, wanted.mapping, wanted.given)
    return Staging(
        table=table,
        plan=found,
        fields=shop_rows.fields_for(found.places),
        positions=positions(wanted),
        rejects=rejects,
        complete=shop_rows.complete,
        progress=progress,
    )


def positions(wanted: Request) -> Positions:
    """The coordinate system that was named, by the mapping where --crs is silent."""
    named = wanted.crs or (wanted.mapping.crs if wanted.mapping else "") or "EPSG:4326"
    return Positions(projection(named, wanted.scale))


def about(file: InputFile, staging: Staging) -> dict[str, Any]:
    """How a table was read."""
    return {
        "encoding": file.encoding,
        "crs": staging.positions.projection.name,
        "columns_not_used": staging.plan.unused,
        "mapped_columns_absent": staging.plan.absent,
    }


def reject_lines(table: Table, rejects: Rejects, reasons: dict[int, str]) -> None:
    """Lists rows that the database found wanting; their text is read from the file again."""
    if not reasons:
        return
    for chunk in table.chunks():
        rejects.add(
            Rejected(line, reasons[line], row)
            for line, row in zip(chunk.lines, chunk.rows, strict=True)
            if line in reasons
        )


def _load(
    cursor: Any, wanted: Request, source: str, staging: Staging, warn: Callable[[str], object]
) -> shop_load.Loaded:
    staging.run(cursor)
    stored = staging.stored()
    has_ids = "source_id" in staging.plan.places
    with cancellable():
        cursor.execute(ONE_AT_A_TIME)
        if has_ids:  # a key made from name and address has one name
            keys = shop_load.ambiguous_keys(cursor)
            shop_load.warn_of_ambiguous_keys(keys, staging.read, warn)
        reasons = shop_load.drop_repeated_keys(cursor)
        brands = shop_load.add_brands(cursor, stored)
        rekeyed = matching.match(cursor, source, stored, has_ids=has_ids)
        deriving.resolve(cursor, source, stored, wanted.today)
        reasons |= shop_load.drop_impossible_dates(cursor, stored)
        if staging.rejects.count + len(reasons) == staging.read:
            raise _nothing_taken(staging, reasons)
        found = shop_load.count_resolved(cursor)
        closes = wanted.on_missing == "close"
        closings = shop_load.count_closings(
            cursor, source, found, close_missing=closes, rejected_keys=staging.rejected_keys
        )
        rejected = closings.are_unusual and not wanted.allow_shrink
        if rejected and not wanted.dry_run:
            raise ImportRefused(closings.message(source))
        shop_load.lock_shops(cursor, source, close_missing=closes, new_keys=rekeyed > 0)
        matching.rekey(cursor)
        # the file is read again for the rejects while the server writes
        with (
            ThreadPoolExecutor(1) as pool,
            indexes.left_out(cursor, found.new),
        ):
            listing = pool.submit(reject_lines, staging.table, staging.rejects, reasons)
            loaded = shop_load.write(cursor, source, found)
        listing.result()
        loaded.brands_added, loaded.rekeyed = brands, rekeyed
        loaded.rejection = closings.message(source) if rejected else None
        if closes:
            closed = shop_load.close_missing(cursor, source, wanted.today, staging.rejected_keys)
            loaded.closed_missing = len(closed)
        cursor.execute(COUNT_BRANDS)
        loaded.duplicate_candidates = shop_load.count_duplicates(cursor, loaded.new_ids)
    return loaded


def _nothing_taken(staging: Staging, reasons: dict[int, str]) -> ImportRefused:
    if not staging.read:
        return ImportRefused("the file holds a header and no rows")
    why: Iterable[str] = [*staging.rejects.by_reason(), *set(reasons.values())]
    return ImportRefused(
        f"none of the {staging.read} rows can be taken: {'; '.join(list(why)[:5])}"
    )
