// Begins a frame of the map only when the graphics processor has drawn the last one, so that changes which come meanwhile
// share the next frame.
const POLL_MS = 8;

const wait = () => new Promise((resolve) => { setTimeout(resolve, POLL_MS); });

// Returns `drawn`, which resolves once the last frame is drawn, and `stop`.
export function pace(map) {
  const gl = map.getCanvas().getContext("webgl2");
  let fence = null;
  let waiting = false;
  const begun = () => {
    gl.deleteSync(fence);
    fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    gl.flush();
  };
  // A lost context has no fences.
  const drawn = async () => { while (fence && gl.getSyncParameter(fence, gl.SYNC_STATUS) === gl.UNSIGNALED) await wait(); };
  const stop = () => {
    map.off("render", begun);
    delete map.triggerRepaint;
  };
  map.on("render", begun);
  map.triggerRepaint = async () => {
    if (waiting) return;
    waiting = true;
    await drawn();
    waiting = false;
    Object.getPrototypeOf(map).triggerRepaint.call(map);
  };
  return { drawn, stop };
}
