// Makes the outline of an area of a line drawn by hand: closed, without crossings, of few corners. All in pixels.
const TOLERANCE_PX = 2;
const MOST_CORNERS = 80;

const cross = ([ax, ay], [bx, by], [cx, cy]) => (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);

// Twice the signed area, positive for one sense of rotation.
function doubleArea(ring) {
  return ring.reduce((sum, [x, y], i) => {
    const [nextX, nextY] = ring[(i + 1) % ring.length];
    return sum + x * nextY - nextX * y;
  }, 0);
}

const area = (ring) => Math.abs(doubleArea(ring)) / 2;

function crossing(a, b, c, d) {
  const [c1, c2, a1, a2] = [cross(a, b, c), cross(a, b, d), cross(c, d, a), cross(c, d, b)];
  if (c1 * c2 > 0 || a1 * a2 > 0 || c1 === c2 || a1 === a2) return null;
  const part = a1 / (a1 - a2);
  return [a[0] + part * (b[0] - a[0]), a[1] + part * (b[1] - a[1])];
}

function firstCrossing(ring) {
  const n = ring.length;
  for (let i = 0; i < n - 2; i += 1) {
    for (let j = i + 2; j < n - (i === 0 ? 1 : 0); j += 1) {
      const at = crossing(ring[i], ring[i + 1], ring[j], ring[(j + 1) % n]);
      if (at) return [i, j, at];
    }
  }
  return null;
}

// Where the line crosses itself, the larger of the two loops is what was meant.
function untangle(ring) {
  let rest = ring;
  for (let found = firstCrossing(rest); found; found = firstCrossing(rest)) {
    const [i, j, at] = found;
    const inner = [...rest.slice(i + 1, j + 1), at];
    const outer = [...rest.slice(0, i + 1), at, ...rest.slice(j + 1)];
    rest = area(inner) > area(outer) ? inner : outer;
  }
  return rest;
}

function distance([x, y], [ax, ay], [bx, by]) {
  const length = Math.hypot(bx - ax, by - ay);
  return length ? Math.abs(cross([ax, ay], [bx, by], [x, y])) / length : Math.hypot(x - ax, y - ay);
}

// Douglas and Peucker's simplification of a line.
function simplified(line, tolerance) {
  if (line.length < 3) return line;
  const [first, last] = [line[0], line.at(-1)];
  let [farthest, most] = [0, 0];
  line.forEach((at, i) => {
    const off = distance(at, first, last);
    if (off > most) [farthest, most] = [i, off];
  });
  if (most <= tolerance) return [first, last];
  return [...simplified(line.slice(0, farthest + 1), tolerance).slice(0, -1), ...simplified(line.slice(farthest), tolerance)];
}

// The corners, without the first one repeated, and the area that they enclose.
export function outline(stroke) {
  let tolerance = TOLERANCE_PX;
  let line = simplified(stroke, tolerance);
  while (line.length > MOST_CORNERS) line = simplified(line, (tolerance *= 1.5));
  const corners = untangle(line);
  return { corners, area_px2: corners.length > 2 ? area(corners) : 0 };
}
