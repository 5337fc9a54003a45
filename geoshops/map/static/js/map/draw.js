// Drawing an area with a finger or the mouse. The keyboard searches the visible map instead.
import { one } from "../shared/dom.js";
import { outline } from "./outline.js";
import { visibleBox } from "./box.js";
import { map } from "./map.js";
import { writeRing } from "../shared/ring.js";
import { state, subscribe, update } from "../shared/state.js";

const SMALLEST_PX2 = 400;
let stroke = [];
let pointer = null;

function open() {
  one("#drawing").hidden = false;
  one(".area-tools").hidden = true;
  one("#draw-box").focus();
}

function close() {
  const focused = one("#drawing").contains(document.activeElement);
  stroke = [];
  pointer = null;
  paint();
  one("#drawing").hidden = true;
  one(".area-tools").hidden = false;
  if (focused) one("#draw").hidden ? one("#undraw").focus() : one("#draw").focus();
}

function paint() {
  one("#stroke path").setAttribute("d", stroke.length ? `M${stroke.map((at) => at.join(" ")).join("L")}` : "");
}

function add(event) {
  const box = one("#stroke").getBoundingClientRect();
  stroke.push([event.clientX - box.x, event.clientY - box.y]);
  paint();
}

function began(event) {
  if (pointer !== null) return;
  pointer = event.pointerId;
  one("#stroke").setPointerCapture(pointer);
  stroke = [];
  add(event);
}

function moved(event) {
  if (event.pointerId === pointer) add(event);
}

// A line that encloses nothing leaves the drawing open for another one.
function ended(event) {
  if (event.pointerId !== pointer) return;
  pointer = null;
  const { corners, area_px2 } = outline(stroke);
  if (area_px2 < SMALLEST_PX2) {
    stroke = [];
    return paint();
  }
  const area = writeRing(corners.map((at) => map.unproject(at).toArray()));
  choose({ area });
  return close();
}

function choose(limits) {
  update({ query: "", bbox: "", area: "", ...limits });
}

function box() {
  choose({ bbox: visibleBox() });
  close();
}

function offer() {
  const limited = Boolean(state.area || state.bbox);
  one("#draw").hidden = limited;
  one("#undraw").hidden = !limited;
}

export function startDraw() {
  one("#draw").addEventListener("click", open);
  one("#draw-box").addEventListener("click", box);
  one("#draw-cancel").addEventListener("click", close);
  one("#undraw").addEventListener("click", () => { update({ area: "", bbox: "" }); one("#draw").focus(); });
  one("#drawing").addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    close();
  });
  for (const [name, listener] of Object.entries({ pointerdown: began, pointermove: moved, pointerup: ended })) one("#stroke").addEventListener(name, listener);
  one("#stroke").addEventListener("pointercancel", () => { stroke = []; pointer = null; paint(); });
  subscribe(["area", "bbox"], offer);
  offer();
}
