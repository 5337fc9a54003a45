"""Maps columns to fields: by a saved mapping, by --map, and by equal names."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
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
    """The column positions and the replaced values of each field.

    unused: columns that no field has; absent: columns that the mapping names but the file lacks."""

    places: dict[str, list[int]]
    values: dict[str, dict[str, str]]
    unused: list[str]
    absent: list[str]


def plan_columns(
    columns: list[str],
    fields: Iterable[str],
    required: Iterable[str],
    mapping: SavedMapping | None,
    given: Iterable[tuple[str, str]],
) -> Plan:
    """Finds each field's columns, ignoring case; raises ImportRejected if a required field has no column."""
    fields = set(fields)
    saved = _saved_columns(mapping, columns)
    given = [(spelled(column, columns), field) for column, field in given]
    chosen = {field: [c for c in names if c in columns] for field, names in saved.items()}
    chosen |= _given_columns(columns, fields, given)
    if mapping and "source_id" not in {field for _, field in given}:
        _check_key(mapping.name, saved.get("source_id", []), columns)
    # a saved mapping is complete, except for the position of a GeoJSON point
    free = [c for c in columns if mapping is None or c in FROM_GEOMETRY]
    chosen = _columns_by_name(free, fields, chosen) | chosen
    chosen = {field: names for field, names in chosen.items() if names}
    if missing := [field for field in required if field not in chosen]:
        raise ImportRejected(
            f"no column for {', '.join(missing)}: {_expected(mapping, saved, missing)}"
            f"map it with --map column={missing[0]}; the file has {_shortened(columns)}"
        )
    used = {name for names in chosen.values() for name in names}
    if repeated := [name for name in used if columns.count(name) > 1]:
        raise ImportRejected(f"two columns are named {repeated[0]!r}; rename one of them")
    return Plan(
        places={field: [columns.index(c) for c in names] for field, names in chosen.items()},
        values=mapping.values if mapping else {},
        unused=[c for c in columns if c and c not in {*used, X, Y, ID}],
        absent=[c for names in saved.values() for c in names if c not in columns],
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


def _saved_columns(mapping: SavedMapping | None, columns: list[str]) -> dict[str, list[str]]:
    """The mapping's columns by field, as the file spells them."""
    saved = mapping.columns if mapping else {}
    return {field: [spelled(name, columns) for name in names] for field, names in saved.items()}


def _check_key(mapping_name: str, key: list[str], columns: list[str]) -> None:
    """Rejects a file that lacks part of a composite key: rows that share the rest would be lost."""
    present = [c for c in key if c in columns]
    if present and len(present) < len(key):
        missing = ", ".join(c for c in key if c not in columns)
        raise ImportRejected(
            f"the key of the mapping {mapping_name} is {' and '.join(key)}; the file has no column {missing}, only "
            f"{_shortened(columns)}. If {present[0]} alone is unique, add --map {present[0]}=source_id"
        )


def _expected(
    mapping: SavedMapping | None, saved: Mapping[str, list[str]], missing: Iterable[str]
) -> str:
    names = [name for field in missing for name in saved.get(field, [])]
    return f"the mapping {mapping.name} expects {', '.join(names)}; " if mapping and names else ""


def _given_columns(
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


def _columns_by_name(
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
