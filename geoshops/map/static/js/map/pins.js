// Draws the map's pin images: each brand's badge on a white disc.
import { state } from "../shared/state.js";

const SIZE = 72;
const RATIO = 2;

function canvas() {
  const element = new OffscreenCanvas(SIZE, SIZE);
  return [element, element.getContext("2d", { willReadFrequently: true })];
}

function ring(context, colour) {
  context.shadowColor = "rgb(0 0 0 / 35%)";
  context.shadowBlur = 6;
  context.shadowOffsetY = 2;
  context.fillStyle = colour;
  context.beginPath();
  context.arc(SIZE / 2, SIZE / 2, SIZE / 2 - 7, 0, 2 * Math.PI);
  context.fill();
  context.shadowColor = "transparent";
}

function load(address) {
  return new Promise((resolve, reject) => {
    const image = new Image();
    image.onload = () => resolve(image);
    image.onerror = reject;
    // Of this origin the list has it already; another one would not let its picture be drawn.
    if (new URL(address, location.href).origin !== location.origin) image.crossOrigin = "anonymous";
    image.src = address;
  });
}

// If a badge cannot be loaded, draws a grey dot instead.
async function drawPin(brand_name) {
  const [element, context] = canvas();
  ring(context, "#ffffff");
  const shop = state.shops.find((one) => one.brand.brand_name === brand_name);
  const address = state.brands.find((one) => one.brand_name === brand_name)?.file_path ?? shop?.brand.file_path;
  try {
    const inner = SIZE - 22;
    context.drawImage(await load(address), 11, 11, inner, inner);
  } catch {
    context.fillStyle = "#5d6370";
    context.arc(SIZE / 2, SIZE / 2, 10, 0, 2 * Math.PI);
    context.fill();
  }
  return context.getImageData(0, 0, SIZE, SIZE);
}

const PREFIX = "pin:";
export const pinName = (brand_name) => PREFIX + brand_name;

const drawn = new Map();

// MapLibre calls the resolver for an image that it does not have yet.
export function drawPinsFor(map) {
  map.setMissingStyleImageResolver(async (id) => {
    if (!id.startsWith(PREFIX)) return;
    if (!drawn.has(id)) drawn.set(id, drawPin(id.slice(PREFIX.length)));
    const data = await drawn.get(id);
    if (!map.hasImage(id)) map.addImage(id, data, { pixelRatio: RATIO });
  });
}
