// Streets of the operator's PMTiles file. Outside its bounds the offline basemap shows through.
import { colours } from "./basemap.js";
import { BORDERS, NAMES } from "./context.js";
import { labelsOnly, NAME } from "./look.js";
import { PLAIN } from "./font.js";
import { asset } from "../shared/assets.js";
import { lang } from "../shared/i18n.js";

const PMTILES = asset("vendor/pmtiles/pmtiles.mjs");
const BASEMAPS = asset("vendor/@protomaps/basemaps/index.js");
const OSM = '© <a href="https://www.openstreetmap.org/copyright" target="_blank">OpenStreetMap</a>';
const PROTOMAPS = '<a href="https://protomaps.com" target="_blank">Protomaps</a>';
const SOURCE = "archive";

let protocol = null;

// Our colours under the names that Protomaps' flavors use.
const OURS = [
  [/casing/, "casing"], [/highway$/, "major"], [/^(tunnel|bridges|minor|link|major|other|pier)/, "road"], [/label_halo$/, "halo"],
  [/^ocean_label/, "sea"], [/^(city|state|country)_label/, "text"], [/label/, "street"], [/^(park|wood|scrub|zoo)/, "green"],
  [/^(hospital|industrial|school|pedestrian|aerodrome|runway|military|sand|beach|glacier)/, "quiet"],
  [/^earth|background/, "land"], [/^water/, "water"], [/^buildings/, "building"], [/^railway/, "rail"], [/^boundaries/, "province"],
];

function flavorOf(base, c) {
  const ours = Object.keys(base).map((key) => [key, c[OURS.find(([pattern]) => pattern.test(key))?.[1]] ?? base[key]]);
  const cover = Object.keys(base.landcover).map((kind) => [kind, /forest|grass|scrub|farm/.test(kind) ? c.green : c.land]);
  return { ...Object.fromEntries(ours), pois: undefined, landcover: Object.fromEntries(cover) };
}

// Each layer of a file of another schema than Protomaps': areas, lines, names.
function plain(names, c) {
  const layer = (kind) => (name) => ({ id: `${kind}-${name}`, type: kind, source: SOURCE, "source-layer": name });
  const only = (type) => ["==", ["geometry-type"], type];
  return [
    ...names.map((name) => ({ ...layer("fill")(name), filter: only("Polygon"), paint: { "fill-color": c.building, "fill-outline-color": c.casing } })),
    ...names.map((name) => ({
      ...layer("line")(name), filter: only("LineString"), layout: { "line-cap": "round", "line-join": "round" },
      paint: { "line-color": c.road, "line-width": ["interpolate", ["exponential", 1.6], ["zoom"], 12, 1, 18, 12] },
    })),
    ...names.map((name) => ({
      ...layer("symbol")(name), minzoom: 16, layout: { "text-field": NAME, "text-font": PLAIN, "text-size": 11 },
      paint: { "text-color": c.street, "text-halo-color": c.halo, "text-halo-width": 1.2 },
    })),
  ];
}

// Files that were converted from MBTiles have the list inside a JSON text.
function layerNames({ vector_layers, json = "{}" }) {
  return (vector_layers ?? JSON.parse(json).vector_layers ?? []).map((layer) => layer.id);
}

export async function archiveStreets(gl, path, signal) {
  const { PMTiles, Protocol } = await import(PMTILES);
  const url = new URL(path, location.origin).href;
  const file = new PMTiles(url);
  const [header, metadata] = await Promise.all([file.getHeader(), file.getMetadata()]);
  signal.throwIfAborted();
  if (!protocol) gl.addProtocol("pmtiles", (protocol = new Protocol()).tile);
  protocol.add(file);
  const { source, ...streets } = await archiveMap(header, layerNames(metadata));
  return { ...streets, sources: { [SOURCE]: { ...source, tiles: [`pmtiles://${url}/{z}/{x}/{y}`] } } };
}

// The map of a file with these layers.
export async function archiveMap(header, names) {
  const isProtomaps = names.includes("roads") && names.includes("earth");
  const basemaps = isProtomaps && await import(BASEMAPS);
  const source = {
    type: "vector", minzoom: header.minZoom, maxzoom: header.maxZoom,
    bounds: [header.minLon, header.minLat, header.maxLon, header.maxLat], attribution: isProtomaps ? `${PROTOMAPS} ${OSM}` : OSM,
  };
  const protomaps = (theme) => labelsOnly(basemaps.layers(SOURCE, flavorOf(basemaps.namedFlavor(theme), colours(theme)), { lang }))
    .filter((layer) => layer.type !== "background");
  return {
    source, layers: isProtomaps ? protomaps : (theme) => plain(names, colours(theme)),
    opaque: false, hides: isProtomaps ? [...BORDERS.slice(1), ...NAMES] : [],
  };
}
