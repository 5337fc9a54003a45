// Shops on the map: clusters, pins with names and ratings, the shop that the list points at, and the selected one.
import { colours } from "./basemap.js";
import { BOLD } from "./font.js";
import { EMPTY, collection } from "./geo.js";
import { lang, t } from "../shared/i18n.js";
import { placeName } from "../shared/parts.js";
import { pinName } from "./pins.js";
import { visibleShops } from "../shops/search.js";
import { RESULTS_FROM_ZOOM, isAround, state } from "../shared/state.js";

export const ACCENT = { light: "#c0305c", dark: "#ff86ab" };
const INK = { light: "#23262e", dark: "#eceef2" };
const ON_ACCENT = { light: "#ffffff", dark: "#2a0b16" };
// layers below which others are inserted
export const LOWEST = "clusters";
export const OVER_PINS = "cluster-counts";
const CLUSTERED_BELOW = 14;
const LINE_EM = lang === "ja" ? 12 : 9; // names in kana are longer
const LIT = ["lit-ring", "lit-pin"];

export function addBoothLayers(sheet, theme) {
  sheet.addSource("booths", {
    type: "geojson", data: EMPTY, promoteId: "id", cluster: true, clusterMaxZoom: CLUSTERED_BELOW, clusterRadius: 42,
  });
  for (const id of ["lit", "chosen"]) sheet.addSource(id, { type: "geojson", data: EMPTY });
  for (const layer of layers(theme)) sheet.addLayer(layer);
}

function layers(theme) {
  const accent = ACCENT[theme];
  const { halo } = colours(theme);
  const name = {
    "text-field": ["format", ["get", "name"], {}, ["get", "note"], { "font-scale": 0.88, "text-color": colours(theme).text }], "text-font": BOLD, "text-size": 12.5, "text-anchor": "top", "text-offset": [0, 1.5],
    "text-optional": true, "text-max-width": LINE_EM,
  };
  const pale = { "icon-opacity": ["case", ["get", "open"], 1, 0.55] };
  const named = { "text-color": INK[theme], "text-halo-color": halo, "text-halo-width": 1.8 };
  return [
    {
      id: "clusters", type: "circle", source: "booths", filter: ["has", "point_count"],
      paint: {
        "circle-color": accent, "circle-stroke-color": halo, "circle-stroke-width": 3,
        "circle-radius": ["interpolate", ["linear"], ["get", "point_count"], 2, 15, 20, 20, 200, 30],
      },
    },
    // Below the pins, which are placed first: a name gives way to every pin, not only to those of lower rank.
    {
      id: "pin-names", type: "symbol", source: "booths", filter: ["!", ["has", "point_count"]],
      layout: { "symbol-sort-key": ["get", "rank"], ...name, "text-variable-anchor": ["top", "bottom"], "text-offset": [0, 1.9] },
      paint: named,
    },
    {
      id: "pins", type: "symbol", source: "booths", filter: ["!", ["has", "point_count"]],
      layout: { "icon-image": ["get", "pin"], "icon-allow-overlap": true, "icon-padding": 0, "symbol-sort-key": ["get", "rank"] },
      paint: pale,
    },
    // Above the names, which give way to the whole circle.
    {
      id: "cluster-counts", type: "symbol", source: "booths", filter: ["has", "point_count"],
      layout: { "text-field": ["get", "point_count_abbreviated"], "text-font": BOLD, "text-size": 13, "text-allow-overlap": true, "text-padding": 10 },
      paint: { "text-color": ON_ACCENT[theme] },
    },
    {
      id: "lit-ring", type: "circle", source: "lit", layout: { visibility: "none" },
      paint: { "circle-radius": 21, "circle-color": halo, "circle-stroke-color": accent, "circle-stroke-width": 3 },
    },
    {
      id: "lit-pin", type: "symbol", source: "lit",
      layout: { visibility: "none", "icon-image": ["get", "pin"], "icon-allow-overlap": true, ...name, "text-offset": [0, 1.9], "text-allow-overlap": true },
      paint: { ...named, ...pale },
    },
    {
      id: "chosen-ring", type: "circle", source: "chosen",
      paint: { "circle-radius": 25, "circle-color": accent, "circle-stroke-color": halo, "circle-stroke-width": 2 },
    },
    {
      id: "chosen-pin", type: "symbol", source: "chosen",
      layout: { "icon-image": ["get", "pin"], "icon-size": 1.2, "icon-allow-overlap": true, ...name, "text-offset": [0, 2.1], "text-allow-overlap": true },
      paint: { ...named, ...pale },
    },
  ];
}

const OPEN = new Map([[true, "open.now"], [false, "open.not"]]);

// The second line of a pin: that the shop is closed for some time, or its rating and, if known, whether it is open now.
function note(shop) {
  if (shop.status !== "OPEN") return `\n${t(`status.${shop.status}`)}`;
  const open_now = state.hours.get(shop.id)?.open_now;
  const parts = [shop.review_cnt > 0 && `★ ${shop.star_rating_avg.toFixed(1)}`, OPEN.has(open_now) && t(OPEN.get(open_now))];
  return parts.filter(Boolean).map((part, i) => (i ? ` · ${part}` : `\n${part}`)).join("");
}

const width_em = (text) => [...text].reduce((sum, sign) => sum + (sign > "\u2e7f" ? 1 : 0.56), 0);

// Chinese characters and kana may break anywhere; a blank, such as that between brand and branch, is a better place.
// MapLibre evens out lines by the width of the whole text.
function inLines(name, below) {
  if (!/^(ja|zh)/.test(lang) || width_em(name + below) <= LINE_EM || !name.includes(" ")) return name;
  const longer = (at) => Math.max(width_em(name.slice(0, at)), width_em(name.slice(at + 1)));
  const at = [...name.matchAll(/ /g)].map(({ index }) => index).reduce((best, one) => (longer(one) < longer(best) ? one : best));
  return `${name.slice(0, at)}\n${name.slice(at + 1)}`;
}

function feature(shop, rank) {
  const geometry = { type: "Point", coordinates: [Number(shop.longitude), Number(shop.latitude)] };
  const below = note(shop);
  const properties = {
    id: shop.id, name: inLines(placeName(shop), below), note: below, open: shop.status === "OPEN", rank, pin: pinName(shop.brand.brand_name),
  };
  return { type: "Feature", properties, geometry };
}

const RESULTS = ["clusters", "cluster-counts", "pin-names", "pins"];

export function showBooths(map) {
  const from = isAround() ? RESULTS_FROM_ZOOM : 0;
  // Setting an unchanged zoom range would still redraw the map and delay the shops by a frame.
  for (const id of RESULTS) if (map.getLayer(id) && map.getLayer(id).minzoom !== from) map.setLayerZoomRange(id, from, 24);
  map.getSource("booths")?.setData(collection(visibleShops().map(feature)));
}

export function showChosen(map, shop) {
  map.getSource("chosen")?.setData(collection(shop && shop.id === state.shop_id ? [feature(shop, 0)] : []));
}

export function showLit(map) {
  const shop = state.lit_id === state.shop_id ? null : visibleShops().find((one) => one.id === state.lit_id);
  // Not by empty data: MapLibre may go on drawing what was set just before.
  for (const id of LIT) if (map.getLayer(id)) map.setLayoutProperty(id, "visibility", shop ? "visible" : "none");
  if (shop) map.getSource("lit")?.setData(collection([feature(shop, 0)]));
}
