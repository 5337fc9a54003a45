// Clips the Korean coast from Natural Earth's 1:10m land (TopoJSON).
// node coast.mjs land-10m.json coast.json; the output is GeoJSON with three features: `sea`, the clipping
// rectangle; `land`, polygons; `shore`, lines without the edges of the rectangle.
import { readFileSync, writeFileSync } from 'node:fs';

// Clipping rectangle in degrees.
const [WEST, SOUTH, EAST, NORTH] = [123.0, 32.0, 132.5, 40.5];
const EDGES = [
  [0, WEST, 1], [0, EAST, -1], [1, SOUTH, 1], [1, NORTH, -1],
];
const inside = ([x, y]) => x > WEST && x < EAST && y > SOUTH && y < NORTH;
const rounded = (points) => points.map((point) => point.map((degrees) => Math.round(degrees * 1e4) / 1e4));

function decoded({ arcs, transform: { scale, translate } }) {
  return arcs.map((arc) => {
    const at = [0, 0];
    return arc.map(([dx, dy]) => {
      at[0] += dx;
      at[1] += dy;
      return [at[0] * scale[0] + translate[0], at[1] * scale[1] + translate[1]];
    });
  });
}

function ring(indexes, arcs) {
  const points = [];
  for (const index of indexes) {
    const arc = index < 0 ? [...arcs[~index]].reverse() : arcs[index];
    for (const point of points.length ? arc.slice(1) : arc) points.push(point);
  }
  return points;
}

// Sutherland-Hodgman clipping.
function clipped(points) {
  return EDGES.reduce((kept, [axis, limit, sign]) => {
    const within = (point) => (point[axis] - limit) * sign >= 0;
    const result = [];
    kept.forEach((point, i) => {
      const before = kept[(i + kept.length - 1) % kept.length];
      if (within(point) !== within(before)) {
        const share = (limit - before[axis]) / (point[axis] - before[axis]);
        result.push(before.map((value, k) => (k === axis ? limit : value + share * (point[k] - value))));
      }
      if (within(point)) result.push(point);
    });
    return result;
  }, points);
}

function runsInside(points) {
  const runs = [[]];
  for (const point of points) {
    if (inside(point)) runs.at(-1).push(point);
    else if (runs.at(-1).length) runs.push([]);
  }
  return runs.filter((run) => run.length > 1);
}

function cut(topology) {
  const arcs = decoded(topology);
  const land = [];
  const shore = [];
  for (const { type, arcs: shape } of topology.objects.land.geometries) {
    for (const indexes of type === 'Polygon' ? [shape] : shape) {
      const rings = indexes.map((one) => ring(one, arcs));
      const kept = rings.map(clipped).filter((points) => points.length > 2);
      if (kept.length) land.push(kept.map((points) => rounded([...points, points[0]])));
      shore.push(...rings.flatMap(runsInside).map(rounded));
    }
  }
  return { land, shore };
}

const [source, target] = process.argv.slice(2);
const { land, shore } = cut(JSON.parse(readFileSync(source, 'utf8')));
const frame = [[WEST, SOUTH], [EAST, SOUTH], [EAST, NORTH], [WEST, NORTH], [WEST, SOUTH]];
const feature = (kind, type, coordinates) => ({ type: 'Feature', properties: { kind }, geometry: { type, coordinates } });
const features = [feature('sea', 'Polygon', [frame]), feature('land', 'MultiPolygon', land), feature('shore', 'MultiLineString', shore)];
writeFileSync(target, JSON.stringify({ type: 'FeatureCollection', features }));
