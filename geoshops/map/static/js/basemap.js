// The map under the booths: our own style from Natural Earth land, which needs no other server,
// or the online style that the operator has configured.
import { begin, end } from "./idle.js";
import { toGeoJson } from "./topojson.js";

const LAND = "/static/vendor/world-atlas/land-50m.json";
export const styleUrl = document.body.dataset.styleUrl;

const COLOURS = {
  light: { water: "#cfe0e8", land: "#f6f3ee", coast: "#b9cdd6", edge: "#dcd5ca", halo: "#fffdfa", text: "#5b5850", place: "#767064", station: "#41687f" },
  dark: { water: "#12212b", land: "#20242c", coast: "#2c4552", edge: "#363c48", halo: "#171a20", text: "#b4b8c2", place: "#8e94a1", station: "#86b5d0" },
};
export const colours = (theme) => COLOURS[theme];

export function offlineStyle(theme) {
  const { land, coast } = COLOURS[theme];
  return {
    version: 8,
    sources: {
      land: { type: "geojson", data: { type: "FeatureCollection", features: [] }, attribution: "Natural Earth" },
    },
    layers: [
      { id: "ground", type: "background", paint: { "background-color": land } },
      { id: "land", type: "fill", source: "land", paint: { "fill-color": land, "fill-antialias": false } },
      { id: "coast", type: "line", source: "land", paint: { "line-color": coast, "line-width": 1 } },
    ],
  };
}

let land = null;

const fetchLand = () => fetch(LAND).then((response) => response.json()).then((topology) => toGeoJson(topology, "land"));

// The sea is coloured once the land is there, so that a map without it is plain ground.
export async function loadLand(map, theme) {
  begin();
  try {
    land ??= fetchLand();
    const data = await land;
    await map.getSource("land")?.setData(data);
    map.setPaintProperty("ground", "background-color", COLOURS[theme].water);
  } catch {
    land = null; // the booths stand on plain ground then
  } finally {
    end();
  }
}
