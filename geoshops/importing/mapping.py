"""Maps columns to fields: by a saved mapping, by --map, and by equal names."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from geoshops.importing.errors import ImportRejected, WrongUsage
from geoshops.importing.feature_table import ID, X, Y

MAPPINGS = Path(__file__).parent / "mappings"
JOINT = "|"
SYNONYMS = {
    "name": "place_name", "lon": "longitude", "lng": "longitude", "x": "longitude",
    "lat": "latitude", "y": "latitude",
}  # fmt: skip
FROM_GEOMETRY = {X: "longitude", Y: "latitude", ID: "source_id"}


@dataclass(frozen=True)
class SavedMapping:
    """A source's columns, values and coordinate system, saved as a file."""

    name: str
    kind: str = "shops"
    title: str = ""
    source: str = ""
    crs: str = ""
    encoding: str = ""
    attribution: str = ""
    # the brand column of the source names brands, not categories
    add_brands: bool = False
    columns: dict[str, list[str]] = field(default_factory=dict)
    values: dict[str, dict[str, str]] = field(default_factory=dict)
    parents: dict[str, str] = field(default_factory=dict)


def saved_mapping(name: str, kind: str) -> SavedMapping:
    """The built-in mapping of that name, or the mapping in a JSON file."""
    path = Path(name) if name.endswith(".json") else MAPPINGS / f"{name}.json"
    try:
        content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        columns = {f: [c] if isinstance(c, str) else c for f, c in content["columns"].items()}
        mapping = SavedMapping(**{**content, "name": path.stem, "columns": columns})
    except OSError:
        known = ", ".join(m.name for m in saved_mappings(kind))
        raise WrongUsage(f"there is no mapping {name}; known: {known}") from None
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise ImportRejected(f"{path} is not a mapping: {error}") from error
    if mapping.kind != kind:
        raise WrongUsage(f"the mapping {name} is for {mapping.kind}, not for {kind}")
    return mapping


def saved_mappings(kind: str) -> list[SavedMapping]:
    """The built-in mappings for one kind of import."""
    found = []
    for path in sorted(MAPPINGS.glob("*.json")):
        if json.loads(path.read_text(encoding="utf-8")).get("kind", "shops") == kind:
            found.append(saved_mapping(path.stem, kind))
    return found


@dataclass(frozen=True)
class Plan:
    """The column positions of each field, and the columns that are not used."""

    places: dict[str, list[int]]
    values: dict[str, dict[str, str]]
    unused: list[str]
    absent: list[str]


def plan(
    columns: list[str],
    fields: Iterable[str],
    required: Iterable[str],
    mapping: SavedMapping | None,
    given: Iterable[tuple[str, str]],
) -> Plan:
    """Finds each field's columns, ignoring case; raises ImportRejected if a required field has no column."""
    fields = set(fields)
    mapping = mapping and _as_spelled(mapping, columns)
    given = [(spelled(column, columns), target) for column, target in given]
    chosen = {f: [c for c in cs if c in columns] for f, cs in _saved(mapping).items()}
    absent = [c for cs in _saved(mapping).values() for c in cs if c not in columns]
    chosen.update(_given(columns, fields, given))
    if mapping and "source_id" not in {target for _, target in given}:
        _check_key(mapping, columns)
    # a saved mapping is complete, except for the position of a GeoJSON point
    free = [c for c in columns if mapping is None or c in FROM_GEOMETRY]
    chosen = {**_by_name(free, fields, chosen), **chosen}
    chosen = {f: cs for f, cs in chosen.items() if cs}
    missing = [f for f in required if f not in chosen]
    if missing:
        raise ImportRejected(
            f"no column for {', '.join(missing)}: {_expected(mapping, missing)}"
            f"map it with --map column={missing[0]}; the file has {_shortened(columns)}"
        )
    for name in {c for cs in chosen.values() for c in cs}:
        if columns.count(name) > 1:
            raise ImportRejected(f"two columns are named {name!r}; rename one of them")
    used = {c for cs in chosen.values() for c in cs} | {X, Y, ID}
    return Plan(
        {f: [columns.index(c) for c in cs] for f, cs in chosen.items()},
        mapping.values if mapping else {},
        [c for c in columns if c and c not in used],
        absent,
    )


def spelled(name: str, names: Iterable[str]) -> str:
    """The matching name among others: exact, else ignoring case; unchanged if there is none."""
    if name in (names := tuple(names)):
        return name
    alike = [other for other in names if other.casefold() == name.casefold()]
    if len(alike) > 1:
        raise ImportRejected(
            f"{name!r} is ambiguous: {' or '.join(map(repr, alike))}; write the exact name"
        )
    return alike[0] if alike else name


def read_pairs(pairs: Iterable[str]) -> list[tuple[str, str]]:
    """Parses `column=field` options; a column name may contain an equals sign."""
    found = []
    for pair in pairs:
        column, separator, target = pair.rpartition("=")
        if not separator or not column or not target:
            raise WrongUsage(f"--map {pair}: write it as column=field")
        found.append((column, target))
    return found


def _as_spelled(mapping: SavedMapping, columns: list[str]) -> SavedMapping:
    own = {f: [spelled(c, columns) for c in cs] for f, cs in mapping.columns.items()}
    return replace(mapping, columns=own)


def _saved(mapping: SavedMapping | None) -> Mapping[str, list[str]]:
    return mapping.columns if mapping else {}


def _check_key(mapping: SavedMapping, columns: list[str]) -> None:
    """Rejects a file that lacks part of a composite key: rows that share the rest would be lost."""
    key = mapping.columns.get("source_id", [])
    present = [c for c in key if c in columns]
    if present and len(present) < len(key):
        missing = ", ".join(c for c in key if c not in columns)
        raise ImportRejected(
            f"the key of the mapping {mapping.name} is {' and '.join(key)}; the file has no column {missing}, only "
            f"{_shortened(columns)}. If {present[0]} alone is unique, add --map {present[0]}=source_id"
        )


def _expected(mapping: SavedMapping | None, missing: Iterable[str]) -> str:
    wanted = [c for f in missing for c in _saved(mapping).get(f, [])]
    return f"the mapping {mapping.name} expects {', '.join(wanted)}; " if mapping and wanted else ""


def _given(
    columns: list[str], fields: set[str], pairs: Iterable[tuple[str, str]]
) -> dict[str, list[str]]:
    chosen: dict[str, list[str]] = {}
    for column, named in pairs:
        target = named if named in fields else SYNONYMS.get(named, named)
        if target not in fields:
            raise WrongUsage(f"--map {column}={target}: fields are {', '.join(sorted(fields))}")
        if column not in columns:
            raise ImportRejected(
                f"--map {column}={target}: the file has no such column, only {_shortened(columns)}"
            )
        chosen.setdefault(target, []).append(column)
    return chosen


def _by_name(
    columns: list[str], fields: set[str], chosen: Mapping[str, list[str]]
) -> dict[str, list[str]]:
    taken = {c for cs in chosen.values() for c in cs}
    found: dict[str, list[str]] = {}
    # a column with the exact name takes precedence over one that differs in case
    for column in sorted(columns, key=lambda name: name != name.lower()):
        target = FROM_GEOMETRY.get(column, column.lower())
        target = target if target in fields else SYNONYMS.get(target, target)
        if target in fields and column not in taken:
            found.setdefault(target, [column])
    return found


def _shortened(columns: list[str]) -> str:
    shown = ", ".join(c[:40] for c in columns[:40] if c)
    return f"{shown} and {len(columns) - 40} more" if len(columns) > 40 else shown
