// Rings of positions as text, in Google's encoded polyline format with five decimals.
const UNIT = 1e5;
const MOST_CORNERS = 100;

function written(value) {
  let rest = value < 0 ? ~(value << 1) : value << 1;
  let text = "";
  for (; rest >= 0x20; rest >>>= 5) text += String.fromCharCode((0x20 | (rest & 0x1f)) + 63);
  return text + String.fromCharCode(rest + 63);
}

// The corners are [longitude, latitude] without the first one repeated at the end.
export function writeRing(corners) {
  let [x, y] = [0, 0];
  return corners.map(([lng, lat]) => {
    const [nextX, nextY] = [Math.round(lng * UNIT), Math.round(lat * UNIT)];
    const text = written(nextY - y) + written(nextX - x);
    [x, y] = [nextX, nextY];
    return text;
  }).join("");
}

function numbers(text) {
  const values = [];
  let [value, shift] = [0, 0];
  for (const letter of text) {
    const bits = letter.charCodeAt(0) - 63;
    value |= (bits & 0x1f) << shift;
    shift += 5;
    if (bits & 0x20) continue;
    values.push(value & 1 ? ~(value >> 1) : value >> 1);
    [value, shift] = [0, 0];
  }
  return shift ? [] : values;
}

// The closed ring of [longitude, latitude]; null when the text is none.
export function ringOf(text) {
  const values = /^[?-~]+$/.test(text) ? numbers(text) : [];
  let [x, y] = [0, 0];
  const corners = [];
  for (let i = 0; i + 1 < values.length; i += 2) {
    y += values[i];
    x += values[i + 1];
    corners.push([x / UNIT, y / UNIT]);
  }
  const onEarth = corners.every(([lng, lat]) => Math.abs(lng) <= 180 && Math.abs(lat) <= 90);
  return onEarth && corners.length > 2 && corners.length <= MOST_CORNERS && values.length % 2 === 0 ? [...corners, corners[0]] : null;
}

// The closed ring of a box "west,south,east,north".
export function ringOfBox(box) {
  const [west, south, east, north] = box.split(",").map(Number);
  return [[west, south], [east, south], [east, north], [west, north], [west, south]];
}
