"""Imports shops from a file in one transaction."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from geoshops.database import deferred_indexes
from geoshops.importing import deriving, findings, matching, shop_load, shop_rows
from geoshops.importing.errors import ImportRejected
from geoshops.importing.finishing import finish, summary, timed
from geoshops.importing.mapping import plan_columns
from geoshops.importing.reading import about, open_table, positions, reject_lines
from geoshops.importing.rejects import Rejects
from geoshops.importing.request import Progress, Request
from geoshops.importing.staging import Dropped, Staging
from geoshops.importing.tables import Table
from geoshops.importing.transaction import importing_into
from geoshops.operations.connection import COUNT_BRANDS, ONE_AT_A_TIME


def import_shops(
    url: str, request: Request, progress: Progress, warn: Callable[[str], object]
) -> dict[str, Any]:
    """Runs the import and returns its summary; raises ImportRejected when nothing was changed.

    `warn` receives warnings before anything is written."""
    started = time.perf_counter()
    source = request.source_of("rows")
    file, table, rejects = open_table(request)
    with rejects, importing_into(url) as connection:
        staging = prepare(request, table, rejects, progress)
        with connection.cursor() as cursor:
            loaded = _load(cursor, request, source, staging, warn)
        late = finish(connection, file, rejects, request.dry_run)
    counts = {**loaded.counts(), **about(file, staging)}
    report = summary(request, source, read=staging.read, counts=counts, rejects=rejects, late=late)
    return timed(report, started)


def prepare(request: Request, table: Table, rejects: Rejects, progress: Progress) -> Staging:
    """Plan, coordinate system and fields of a shop import."""
    plan = plan_columns(
        table.columns, shop_rows.COLUMNS, shop_rows.REQUIRED, request.mapping, request.given
    )
    return Staging(
        table=table,
        plan=plan,
        fields=shop_rows.fields_for(plan.places),
        positions=positions(request),
        rejects=rejects,
        complete=shop_rows.complete,
        progress=progress,
    )


def _lines_by_field(dropped: Iterable[Dropped]) -> dict[str, list[int]]:
    lines: dict[str, list[int]] = {}
    for value in dropped:
        for name in ("road_address", "lot_address") if value.field == "address" else (value.field,):
            lines.setdefault(name, []).append(value.line)
    return lines


def _load(
    cursor: Any, request: Request, source: str, staging: Staging, warn: Callable[[str], object]
) -> shop_load.Loaded:
    """Stages the rows, drops those that cannot be taken, and writes the others."""
    staging.run(cursor)
    stored = staging.stored()
    cursor.execute(ONE_AT_A_TIME)
    repeated = _drop_repeated_keys(cursor, staging, warn)
    unknown = shop_load.unknown_brands(cursor, stored)
    if adds := request.add_brands or (request.mapping is not None and request.mapping.add_brands):
        shop_load.add_brands(cursor, sorted(unknown))
    rekeyed = matching.match(cursor, source, stored, has_ids=_has_ids(staging))
    staging.dropped = [d for d in staging.dropped if d.line not in repeated]
    shop_load.keep_where_dropped(cursor, source, _lines_by_field(staging.dropped))
    deriving.resolve(cursor, source, stored, request.today)
    reasons = shop_load.drop_impossible_dates(cursor, stored)
    if staging.rejects.count + len(reasons) + len(repeated) == staging.read:
        raise _nothing_taken(staging, reasons)
    resolved = shop_load.count_resolved(cursor)
    closes = request.on_missing == "close"
    rejection = _rejection(cursor, request, source, staging, resolved)
    shop_load.lock_shops(cursor, source, close_missing=closes, new_keys=rekeyed > 0)
    loaded = _write(cursor, source, staging, resolved, reasons=reasons, repeated=repeated)
    loaded.rekeyed, loaded.rejection = rekeyed, rejection
    loaded.brands_added = sorted(unknown) if adds else []
    loaded.unknown_brands = {} if adds else unknown
    loaded.shared_points = findings.shared_points(cursor, stored)
    loaded.no_brand_is_representative = findings.is_without_representative(cursor)
    loaded.largest_brands = findings.largest_brands(cursor)
    if closes:
        closed = shop_load.close_missing(cursor, source, request.today, staging.rejected_keys)
        loaded.closed_missing = len(closed)
    cursor.execute(COUNT_BRANDS)
    loaded.duplicate_candidates = shop_load.count_duplicates(cursor, loaded.new_ids)
    return loaded


def _has_ids(staging: Staging) -> bool:
    """Whether the file has keys; otherwise they are generated from name and address."""
    return "source_id" in staging.plan.places


def _drop_repeated_keys(
    cursor: Any, staging: Staging, warn: Callable[[str], object]
) -> dict[int, int]:
    """Deletes rows whose key occurs in an earlier row; returns line → line of the first row."""
    first_lines = shop_load.repeated_keys(cursor)
    if _has_ids(staging):  # a key generated from name and address has only one name
        ambiguous = shop_load.ambiguous_keys(cursor, first_lines)
        shop_load.warn_of_ambiguous_keys(ambiguous, staging.read, warn)
    return shop_load.drop_repeated_keys(cursor, first_lines)


def _rejection(
    cursor: Any, request: Request, source: str, staging: Staging, resolved: shop_load.Resolved
) -> str | None:
    """The error of an import that closes too many shops: raised, or returned in a dry run."""
    closings = shop_load.count_closings(
        cursor,
        source,
        resolved,
        close_missing=request.on_missing == "close",
        rejected_keys=staging.rejected_keys,
    )
    if request.allow_shrink or not closings.are_unusual:
        return None
    if not request.dry_run:
        raise ImportRejected(closings.message(source))
    return closings.message(source)


def _write(
    cursor: Any,
    source: str,
    staging: Staging,
    resolved: shop_load.Resolved,
    *,
    reasons: dict[int, str],
    repeated: dict[int, int],
) -> shop_load.Loaded:
    """Writes the shops, and meanwhile reads the file again for the list of rejected rows."""
    with (
        ThreadPoolExecutor(1) as pool,
        deferred_indexes.left_out(cursor, resolved.new),
    ):
        listing = pool.submit(reject_lines, staging.table, staging.rejects, reasons, repeated)
        loaded = shop_load.write(cursor, source, resolved)
    loaded.identical = listing.result()
    return loaded


def _nothing_taken(staging: Staging, reasons: dict[int, str]) -> ImportRejected:
    if not staging.read:
        return ImportRejected("the file has a header but no rows")
    why: Iterable[str] = [*staging.rejects.by_reason(), *set(reasons.values())]
    return ImportRejected(
        f"none of the {staging.read} rows can be imported: {'; '.join(list(why)[:5])}"
    )
