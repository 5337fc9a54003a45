// Gives street layers the page's look: calm colours of the theme, labels in the page's language and fonts.
import { BESIDE } from "./context.js";
import { BOLD, PLAIN } from "./font.js";
import { lang } from "../shared/i18n.js";

// The names of a place, the best first.
const NAMES = {
  ko: ["name:ko"], en: ["name:en", "name_en", "name:latin"], ja: ["name:ja"],
  "zh-Hans": ["name:zh-Hans", "name:zh"], "zh-Hant": ["name:zh-Hant", "name:zh"],
};
export const NAME = ["coalesce", ...[...NAMES[lang], "name"].map((field) => ["get", field])];

// What shows a name shows it in the page's language; a reference number or a height stays.
function localised(layer) {
  if (layer.type !== "symbol" || !layer.layout?.["text-field"]) return layer;
  const { "text-field": text, "text-font": font } = layer.layout;
  const named = /name/.test(JSON.stringify(text));
  const bold = /bold|medium/i.test(JSON.stringify(font ?? ""));
  return { ...layer, layout: { ...layer.layout, "text-field": named ? NAME : text, "text-font": bold ? BOLD : PLAIN } };
}

const ROADS = ["transportation_name", "roads"];

// Without icons: they would compete with the pins. Null for a layer that is nothing else.
function withoutIcons(layer) {
  if (layer.type !== "symbol") return layer;
  const { "icon-image": icon, ...layout } = layer.layout ?? {};
  // A road number needs its shield.
  if (!layout["text-field"] || (icon && ROADS.includes(layer["source-layer"]))) return null;
  const kept = Object.entries(layout).filter(([property]) => !property.startsWith("icon-"));
  return { ...layer, layout: Object.fromEntries(kept) };
}

const isRail = (layer) => /rail|transit/.test(layer.id);
const isMajor = (layer) => /motorway|trunk|major|primary/.test(layer.id);

function roadColour(layer, c) {
  if (isRail(layer)) return c.rail;
  if (/casing/.test(layer.id)) return isMajor(layer) ? c.majorCasing : c.casing;
  return isMajor(layer) ? c.major : c.road;
}

// Colour of a layer of the OpenMapTiles schema, by its data.
const COLOUR_OF = {
  water: (layer, c) => c.water, waterway: (layer, c) => c.water,
  park: (layer, c) => c.green, landcover: (layer, c) => c.green, landuse: (layer, c) => c.quiet,
  building: (layer, c) => c.building, aeroway: (layer, c) => c.quiet, boundary: (layer, c) => c.province,
  transportation: roadColour,
};
const TEXT_OF = { place: "text", water_name: "sea", waterway: "sea" };

const KEPT = /width|dasharray|opacity|offset|antialias|blur/;

function repaint(layer, colour) {
  const kept = Object.entries(layer.paint ?? {}).filter(([property]) => KEPT.test(property));
  return { ...layer, paint: { ...Object.fromEntries(kept), [`${layer.type}-color`]: colour } };
}

function relabel(layer, c) {
  const colour = c[TEXT_OF[layer["source-layer"]] ?? "street"];
  const paint = { "text-color": colour, "text-halo-color": c.halo, "text-halo-width": 1.4 };
  const layout = layer["source-layer"] === "place" ? { ...layer.layout, ...BESIDE, "text-offset": undefined, "text-anchor": undefined } : layer.layout;
  return { ...layer, layout: JSON.parse(JSON.stringify(layout)), paint };
}

function recoloured(layer, c) {
  if (layer.type === "background") return { ...layer, paint: { "background-color": c.land } };
  if (layer.type === "symbol") return relabel(layer, c);
  const colour = COLOUR_OF[layer["source-layer"]];
  return colour && ["fill", "line"].includes(layer.type) ? repaint(layer, colour(layer, c)) : null;
}

const isShown = (layer) => layer["source-layer"] !== "poi";

export const isOpenMapTiles = (layers) => layers.some((layer) => layer["source-layer"] === "transportation");

// Layers of an online style: in the page's look if they are of the OpenMapTiles schema, otherwise in their own.
export function restyled(layers, colours) {
  if (!isOpenMapTiles(layers)) return layers.map(localised);
  return layers.filter(isShown).map(withoutIcons).filter(Boolean).map((layer) => recoloured(layer, colours)).filter(Boolean).map(localised);
}

export function labelsOnly(layers) {
  return layers.map(withoutIcons).filter(Boolean).map(localised);
}
