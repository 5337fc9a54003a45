"""Polygons that cover a country: cleaned so that neighbours share their borders, and simplified together."""

from __future__ import annotations

from typing import Any

import numpy as np
import shapely

GRID_DEG = 1e-6
# A gap between neighbours is narrow and small; a larger one, such as a closed-off bay, belongs to nobody.
LARGEST_GAP_DEG2 = 5e-5
TOUCHING_DEG = 1e-7


def cleaned(polygons: Any) -> Any:
    """The polygons without overlaps and gaps between them, their vertices on a grid of a millionth of a degree.

    What several polygons hold goes to the first of them, a gap to the neighbour along its longest edge."""
    given = shapely.set_precision(np.asarray(polygons), GRID_DEG)
    lines = shapely.union_all(shapely.boundary(given), grid_size=GRID_DEG)
    faces = shapely.get_parts(shapely.polygonize([lines]))
    tree = shapely.STRtree(given)
    owners = _first_matches(
        len(faces), *tree.query(shapely.point_on_surface(faces), predicate="within")
    )
    gaps = np.flatnonzero((owners < 0) & (shapely.area(faces) <= LARGEST_GAP_DEG2))
    beside = tree.query(_longest_edges(faces[gaps]), predicate="dwithin", distance=TOUCHING_DEG)
    owners[gaps] = _first_matches(len(gaps), *beside)
    return np.array([shapely.coverage_union_all(faces[owners == n]) for n in range(len(given))])


def union(polygons: Any) -> Any:
    """The area of neighbours that share their borders."""
    return shapely.coverage_union_all(np.asarray(polygons))


def _first_matches(count: int, inputs: Any, matches: Any) -> Any:
    """For each input the lowest index that it matches, -1 for none."""
    lowest = np.full(count, np.iinfo(np.int64).max)
    np.minimum.at(lowest, inputs, matches)
    return np.where(lowest == np.iinfo(np.int64).max, -1, lowest)


def _longest_edges(faces: Any) -> Any:
    """The middle of the longest edge of each face."""
    middles = []
    for face in faces:
        points = shapely.get_coordinates(face.exterior)
        longest = np.argmax(np.hypot(*np.diff(points, axis=0).T))
        middles.append(shapely.Point(points[longest : longest + 2].mean(axis=0)))
    return np.array(middles, dtype=object)
