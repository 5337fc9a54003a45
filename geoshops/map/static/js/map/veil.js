// Keeps the map out of sight until its shops are drawn. The browser waits for each frame that it shows; those before are
// unfinished, and are drawn small.
import { begin, end } from "../shared/idle.js";
import { markStarted } from "../shared/started.js";

export const VEILED_RATIO = 0.1;
const LONGEST_MS = 2000;
let veiled = null;
let shown = null;

export function veil(map) {
  veiled = map;
  map.getCanvas().style.visibility = "hidden";
  map.once("idle", unveil);
  setTimeout(unveil, LONGEST_MS);
}

// Resolves once the map is in sight.
export function unveil() {
  shown ??= show(veiled);
  return shown;
}

async function show(map) {
  begin();
  map.setPixelRatio(undefined);
  await null; // the frame whose event may have led here is still a small one
  const canvas = map.getCanvas();
  const gl = canvas.getContext("webgl2");
  let fence = null;
  const drawn = () => { fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0); };
  map.on("render", drawn);
  await map.once("render");
  // A frame shown before it is complete would keep the page from responding. A lost context has no fences.
  while (fence && gl.getSyncParameter(fence, gl.SYNC_STATUS) === gl.UNSIGNALED) await nextFrame();
  map.off("render", drawn);
  canvas.style.visibility = "";
  markStarted();
  end();
}

const nextFrame = () => new Promise((resolve) => { requestAnimationFrame(resolve); });
