// Draws the characters of the map's texts a few at a time. MapLibre draws all that a tile needs in one task, in which the
// browser does nothing else, and has no setting for it.
const AT_ONCE = 8;

// Where the browser can yield, the rest comes before other work that waits, as the first shops wait for it.
const nextTask = () => globalThis.scheduler?.yield?.() ?? new Promise((resolve) => { setTimeout(resolve); });

export function paceGlyphs({ style: { glyphManager } }) {
  const draw = glyphManager._drawGlyph;
  let turn = Promise.resolve();
  let n = 0;
  glyphManager._drawGlyph = async (...glyph) => {
    n += 1;
    if (n % AT_ONCE === 0) turn = turn.then(nextTask);
    await turn;
    return draw.apply(glyphManager, glyph);
  };
}
