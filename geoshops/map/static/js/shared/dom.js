// Creates DOM elements; never builds markup from text.
const SVG = "http://www.w3.org/2000/svg";

export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) set(element, name, value);
  element.append(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

function set(element, name, value) {
  if (value === undefined || value === null || value === false) return;
  if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
  else if (name in element && typeof value !== "string") element[name] = value;
  else element.setAttribute(name, value);
}

export function fill(element, ...children) {
  element.replaceChildren(...children.flat(3).filter(Boolean));
  return element;
}

export const one = (selector, within = document) => within.querySelector(selector);

// Redraws a list and keeps the keyboard focus at its position if the focused button was removed.
export async function keepPlace(box, selector, redraw) {
  const place = [...box.querySelectorAll(selector)].indexOf(document.activeElement);
  await redraw();
  if (place < 0 || document.activeElement !== document.body) return;
  const rest = box.querySelectorAll(selector);
  (rest[Math.min(place, rest.length - 1)] ?? box.closest("[tabindex]"))?.focus();
}

const PATHS = {
  search: "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14m5 12 4.5 4.5",
  close: "M6 6l12 12M18 6 6 18",
  back: "M14.5 5 8 12l6.5 7",
  heart: "M12 20s-7.5-4.6-7.5-10A4.3 4.3 0 0 1 12 7.2 4.3 4.3 0 0 1 19.500 10C19.500 15.400 12 20 12 20z",
  star: "M12 3.600l2.600 5.300 5.800.800-4.200 4.100 1 5.800L12 16.900l-5.200 2.700 1-5.800-4.200-4.100 5.800-.800z",
  near: "M12 2.500v3M12 18.500v3M2.500 12h3M18.500 12h3M12 6a6 6 0 1 0 0 12 6 6 0 0 0 0-12m0 4a2 2 0 1 0 0 4 2 2 0 0 0 0-4",
  person: "M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8M4.500 20c.8-3.800 3.800-5.500 7.500-5.500s6.700 1.700 7.500 5.500",
  pin: "M12 21s-6.500-6-6.500-11a6.500 6.500 0 0 1 13 0c0 5-6.500 11-6.500 11zm0-13.500a2.500 2.500 0 1 0 0 5 2.500 2.500 0 0 0 0-5",
  train: "M7 4h10a2 2 0 0 1 2 2v8a3 3 0 0 1-3 3H8a3 3 0 0 1-3-3V6a2 2 0 0 1 2-2zM5 11h14M8.500 14h.01M15.500 14h.01M8 17l-2 3.500M16 17l2 3.500",
  camera: "M4 8h3.500L9 5.500h6L16.500 8H20v11H4zM12 10.500a3 3 0 1 0 0 6 3 3 0 0 0 0-6",
  again: "M19.500 12a7.500 7.500 0 1 1-2.300-5.400M19.500 4v4h-4",
  clock: "M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16m0 4v4.500l3 2",
  phone: "M6 4h3.500l1.500 4-2 1.500a11 11 0 0 0 5.500 5.500L16 13l4 1.500V18a2 2 0 0 1-2 2C10.500 20 4 13.500 4 6a2 2 0 0 1 2-2z",
  link: "M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.700-5.700L12 7M14 10a4 4 0 0 0-6-.4l-3 3a4 4 0 0 0 5.700 5.700L12 17",
  edit: "M5 19l1-4L16 5l3 3L9 18z",
  share: "M12 15V4M8 7.500 12 4l4 3.500M5 12v7.500h14V12",
  award: "M12 3.500a5.500 5.500 0 1 0 0 11 5.500 5.500 0 0 0 0-11M8.500 13.500 7 21l5-2.500L17 21l-1.500-7.500",
  compare: "M4.500 5h6v14h-6zM13.500 5h6v14h-6z",
  cloud: "M4 4l16 16M8 8.500A5.500 5.500 0 0 0 7 19h10M10.500 6.200A6 6 0 0 1 17.600 11 4 4 0 0 1 20.500 17",
};

export function icon(name, full = false) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", full ? "icon full" : "icon");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", PATHS[name]);
  svg.append(path);
  return svg;
}
