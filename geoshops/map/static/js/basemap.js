// The map under the booths: our own style from Natural Earth land, which needs no other server,
// or the online style that the operator has configured.
import { begin, end } from "./idle.js";
import { toGeoJson } from "./topojson.js";

const LAND = "/static/vendor/world-atlas/land-50m.json";
const COAST = "/static/vendor/world-atlas/coast.json";
export const styleUrl = document.body.dataset.styleUrl;

const COLOURS = {
  light: { water: "#cfe0e8", land: "#f6f3ee", coast: "#b9cdd6", edge: "#dcd5ca", halo: "#fffdfa", text: "#5b5850", place: "#767064", station: "#41687f" },
  dark: { water: "#12212b", land: "#20242c", coast: "#2c4552", edge: "#363c48", halo: "#171a20", text: "#b4b8c2", place: "#8e94a1", station: "#86b5d0" },
};
export const colours = (theme) => COLOURS[theme];

const EMPTY = { type: "FeatureCollection", features: [] };

export function offlineStyle(theme) {
  const { land, coast, water } = COLOURS[theme];
  const only = (kind) => ["==", ["get", "kind"], kind];
  return {
    version: 8,
    sources: {
      // Few large tiles, stretched further in: a pan then cuts nothing anew.
      land: { type: "geojson", data: EMPTY, maxzoom: 7, attribution: "Natural Earth" },
      coast: { type: "geojson", data: EMPTY, maxzoom: 9 },
    },
    layers: [
      { id: "ground", type: "background", paint: { "background-color": land } },
      { id: "land", type: "fill", source: "land", paint: { "fill-color": land, "fill-antialias": false } },
      { id: "shore", type: "line", source: "land", paint: { "line-color": coast, "line-width": 1 } },
      // Around Korea the finer coast lies over the coarse one.
      { id: "near-sea", type: "fill", source: "coast", filter: only("sea"), paint: { "fill-color": water, "fill-antialias": false } },
      { id: "near-land", type: "fill", source: "coast", filter: only("land"), paint: { "fill-color": land, "fill-antialias": false } },
      { id: "near-shore", type: "line", source: "coast", filter: only("shore"), minzoom: 5, paint: { "line-color": coast, "line-width": 1 } },
    ],
  };
}

let loaded = null;

const read = async (address) => (await fetch(address)).json();
const load = async () => ({ land: toGeoJson(await read(LAND), "land"), coast: await read(COAST) });

// The sea is coloured once the land is there, so that a map without it is plain ground.
export async function loadLand(map, theme) {
  begin();
  try {
    loaded ??= load();
    const { land, coast } = await loaded;
    await Promise.all([map.getSource("land")?.setData(land), map.getSource("coast")?.setData(coast)]);
    map.setPaintProperty("ground", "background-color", COLOURS[theme].water);
  } catch {
    loaded = null; // the booths stand on plain ground then
  } finally {
    end();
  }
}
