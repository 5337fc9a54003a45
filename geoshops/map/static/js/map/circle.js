// The search circle. While it follows the map it is an HTML element over the map's centre: as a map layer it would be
// retiled and redrawn at every step of a pan and delay the shops.
import { ACCENT } from "./booths.js";
import { h } from "../shared/dom.js";
import { EMPTY, circle, metresPerPixel } from "./geo.js";

const LAYERS = ["circle-fill", "circle-edge"];
let ring = null;
let drawn = "none";

export function startCircle(map) {
  ring = map.getContainer().insertBefore(h("div", { class: "ring", "aria-hidden": "true", hidden: true }), map.getCanvasContainer().nextSibling);
}

export function addCircle(sheet, theme) {
  const accent = ACCENT[theme];
  drawn = "none";
  sheet.addSource("circle", { type: "geojson", data: EMPTY, maxzoom: 10, tolerance: 0.1 });
  const layout = { visibility: "none" };
  sheet.addLayer({ id: "circle-fill", type: "fill", source: "circle", layout, paint: { "fill-color": accent, "fill-opacity": 0.045 } });
  sheet.addLayer({
    id: "circle-edge", type: "line", source: "circle", layout,
    paint: { "line-color": accent, "line-width": 1.5, "line-opacity": 0.6, "line-dasharray": [3, 2] },
  });
}

// Shows the circle around the map's centre.
export function showMovingCircle(map, radius_m) {
  if (!ring) return;
  place(map, "none", EMPTY);
  const { clientWidth: width, clientHeight: height } = map.getContainer();
  const radius = radius_m / metresPerPixel(map.getCenter().lat, map.getZoom());
  ring.hidden = radius > Math.hypot(width, height) / 2;
  ring.style.width = `${2 * radius}px`;
}

// Shows the circle of the last search, or none.
export function showCircle(map, center, radius_m) {
  if (!ring) return;
  ring.hidden = true;
  if (center) place(map, `${center.lng} ${center.lat} ${radius_m}`, circle(center, radius_m));
  else place(map, "none", EMPTY);
}

function place(map, wanted, data) {
  if (wanted === drawn) return;
  drawn = wanted;
  // Visible layers cost a clipping pass per frame even without data.
  for (const id of LAYERS) map.setLayoutProperty(id, "visibility", data === EMPTY ? "none" : "visible");
  map.getSource("circle")?.setData(data);
}
