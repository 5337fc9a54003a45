// Draws the characters of the map's texts a few at a time. MapLibre draws all that a tile needs in one task, in which the
// browser does nothing else, and has no setting for it.
import { nextTask } from "../shared/pause.js";

const AT_ONCE = 8;

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
