// Converts TopoJSON to GeoJSON.
function decodeArcs({ arcs, transform: { scale, translate } }) {
  return arcs.map((arc) => {
    let x = 0;
    let y = 0;
    return arc.map(([dx, dy]) => {
      x += dx;
      y += dy;
      return [x * scale[0] + translate[0], y * scale[1] + translate[1]];
    });
  });
}

// A negative index stands for the arc ~index reversed; arcs share their end points.
function ring(indexes, arcs) {
  const points = [];
  for (const index of indexes) {
    const arc = index < 0 ? [...arcs[~index]].reverse() : arcs[index];
    points.push(...(points.length ? arc.slice(1) : arc));
  }
  return points;
}

export function toGeoJson(topology, name) {
  const arcs = decodeArcs(topology);
  const shape = (geometry) => {
    const polygons = geometry.type === "Polygon" ? [geometry.arcs] : geometry.arcs;
    const coordinates = polygons.map((rings) => rings.map((indexes) => ring(indexes, arcs)));
    return { type: "Feature", properties: {}, geometry: { type: "MultiPolygon", coordinates } };
  };
  const object = topology.objects[name];
  const geometries = object.type === "GeometryCollection" ? object.geometries : [object];
  return { type: "FeatureCollection", features: geometries.map(shape) };
}
