"""The options of an import."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from geoshops.importing.errors import WrongUsage
from geoshops.importing.mapping import SavedMapping

Progress = Callable[[int], object]


@dataclass(frozen=True)
class Request:
    """The options of one import."""

    path: Path
    today: str
    source: str = ""
    mapping: SavedMapping | None = None
    given: tuple[tuple[str, str], ...] = ()
    crs: str = ""
    scale: float = 1.0
    encoding: str = ""
    delimiter: str = ""
    format: str = ""
    rejects: Path | None = None
    on_missing: str = "keep"
    allow_shrink: bool = False
    add_brands: bool = False
    dry_run: bool = False

    @property
    def property_names(self) -> dict[str, str]:
        """By field, the names of GeoJSON properties that --map and the mapping give."""
        saved = self.mapping.columns if self.mapping else {}
        names = {field: columns[0] for field, columns in saved.items()}
        return names | {field: column for column, field in self.given}

    def source_of(self, things: str) -> str:
        """The source from --source, else from the mapping, which may name each source after its file."""
        saved = self.mapping.source if self.mapping else ""
        source = self.source or saved.replace("{file}", self.path.stem)
        if not source:
            raise WrongUsage(f"specify the source of the {things} with --source NAME")
        return source
