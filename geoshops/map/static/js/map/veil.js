// Keeps the map out of sight until its shops are drawn. The browser waits for each frame that it shows; those before are
// unfinished, and are drawn small.
export const VEILED_RATIO = 0.1;
const LONGEST_MS = 2000;
let veiled = null;

export const isVeiled = () => veiled !== null;

export function veil(map) {
  veiled = map;
  map.getCanvas().style.visibility = "hidden";
  map.once("idle", unveil);
  setTimeout(unveil, LONGEST_MS);
}

export function unveil() {
  if (!veiled) return;
  const map = veiled;
  veiled = null;
  map.setPixelRatio(undefined);
  map.once("render", () => { map.getCanvas().style.visibility = ""; });
}
