// Clusters of all shops that pass the filters from the service's vector tiles, at low zoom levels. At higher ones, and
// for a keyword, an area or a plan to meet, the search results are shown instead.
import { colours } from "./basemap.js";
import { BOLD } from "./font.js";
import { filterQuery } from "../shops/search.js";
import { RESULTS_FROM_ZOOM, isAround, state } from "../shared/state.js";

// A tile has a cluster per 8 pixels of its own zoom level. Shown this many levels later, clusters stand apart and leave
// room for place names.
const LEVELS_APART = 3;
const LEVELS = Array.from({ length: Math.ceil(RESULTS_FROM_ZOOM) - LEVELS_APART }, (_, level) => level);
const idOf = (kind, level) => `${kind}-${level}`;
export const FIELD = LEVELS.map((level) => idOf("field", level));
const COUNTS = LEVELS.map((level) => idOf("field-counts", level));
// layers below which circles and numbers are inserted
const OVER_FIELD = "circle-fill";
const OVER_COUNTS = "user-accuracy";

function tiles() {
  const wanted = Object.entries({ brand: state.brand, ...filterQuery() }).filter(([, value]) => value);
  return [`${location.origin}/tiles/shops/{z}/{x}/{y}.mvt?${new URLSearchParams([["allBrands", true], ...wanted])}`];
}

// The lowest level is in the style from the start: streets lie below it.
export function addField(sheet, theme, level = 0, below = undefined) {
  sheet.addSource(idOf("field", level), { type: "vector", tiles: tiles(), minzoom: level, maxzoom: level });
  sheet.addLayer({ id: idOf("field", level), ...common(level), ...circles(colours(theme)) }, below);
}

// Over the place names, which give way to them.
export function addFieldCounts(sheet, theme, level = 0, below = undefined) {
  sheet.addLayer({ id: idOf("field-counts", level), ...common(level), ...counts(colours(theme)) }, below);
}

// Adds the level that the map comes to. In the style all levels would be a third of its layers.
export function bringField(map, theme) {
  const level = Math.max(0, Math.floor(map.getZoom()) - LEVELS_APART);
  if (!LEVELS.includes(level) || map.getLayer(idOf("field", level))) return;
  addField(map, theme, level, OVER_FIELD);
  addFieldCounts(map, theme, level, OVER_COUNTS);
  showField(map);
}

// The layer of the lowest level is shown at all zoom levels below, too.
function common(level) {
  const minzoom = level === 0 ? 0 : level + LEVELS_APART;
  const maxzoom = Math.min(level + LEVELS_APART + 1, RESULTS_FROM_ZOOM);
  return { source: idOf("field", level), "source-layer": "clusters", minzoom, maxzoom };
}

// Sized by count; larger ones lie over smaller ones.
function circles({ station, halo }) {
  return {
    type: "circle", layout: { "circle-sort-key": ["get", "shop_cnt"] },
    paint: {
      "circle-color": station, "circle-opacity": 0.85, "circle-stroke-color": halo, "circle-stroke-width": 1.5,
      "circle-radius": ["interpolate", ["linear"], ["sqrt", ["get", "shop_cnt"]], 1, 5, 3, 10, 25, 22],
    },
  };
}

function counts({ halo }) {
  return {
    type: "symbol",
    layout: {
      "text-field": ["case", [">", ["get", "shop_cnt"], 1], ["concat", ["case", ["has", "approximate"], "~", ""], ["to-string", ["get", "shop_cnt"]]], ""], "text-font": BOLD, "text-size": 11.5,
      "symbol-sort-key": ["-", 0, ["get", "shop_cnt"]],
    },
    paint: { "text-color": halo },
  };
}

export function showField(map) {
  for (const id of [...FIELD, ...COUNTS]) {
    if (map.getLayer(id)) map.setLayoutProperty(id, "visibility", isAround() ? "visible" : "none");
  }
}

export function filterField(map) {
  for (const id of FIELD) map.getSource(id)?.setTiles(tiles());
}

export function intoField(map, event) {
  const { geometry, properties } = event.features[0];
  map.easeTo({ center: geometry.coordinates, zoom: Math.max(properties.expansion_zoom, map.getZoom() + 1) });
}
