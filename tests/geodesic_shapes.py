"""Areas, routes and meeting points by GeographicLib (pyproj.Geod) alone, for comparison with SQL."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray
from pyproj import Transformer

from tests.geodesy import WGS84

Floats = NDArray[np.float64]
Ring = list[tuple[float, float]]


def _inverse(from_lng: Any, from_lat: Any, to_lng: Any, to_lat: Any) -> tuple[Floats, Floats]:
    """Azimuths at the first points and distances in metres; arguments are broadcast."""
    lngs, lats, to_lngs, to_lats = np.broadcast_arrays(from_lng, from_lat, to_lng, to_lat)
    azimuth, _, metres = WGS84.inv(*(np.array(a, float) for a in (lngs, lats, to_lngs, to_lats)))
    return np.asarray(azimuth), np.asarray(metres)


def _crossings_south(points: Floats, ring: Ring) -> NDArray[np.int64]:
    """How many edges of a ring lie south of each point on its meridian.

    An edge has one point at each longitude between its ends. The point is north of it when the geodesic to it from the
    western end starts to the left of the edge."""
    count = np.zeros(len(points), np.int64)
    for (lng_a, lat_a), (lng_b, lat_b) in itertools.pairwise(ring):
        width = (lng_b - lng_a + 540) % 360 - 180
        if width < 0:
            lng_a, lat_a, lng_b, lat_b, width = lng_b, lat_b, lng_a, lat_a, -width
        offset = (points[:, 0] - lng_a) % 360
        spans = np.flatnonzero(offset < width)
        if not len(spans):
            continue
        edge, _ = _inverse(lng_a, lat_a, [lng_b], [lat_b])
        seen, _ = _inverse(lng_a, lat_a, points[spans, 0], points[spans, 1])
        # in front of the western end every azimuth is between 0 and 180; its own meridian is not
        same = offset[spans] == 0
        north = np.where(same, points[spans, 1] > lat_a, seen % 360 < edge[0] % 360)
        count[spans] += north
    return count


def is_within(
    points: Floats, polygons: list[list[Ring]], outside: tuple[float, float]
) -> NDArray[np.bool_]:
    """Whether each point (longitude, latitude) lies in the polygons; `outside` is a point that does not.

    A circle of less than 5000 km is convex, so one that holds all corners holds the polygons."""
    rings = [ring for polygon in polygons for ring in polygon]
    corners = np.array([corner for ring in rings for corner in ring])
    radius_m = ways(corners, [rings[0][0]]).max()
    assert radius_m < 5e6
    near = np.flatnonzero(ways(points, [rings[0][0]])[:, 0] <= radius_m + 1)
    everything = np.vstack([points[near], [outside]])
    crossings = sum(
        (_crossings_south(everything, ring) for ring in rings), np.zeros(len(everything), np.int64)
    )
    odd = crossings % 2 == 1
    result = np.zeros(len(points), np.bool_)
    result[near] = odd[:-1] != odd[-1]
    return result


def passages(points: Floats, route: Ring, reach_m: float) -> tuple[Floats, Floats]:
    """How far each point is off the route, and how far along it the first of its nearest passages is, in metres.

    Of points farther away than reach_m only that is known."""
    off = np.full(len(points), np.inf)
    along = np.zeros(len(points))
    length_m = float(WGS84.line_length(*zip(*route, strict=True)))
    near = np.flatnonzero(ways(points, [route[0]])[:, 0] <= length_m + reach_m)
    off[near], along[near] = _passages_of_all(points[near], route, reach_m)
    return off, along


def _passages_of_all(points: Floats, route: Ring, reach_m: float) -> tuple[Floats, Floats]:
    off = np.full(len(points), np.inf)
    along = np.zeros(len(points))
    start_m = 0.0
    for (lng_a, lat_a), (lng_b, lat_b) in itertools.pairwise(route):
        azimuth, length = _inverse(lng_a, lat_a, [lng_b], [lat_b])
        length_m = float(length[0])
        if length_m:
            near = np.flatnonzero(ways(points, [(lng_a, lat_a)])[:, 0] <= length_m + reach_m)
            edge_off, edge_along = _nearest_on(
                points[near], lng_a, lat_a, float(azimuth[0]), length_m
            )
            better = edge_off < off[near] - 2e-5
            off[near[better]] = edge_off[better]
            along[near[better]] = start_m + edge_along[better]
        start_m += length_m
    return off, along


def _nearest_on(
    points: Floats, lng: float, lat: float, azimuth: float, length_m: float
) -> tuple[Floats, Floats]:
    """Distance from a geodesic and place along it: the projection of the point, repeated where it was projected to."""
    towards, metres = _inverse(lng, lat, points[:, 0], points[:, 1])
    place = np.clip(metres * np.cos(np.radians(towards - azimuth)), 0, length_m)
    for _ in range(12):
        count = len(points)
        at_lng, at_lat, back = WGS84.fwd(
            np.full(count, lng), np.full(count, lat), np.full(count, azimuth), place
        )
        forward = np.where(place > 0, np.asarray(back) + 180, azimuth)
        towards, metres = _inverse(at_lng, at_lat, points[:, 0], points[:, 1])
        place = np.clip(place + metres * np.cos(np.radians(towards - forward)), 0, length_m)
    return metres, place


def ways(points: Floats, people: list[tuple[float, float]]) -> Floats:
    """Metres from each point to each person, one row a point."""
    return np.column_stack(
        [_inverse(lng, lat, points[:, 0], points[:, 1])[1] for lng, lat in people]
    )


TO_SPACE = Transformer.from_crs("EPSG:4979", "EPSG:4978", always_xy=True)


def _in_space(points: Floats) -> Floats:
    return np.column_stack(TO_SPACE.transform(points[:, 0], points[:, 1], np.zeros(len(points))))


def _with_pieces(ring: Ring, piece_m: float) -> Floats:
    """The corners of a ring, and between them so many more that no piece is longer."""
    points = []
    for a, b in itertools.pairwise(ring):
        pieces = max(1, math.ceil(WGS84.inv(*a, *b)[2] / piece_m))
        points += [a, *(WGS84.npts(*a, *b, pieces - 1) if pieces > 1 else ())]
    return np.array([*points, ring[-1]])


def centroid(polygons: list[list[Ring]]) -> tuple[float, float]:
    """The centroid of an area in a gnomonic projection from the centre of the Earth to a plane at its middle."""
    corners = _in_space(np.array([c for polygon in polygons for ring in polygon for c in ring]))
    up = (corners.min(axis=0) + corners.max(axis=0)) / 2
    up /= np.linalg.norm(up)
    east = np.cross([0, 0, 1], up)
    east /= np.linalg.norm(east)
    axes = np.array([east, np.cross(up, east)])

    def flat(ring: Ring) -> Floats:
        space = _in_space(_with_pieces(ring, 2000))
        return np.asarray(space @ axes.T / (space @ up)[:, None])

    shape = shapely.MultiPolygon(
        [shapely.Polygon(flat(rings[0]), [flat(hole) for hole in rings[1:]]) for rings in polygons]
    )
    x, y, z = up + np.array(shape.centroid.coords[0]) @ axes
    flattening = 1 / 298.257223563
    lat = math.degrees(math.atan2(z, (1 - flattening) ** 2 * math.hypot(x, y)))
    return math.degrees(math.atan2(y, x)), lat
