// The box that the map shows, also before the map is there.
import { one } from "../shared/dom.js";
import { state } from "../shared/state.js";

const WORLD_PX = 512; // the width of the world at zoom 0
const deg = (radians) => (radians * 180) / Math.PI;
const wrapped = (lng) => ((lng + 540) % 360) - 180;

// As "west,south,east,north"; empty without a map.
export function visibleBox() {
  const { width, height } = one("#map").getBoundingClientRect();
  if (!width || !height) return "";
  const { lng, lat } = state.center;
  const size = WORLD_PX * 2 ** state.zoom;
  const half = (180 * width) / size;
  const [west, east] = half < 180 ? [wrapped(lng - half), wrapped(lng + half)] : [-180, 180];
  const y = Math.asinh(Math.tan((lat * Math.PI) / 180));
  const [south, north] = [-height / 2, height / 2].map((pixels) => deg(Math.atan(Math.sinh(y + (2 * Math.PI * pixels) / size))));
  return [west, south, east, north].map((degrees) => degrees.toFixed(5)).join(",");
}
