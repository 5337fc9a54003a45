// The offline basemap: our own style with Natural Earth data, which needs no other server. Streets lie over it.
import { asset } from "../shared/assets.js";
import { EMPTY, collection } from "./geo.js";
import { begin, end } from "../shared/idle.js";
import { pause } from "../shared/pause.js";
import { toGeoJson } from "./topojson.js";

const LAND = asset("vendor/world-atlas/land-50m.json");
const COAST = asset("vendor/world-atlas/coast.json");

const COLOURS = {
  light: {
    water: "#cfe0e8", land: "#f6f3ee", coast: "#b9cdd6", edge: "#dcd5ca", province: "#bdb3a4", halo: "#fffdfa", text: "#5b5850", place: "#767064", station: "#41687f",
    green: "#e6ecdd", quiet: "#efebe4", building: "#ebe6dd", road: "#ffffff", casing: "#e2dbd0", major: "#fdf3dc", majorCasing: "#e4d3b2", rail: "#cfc8bd", street: "#857e72", sea: "#6d8a9a",
  },
  dark: {
    water: "#12212b", land: "#20242c", coast: "#2c4552", edge: "#363c48", province: "#545c6c", halo: "#171a20", text: "#b4b8c2", place: "#8e94a1", station: "#86b5d0",
    green: "#212c2b", quiet: "#242932", building: "#2a2f39", road: "#363d4a", casing: "#1a1e25", major: "#4a4a4b", majorCasing: "#1a1e25", rail: "#3f4654", street: "#969ca9", sea: "#5f7f93",
  },
};
export const colours = (theme) => COLOURS[theme];

// Extent of the detailed coast (west, south, east, north), and the layers that it covers completely.
const DETAILED = [123.0, 32.0, 132.5, 40.5];
const COVERED = ["land", "shore", "near-sea"];
const LAYERS = ["ground", "near-land", "near-shore", ...COVERED];
// The view is probed at this many steps across and down.
const PROBES = 8;
let hidden = false;

export function offlineStyle(theme) {
  hidden = false;
  const { land, coast, water } = COLOURS[theme];
  const coarse = ["!", ["has", "kind"]];
  const only = (kind) => ["==", ["get", "kind"], kind];
  return {
    version: 8,
    sources: {
      // maxzoom 9: overzoomed tiles need no retiling while panning. Coarse land and detailed coast share a source,
      // because each GeoJSON source adds two clipping passes over the whole view to every frame.
      land: { type: "geojson", data: EMPTY, maxzoom: 9, attribution: "Natural Earth" },
    },
    layers: [
      { id: "ground", type: "background", paint: { "background-color": land } },
      { id: "land", type: "fill", source: "land", filter: coarse, paint: { "fill-color": land, "fill-antialias": false } },
      { id: "shore", type: "line", source: "land", filter: coarse, paint: { "line-color": coast, "line-width": 1 } },
      // Around Korea the detailed coast is drawn over the coarse one.
      { id: "near-sea", type: "fill", source: "land", filter: only("sea"), paint: { "fill-color": water, "fill-antialias": false } },
      { id: "near-land", type: "fill", source: "land", filter: only("land"), paint: { "fill-color": land, "fill-antialias": false } },
      { id: "near-shore", type: "line", source: "land", filter: only("shore"), minzoom: 5, paint: { "line-color": coast, "line-width": 1 } },
    ],
  };
}

let loaded = null;

const read = async (address) => (await fetch(address)).json();

async function load() {
  const [land, coast] = await Promise.all([read(LAND), read(COAST)]);
  return collection([...toGeoJson(land, "land").features, ...coast.features]);
}

// Whether regions cover the view wherever it is probed, so that land and sea need not be loaded. Probes in pauses of the browser.
export async function isInland(map) {
  const { clientWidth: width, clientHeight: height } = map.getContainer();
  const steps = Array.from({ length: PROBES + 1 }, (_, i) => i / PROBES);
  const isCovered = (at) => map.queryRenderedFeatures(at, { layers: ["areas"] }).length > 0;
  for (const x of steps) {
    await pause();
    if (loaded || !steps.every((y) => isCovered([x * width, y * height]))) return false;
  }
  return true;
}

// Colours the sea only after the land is drawn, so that a map without land data is not all water.
export async function loadLand(map, theme) {
  begin();
  try {
    loaded ??= load();
    await map.getSource("land")?.setData(await loaded);
    await map.once("idle");
    map.setPaintProperty("ground", "background-color", COLOURS[theme].water);
    dropCovered(map);
  } catch {
    loaded = null; // the map then has a plain background
  } finally {
    end();
  }
}

// Hides covered layers: each would fill the whole view in every frame.
export function dropCovered(map) {
  if (hidden || !map.getLayer("land")) return;
  const [west, south, east, north] = DETAILED;
  const bounds = map.getBounds();
  const covered = bounds.getWest() > west && bounds.getSouth() > south && bounds.getEast() < east && bounds.getNorth() < north;
  const visibility = covered ? "none" : "visible";
  for (const id of COVERED) {
    const now = map.getLayoutProperty(id, "visibility") ?? "visible";
    if (now !== visibility) map.setLayoutProperty(id, "visibility", visibility);
  }
}

// Streets with a background cover everything.
export function showOffline(map, shown) {
  for (const id of LAYERS) map.setLayoutProperty(id, "visibility", shown ? "visible" : "none");
  hidden = !shown;
  dropCovered(map);
}
