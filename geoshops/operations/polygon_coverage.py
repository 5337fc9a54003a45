"""Cleans and merges polygon coverages, such as the districts of a country."""

from __future__ import annotations

from typing import Any

import numpy as np
import shapely

GRID_DEG = 1e-6
# Larger gaps are real, such as enclosed bays, and are not assigned to a neighbour.
LARGEST_GAP_DEG2 = 5e-5
TOUCHING_DEG = 1e-7


def cleaned(polygons: Any) -> Any:
    """Removes overlaps and gaps between polygons and snaps their vertices to GRID_DEG.

    An overlap goes to the first polygon, a gap to the neighbour at its longest edge."""
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
    """Returns the union of polygons of a coverage."""
    return shapely.coverage_union_all(np.asarray(polygons))


def _first_matches(count: int, inputs: Any, matches: Any) -> Any:
    """Returns for each input its lowest match, or -1."""
    lowest = np.full(count, np.iinfo(np.int64).max)
    np.minimum.at(lowest, inputs, matches)
    return np.where(lowest == np.iinfo(np.int64).max, -1, lowest)


def _longest_edges(faces: Any) -> Any:
    """Returns the midpoint of each face's longest edge."""
    middles = []
    for face in faces:
        points = shapely.get_coordinates(face.exterior)
        longest = np.argmax(np.hypot(*np.diff(points, axis=0).T))
        middles.append(shapely.Point(points[longest : longest + 2].mean(axis=0)))
    return np.array(middles, dtype=object)
