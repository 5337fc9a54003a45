// Keeps the map out of sight until its shops are drawn. The browser waits for each frame that it shows; those before are
// unfinished, and are drawn small. Until the page rests, a picture of the first complete frame is shown in place of the map.
import { h } from "../shared/dom.js";
import { begin, end, idle } from "../shared/idle.js";
import { nextTask } from "../shared/pause.js";
import { markStarted } from "../shared/started.js";
import { pace } from "./pace.js";
import { paceShaders } from "./shaders.js";

export const VEILED_RATIO = 0.1;
const LONGEST_MS = 2000;
const TOUCHES = ["pointerdown", "wheel", "keydown"];
let veiled = null;
let pacing = null;
let shaders = null;
let shown = null;

export function veil(map) {
  veiled = map;
  pacing = pace(map);
  shaders = paceShaders(map);
  map.getCanvas().style.visibility = "hidden";
  map.once("idle", unveil);
  setTimeout(unveil, LONGEST_MS);
}

// Resolves once the map, or its picture, is in sight.
export function unveil() {
  shown ??= show(veiled);
  return shown;
}

async function show(map) {
  begin();
  await nextTask(); // the frame whose event may have led here is still a small one
  map.setPixelRatio(undefined);
  await shaders.complete();
  shaders.stop();
  await pacing.drawn();
  lift(map, await pictureOf(map));
  markStarted();
  end();
}

// In the map's container, which thus notices what touches the picture.
async function pictureOf(map) {
  const canvas = map.getCanvas();
  const { width, height, style } = canvas;
  const picture = h("canvas", { class: "map-picture", width, height, "aria-hidden": "true" });
  Object.assign(picture.style, { width: style.width, height: style.height });
  picture.getContext("bitmaprenderer").transferFromImageBitmap(await createImageBitmap(canvas));
  map.getCanvasContainer().append(picture);
  return picture;
}

async function lift(map, picture) {
  const late = new Promise((resolve) => { setTimeout(resolve, LONGEST_MS); });
  const isTouched = await Promise.race([touched(map).then(() => true), idle(), late]);
  begin();
  if (!isTouched) await pacing.drawn();
  end();
  pacing.stop();
  map.getCanvas().style.visibility = "";
  // Not removed: a touch that began on it goes on.
  Object.assign(picture, { hidden: true, width: 0 });
}

// Resolves when the visitor does something, or the map moves.
const touched = (map) => new Promise((resolve) => {
  for (const name of TOUCHES) addEventListener(name, resolve, { once: true, capture: true, passive: true });
  map.once("movestart", resolve);
});
