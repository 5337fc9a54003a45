// Region borders, region names and stations on the offline basemap.
import { colours } from "./basemap.js";
import { lang, t } from "../shared/i18n.js";
import { PLAIN } from "./font.js";

const TILES = `${location.origin}/basemap/{z}/{x}/{y}.mvt`;
const given = (field) => ["!=", ["coalesce", ["get", field], ""], ""];
const name = lang === "ko" ? ["get", "name"] : ["case", given("name_en"), ["get", "name_en"], ["get", "name"]];

// The text of a station, with its name as an expression.
function stationName() {
  const [before, after] = t("map.station").split("{name}");
  return ["concat", before, name, after];
}

export function addContext(map, theme) {
  map.addSource("context", { type: "vector", tiles: [TILES], minzoom: 4, maxzoom: 14 });
  for (const layer of layers(colours(theme))) map.addLayer({ source: "context", ...layer });
}

function layers({ land, edge, province, halo, place, station }) {
  const level = (name) => ["==", ["get", "level"], name];
  const haloed = (colour) => ({ "text-color": colour, "text-halo-color": halo, "text-halo-width": 1.4 });
  return [
    { id: "areas", type: "fill", "source-layer": "areas", paint: { "fill-color": land, "fill-antialias": false } },
    { id: "district-borders", type: "line", "source-layer": "areas", filter: level("sigungu"), paint: { "line-color": edge, "line-width": ["interpolate", ["linear"], ["zoom"], 8, 0.5, 14, 1.6] } },
    { id: "province-borders", type: "line", "source-layer": "areas", filter: level("sido"), paint: { "line-color": province, "line-width": ["interpolate", ["linear"], ["zoom"], 5, 0.7, 14, 2.6] } },
    {
      id: "names", type: "symbol", "source-layer": "names",
      layout: { "text-field": name, "text-font": PLAIN, "text-size": ["interpolate", ["linear"], ["zoom"], 6, 12, 12, 14, 16, 17], "text-letter-spacing": 0.06 },
      paint: haloed(place),
    },
    {
      id: "stations", type: "circle", "source-layer": "stations", minzoom: 12,
      paint: { "circle-radius": ["interpolate", ["linear"], ["zoom"], 12, 2.5, 16, 5.5], "circle-color": halo, "circle-stroke-color": station, "circle-stroke-width": 2 },
    },
    {
      id: "station-names", type: "symbol", "source-layer": "stations", minzoom: 12.5,
      layout: {
        "text-field": stationName(), "text-font": PLAIN, "text-size": 12,
        "text-anchor": "left", "text-offset": [0.8, 0],
      },
      paint: haloed(station),
    },
  ];
}
