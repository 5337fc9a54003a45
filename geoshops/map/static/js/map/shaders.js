// Compiles the map's shaders over several frames while these are out of sight. The browser stands still while it waits for a
// shader, and MapLibre waits for all that a frame needs in one task, without a setting for it.
const LONG_MS = 3;

// Returns `complete`, which resolves with the next frame that has all layers, and `stop`.
export function paceShaders(map) {
  const { painter } = map;
  const draw = painter.renderLayer;
  const count = () => Object.keys(painter.programCache.programs).length;
  let known = count();
  let begun_ms = null;
  let isPartial = false;
  painter.renderLayer = (...layer) => {
    begun_ms ??= performance.now();
    if (count() > known && performance.now() - begun_ms > LONG_MS) isPartial = true;
    else draw.apply(painter, layer);
  };
  const drawn = () => {
    known = count();
    map.repaint = isPartial; // the layers left out come with the next frame
    isPartial = false;
    begun_ms = null;
  };
  map.on("render", drawn);
  const complete = async () => { do await map.once("render"); while (map.repaint); };
  const stop = () => {
    map.off("render", drawn);
    map.repaint = false;
    delete painter.renderLayer;
  };
  return { complete, stop };
}
