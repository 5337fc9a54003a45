// The drawn area or the box of the last search, on the map.
import { ACCENT } from "./booths.js";
import { EMPTY } from "./geo.js";
import { ringOf, ringOfBox } from "../shared/ring.js";
import { state } from "../shared/state.js";

let drawn = "";

export function addArea(sheet, theme) {
  const accent = ACCENT[theme];
  drawn = "";
  sheet.addSource("area", { type: "geojson", data: EMPTY });
  const layout = { visibility: "none" };
  sheet.addLayer({ id: "area-fill", type: "fill", source: "area", layout, paint: { "fill-color": accent, "fill-opacity": 0.07 } });
  sheet.addLayer({ id: "area-edge", type: "line", source: "area", layout: { ...layout, "line-join": "round" }, paint: { "line-color": accent, "line-width": 2.5 } });
}

export function showArea(map) {
  const { area = "", bbox = "" } = state.searched ?? {};
  if (!map.getSource("area") || drawn === area + bbox) return;
  drawn = area + bbox;
  // Visible layers cost a clipping pass per frame even without data.
  for (const id of ["area-fill", "area-edge"]) map.setLayoutProperty(id, "visibility", drawn ? "visible" : "none");
  const ring = area ? ringOf(area) : bbox && ringOfBox(bbox);
  map.getSource("area").setData(ring ? { type: "Feature", properties: {}, geometry: { type: "Polygon", coordinates: [ring] } } : EMPTY);
}
