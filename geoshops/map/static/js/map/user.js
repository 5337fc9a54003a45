// The user's position, once known: a dot in a circle of the position's accuracy.
import { LOWEST, OVER_PINS } from "./booths.js";
import { EMPTY, circle, collection } from "./geo.js";
import { colours } from "./basemap.js";
import { state } from "../shared/state.js";

const BLUE = "#2f7de1";

export function addUser(sheet, theme) {
  sheet.addSource("user", { type: "geojson", data: EMPTY });
  const common = { source: "user" };
  sheet.addLayer({ id: "user-accuracy", type: "fill", ...common, filter: ["==", ["geometry-type"], "Polygon"], paint: { "fill-color": BLUE, "fill-opacity": 0.14 } }, LOWEST);
  sheet.addLayer({
    id: "user", type: "circle", ...common, filter: ["==", ["geometry-type"], "Point"],
    paint: { "circle-radius": 7, "circle-color": BLUE, "circle-stroke-color": colours(theme).halo, "circle-stroke-width": 3 },
  }, OVER_PINS);
}

export function showUser(map) {
  if (!state.user) return;
  const { lng, lat, accuracy_m } = state.user;
  const dot = { type: "Feature", properties: {}, geometry: { type: "Point", coordinates: [lng, lat] } };
  map.getSource("user")?.setData(collection([circle(state.user, accuracy_m), dot]));
}
