// Clusters of all shops that pass the filters from the service's vector tiles, at low zoom levels. At higher ones, and
// for a keyword, an area or a plan to meet, the search results are shown instead.
import { colours } from "./basemap.js";
import { BOLD } from "./font.js";
import { filterQuery } from "../shops/search.js";
import { isAround, state } from "../shared/state.js";

export const RESULTS_FROM_ZOOM = 11.5;
// Whether the map shows more shops than the list holds.
export const isFieldShown = () => isAround() && state.zoom < RESULTS_FROM_ZOOM;
const LAYERS = ["field", "field-counts"];

function tiles() {
  const wanted = Object.entries({ brand: state.brand, ...filterQuery() }).filter(([, value]) => value);
  return [`${location.origin}/tiles/shops/{z}/{x}/{y}.mvt?${new URLSearchParams([["allBrands", true], ...wanted])}`];
}

export function addField(map, theme) {
  map.addSource("field", { type: "vector", tiles: tiles(), minzoom: 0, maxzoom: 14 });
  for (const layer of layers(colours(theme))) map.addLayer({ source: "field", "source-layer": "clusters", maxzoom: RESULTS_FROM_ZOOM, ...layer });
  showField(map);
}

// Circles are sized by count; where labels collide, the larger cluster keeps its label.
function layers({ station, halo }) {
  return [
    {
      id: "field", type: "circle",
      layout: { "circle-sort-key": ["-", 0, ["get", "shop_cnt"]] },
      paint: {
        "circle-color": station, "circle-opacity": 0.8, "circle-stroke-color": halo, "circle-stroke-width": 1,
        "circle-radius": ["interpolate", ["linear"], ["sqrt", ["get", "shop_cnt"]], 1, 4, 5, 11, 25, 26],
      },
    },
    {
      id: "field-counts", type: "symbol", filter: [">=", ["get", "shop_cnt"], 5],
      layout: {
        "text-field": ["concat", ["case", ["has", "approximate"], "~", ""], ["to-string", ["get", "shop_cnt"]]], "text-font": BOLD, "text-size": 11.5,
        "symbol-sort-key": ["-", 0, ["get", "shop_cnt"]],
      },
      paint: { "text-color": halo },
    },
  ];
}

export function showField(map) {
  for (const id of LAYERS) {
    if (map.getLayer(id)) map.setLayoutProperty(id, "visibility", isAround() ? "visible" : "none");
  }
}

export function filterField(map) {
  map.getSource("field")?.setTiles(tiles());
}

export function intoField(map, event) {
  const { geometry, properties } = event.features[0];
  map.easeTo({ center: geometry.coordinates, zoom: Math.max(properties.expansion_zoom, map.getZoom() + 1) });
}
