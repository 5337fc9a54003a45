// From the service's own data: region borders and names on the offline basemap, stations on every one.
import { LOWEST, OVER_PINS } from "./booths.js";
import { colours } from "./basemap.js";
import { lang, t } from "../shared/i18n.js";
import { BOLD, PLAIN } from "./font.js";

const TILES = `${location.origin}/basemap/{z}/{x}/{y}.mvt`;
export const BORDERS = ["areas", "district-borders", "province-borders"];
export const NAMES = ["names"];
const given = (field) => ["!=", ["coalesce", ["get", field], ""], ""];
// The names of a place in the page's language, the best first.
const FIELDS = { ko: [], en: ["name_en"], ja: ["name_ja", "name_en"], "zh-Hans": ["name_zh_hans", "name_en"], "zh-Hant": ["name_zh_hant", "name_en"] };
const name = FIELDS[lang].length ? ["case", ...FIELDS[lang].flatMap((field) => [given(field), ["get", field]]), ["get", "name"]] : ["get", "name"];

// The text of a station, with its name as an expression.
function stationName() {
  const [before, after] = t("map.station").split("{name}");
  return ["concat", before, name, after];
}

// The colour is part of the text, as in the names of pins: the three layers then share a shader.
const coloured = (text, colour) => ["format", text, { "text-color": colour }];

const haloed = (colour, halo) => ({ "text-color": colour, "text-halo-color": halo, "text-halo-width": 1.4 });

export function addAreas(sheet, theme) {
  sheet.addSource("context", { type: "vector", tiles: [TILES], minzoom: 4, maxzoom: 14 });
  for (const layer of areas(colours(theme))) sheet.addLayer({ source: "context", "source-layer": "areas", ...layer });
}

function areas({ land, edge, province }) {
  const level = (name) => ["==", ["get", "level"], name];
  return [
    { id: "areas", type: "fill", paint: { "fill-color": land, "fill-antialias": false } },
    { id: "district-borders", type: "line", filter: level("sigungu"), paint: { "line-color": edge, "line-width": ["interpolate", ["linear"], ["zoom"], 8, 0.5, 14, 1.6] } },
    { id: "province-borders", type: "line", filter: level("sido"), paint: { "line-color": province, "line-width": ["interpolate", ["linear"], ["zoom"], 5, 0.7, 14, 2.6] } },
  ];
}

// A name gives way to the number of a cluster by moving to its side.
export const BESIDE = { "text-variable-anchor": ["center", "bottom", "top", "left", "right"], "text-radial-offset": 1.6 };

export function addNames(sheet, theme) {
  const { halo, place } = colours(theme);
  sheet.addLayer({
    id: "names", type: "symbol", source: "context", "source-layer": "names",
    layout: { "text-field": coloured(name, place), "text-font": PLAIN, "text-size": ["interpolate", ["linear"], ["zoom"], 6, 12, 12, 14, 16, 17], "text-letter-spacing": 0.06, ...BESIDE },
    paint: haloed(place, halo),
  });
}

export function addStations(sheet, theme) {
  const { halo, station } = colours(theme);
  const common = { source: "context", "source-layer": "stations" };
  sheet.addLayer({
    id: "stations", type: "circle", minzoom: 12, ...common,
    paint: { "circle-radius": ["interpolate", ["linear"], ["zoom"], 12, 2.5, 16, 5.5], "circle-color": halo, "circle-stroke-color": station, "circle-stroke-width": 2 },
  }, LOWEST);
  // Over the pins, so that a pin's name gives way to the station's.
  sheet.addLayer({
    id: "station-names", type: "symbol", minzoom: 12.5, ...common,
    layout: { "text-field": coloured(stationName(), station), "text-font": BOLD, "text-size": 12, "text-variable-anchor": ["left", "right", "bottom", "top"], "text-radial-offset": 0.8, "text-justify": "auto" },
    paint: haloed(station, halo),
  }, OVER_PINS);
}
