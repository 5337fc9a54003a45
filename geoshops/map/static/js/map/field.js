// Clusters of all shops from the service's vector tiles, at low zoom levels. At higher ones, and for a keyword, the
// search results are shown instead.
import { colours } from "./basemap.js";
import { BOLD } from "./font.js";
import { state } from "../shared/state.js";

const TILES = `${location.origin}/tiles/shops/{z}/{x}/{y}.mvt?allBrands=true`;
export const RESULTS_FROM_ZOOM = 11.5;
const LAYERS = ["field", "field-counts"];

export function addField(map, theme) {
  map.addSource("field", { type: "vector", tiles: [TILES], minzoom: 0, maxzoom: 14 });
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
        "text-field": ["to-string", ["get", "shop_cnt"]], "text-font": BOLD, "text-size": 11.5,
        "symbol-sort-key": ["-", 0, ["get", "shop_cnt"]],
      },
      paint: { "text-color": halo },
    },
  ];
}

export function showField(map) {
  for (const id of LAYERS) {
    if (map.getLayer(id)) map.setLayoutProperty(id, "visibility", state.query ? "none" : "visible");
  }
}

export function intoField(map, event) {
  const { geometry, properties } = event.features[0];
  map.easeTo({ center: geometry.coordinates, zoom: Math.max(properties.expansion_zoom, map.getZoom() + 1) });
}
