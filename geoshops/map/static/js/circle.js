// The circle that is searched. While it follows the map it is an element over the middle of it: drawn with the map, it
// would have its worker cut and the picture drawn anew at every step, and the booths would wait for that.
import { ACCENT } from "./booths.js";
import { h } from "./dom.js";
import { circle, metresPerPixel } from "./geo.js";

const EMPTY = { type: "FeatureCollection", features: [] };
const LAYERS = ["circle-fill", "circle-edge"];
let ring = null;
let drawn = "none";

export function addCircle(map, theme) {
  const accent = ACCENT[theme];
  ring ??= map.getContainer().insertBefore(h("div", { class: "ring", "aria-hidden": "true", hidden: true }), map.getCanvasContainer().nextSibling);
  drawn = "none";
  map.addSource("circle", { type: "geojson", data: EMPTY, maxzoom: 10, tolerance: 0.1 });
  const layout = { visibility: "none" };
  map.addLayer({ id: "circle-fill", type: "fill", source: "circle", layout, paint: { "fill-color": accent, "fill-opacity": 0.045 } });
  map.addLayer({
    id: "circle-edge", type: "line", source: "circle", layout,
    paint: { "line-color": accent, "line-width": 1.5, "line-opacity": 0.6, "line-dasharray": [3, 2] },
  });
}

// Around the middle of the map, wherever it goes.
export function showMovingCircle(map, radius_m) {
  if (!ring) return;
  place(map, "none", EMPTY);
  const { clientWidth: width, clientHeight: height } = map.getContainer();
  const radius = radius_m / metresPerPixel(map.getCenter().lat, map.getZoom());
  ring.hidden = radius > Math.hypot(width, height) / 2;
  ring.style.width = `${2 * radius}px`;
}

// Where it was searched, or nowhere.
export function showCircle(map, center, radius_m) {
  if (!ring) return;
  ring.hidden = true;
  if (center) place(map, `${center.lng} ${center.lat} ${radius_m}`, circle(center, radius_m));
  else place(map, "none", EMPTY);
}

function place(map, wanted, data) {
  if (wanted === drawn) return;
  drawn = wanted;
  // Layers without anything to draw would still have each picture cut into tiles for them.
  for (const id of LAYERS) map.setLayoutProperty(id, "visibility", data === EMPTY ? "none" : "visible");
  map.getSource("circle")?.setData(data);
}
