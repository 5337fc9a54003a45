// The MapLibre GL map, synchronised with the state in both directions. Without WebGL only the list is shown.
import { dropCovered, isInland, loadLand } from "./basemap.js";
import { showArea } from "./area.js";
import { showBooths, showChosen, showLit } from "./booths.js";
import { showCircle, showMovingCircle, startCircle } from "./circle.js";
import { FIELD, bringField, filterField, intoField, showField } from "./field.js";
import { boundsOf } from "./geo.js";
import { paceGlyphs } from "./glyphs.js";
import { asset } from "../shared/assets.js";
import { h } from "../shared/dom.js";
import { begin, end } from "../shared/idle.js";
import { t } from "../shared/i18n.js";
import { startPeople } from "./people.js";
import { drawPinsFor } from "./pins.js";
import { reportMissingTiles } from "../shared/offline.js";
import { nextTask, pause } from "../shared/pause.js";
import { RESULTS_FROM_ZOOM, isAround, isFromAfar, state, subscribe, update } from "../shared/state.js";
import { started, markStarted } from "../shared/started.js";
import { ownStyle } from "./style.js";
import { addStreets, areOpaque, bringStreets, isStreets, watchStreets } from "./streets.js";
import { theme } from "../shared/theme.js";
import { showUser } from "./user.js";
import { unveil, veil, VEILED_RATIO } from "./veil.js";

const LIBRARY = asset("vendor/maplibre-gl/maplibre-gl.mjs");
const WORKER = asset("vendor/maplibre-gl/maplibre-gl-worker.mjs");
const STYLES = asset("vendor/maplibre-gl/maplibre-gl.css");
const OPENED_ZOOM = 16;
const EDGE_PX = 50;
// The map waits no longer for the list.
const LATE_MS = 2000;
export let map = null;
let resting = true;
let quiet = false;
let revealed_id = null;
let wanted = null;
let dressed = false;
let streets = null;
// tiles that could not be loaded, by source
const failed = new Map();

// `listed` ends with the first search.
export async function startMap(listed) {
  busy();
  try {
    await Promise.race([listed, wait(LATE_MS)]);
    await painted();
    const styled = fetchLibrary();
    await pause(); // the map's start keeps the browser busy
    const [gl] = await Promise.all([import(LIBRARY), styled]);
    await nextTask(); // the library's start is a task of its own
    gl.setWorkerUrl(WORKER);
    map = new gl.Map({
      container: "map", style: ownStyle(theme()), validateStyle: false, ...place(),
      minZoom: 1, maxZoom: 19, maxPitch: 0, dragRotate: false, pitchWithRotate: false, fadeDuration: 0,
      attributionControl: false, locale: locale(), pixelRatio: VEILED_RATIO,
    });
    paceGlyphs(map);
    veil(map);
    startCircle(map);
    drawPinsFor(map);
    controls(gl);
    wire();
    startPeople(gl, map);
    streets = started.then(() => seekStreets(gl));
    window.addEventListener("online", () => { streets = seekStreets(gl); });
    update({ zoom: map.getZoom(), placed: true });
    if (wanted) fit(wanted);
  } catch {
    withoutMap();
    rest();
  }
}

const wait = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

// The list is painted before the map is fetched, which would keep the processor from it.
const painted = () => new Promise((resolve) => { requestAnimationFrame(() => setTimeout(resolve)); });

// MapLibre is several times larger than the rest of the page, which starts without it. Its style sheet comes before the
// page's own, which adapt it. Resolves once the style sheet is there.
function fetchLibrary() {
  document.head.append(h("link", { rel: "modulepreload", href: LIBRARY }));
  // MapLibre would ask for its worker only when it has started itself.
  fetch(WORKER, { priority: "low" }).catch(() => {});
  return new Promise((resolve) => {
    document.head.prepend(h("link", { rel: "stylesheet", href: STYLES, onload: resolve, onerror: resolve }));
  });
}

// Without a position in the URL the map shows the whole circle.
function place() {
  if (state.placed) return { center: state.center, zoom: state.zoom };
  return { bounds: boundsOf(state.center, state.radius_m), fitBoundsOptions: { padding: 24 } };
}

function withoutMap() {
  map = null;
  update({ zoom: Math.max(state.zoom, RESULTS_FROM_ZOOM) }); // there are no clusters to list
  document.body.classList.add("no-map");
  document.getElementById("map-note").hidden = false;
  markStarted();
}

const locale = () => ({
  "Map.Title": t("map.label"), "NavigationControl.ZoomIn": t("zoom.in"), "NavigationControl.ZoomOut": t("zoom.out"),
  "AttributionControl.ToggleAttribution": t("map.sources"),
});

function controls(gl) {
  map.touchZoomRotate.disableRotation();
  map.addControl(new gl.AttributionControl({ compact: true }), "bottom-right");
  map.addControl(new gl.NavigationControl({ showCompass: false }), "bottom-right");
  map.addControl(new gl.ScaleControl({ maxWidth: 110 }), "bottom-left");
}

// The page is not idle from the first change until the map has drawn everything.
function busy() {
  if (resting) begin();
  resting = false;
}

function rest() {
  if (!resting) end();
  resting = true;
}

function wire() {
  map.on("idle", rest);
  map.on("error", noticeFailure);
  map.on("dataloading", busy);
  map.on("movestart", busy);
  map.on("style.load", dress);
  map.on("move", searched);
  map.on("move", () => dropCovered(map));
  map.on("zoom", () => { if (dressed) bringField(map, theme()); });
  watchStreets(map, () => loadLand(map, theme()));
  map.on("moveend", moved);
  for (const layer of ["pins", "pin-names", "chosen-pin", "clusters", ...FIELD]) {
    map.on("mouseenter", layer, () => { map.getCanvas().style.cursor = "pointer"; });
    map.on("mouseleave", layer, () => { map.getCanvas().style.cursor = ""; });
  }
  map.on("click", ["pins", "pin-names"], (event) => update({ shop_id: event.features[0].properties.id }));
  map.on("click", "clusters", expand);
  for (const layer of FIELD) map.on("click", layer, (event) => intoField(map, event));
  subscribe(["shops", "brand", "brands", "hours"], draw);
  subscribe(["shop"], choose);
  subscribe(["sheet"], () => { if (state.shop) reveal(state.shop); });
  subscribe(["lit_id", "shop_id"], () => showLit(map));
  subscribe(["user"], () => showUser(map));
  subscribe(["searched"], searched);
  subscribe(["query", "bbox", "area", "meet"], () => showField(map));
  subscribe(["brand", "filters"], () => filterField(map));
  subscribe(["theme"], redress);
  subscribe(["radius_m"], fitCircle);
}

// Tells the visitor that tiles could not be loaded.
// Missing streets are replaced by the offline basemap, without a notice.
function noticeFailure(event) {
  const { sourceId, tile, error } = event;
  if (isStreets(event)) return null;
  if (!tile) return console.error(error);
  failed.set(sourceId, [...(failed.get(sourceId) ?? []), tile.tileID.canonical]);
  return reportMissingTiles();
}

// Named one by one, as MapLibre waits for ever for the failed tiles of a source that is refreshed as a whole.
export function retryTiles() {
  for (const [id, tiles] of failed) if (map.getSource(id)) map.refreshTiles(id, tiles);
  failed.clear();
}

async function expand(event) {
  const { geometry, properties } = event.features[0];
  const zoom = await map.getSource("booths").getClusterExpansionZoom(properties.cluster_id);
  map.easeTo({ center: geometry.coordinates, zoom });
}

// Setting a style removes all data and streets, which are then added again.
function dress() {
  showField(map);
  bringField(map, theme());
  showUser(map);
  addStreets(map, theme());
  dressed = true;
  draw();
  choose();
  searched();
  land();
}

// Land is loaded after the shops: it is the largest file and rarely visible inland, and never under an online style.
async function land() {
  await map.once("idle");
  begin();
  await streets;
  map.off("moveend", land);
  if (!areOpaque()) {
    map.once("moveend", land);
    if (!(await isInland(map))) {
      map.off("moveend", land);
      loadLand(map, theme());
    }
  }
  end();
}

function seekStreets(gl) {
  return bringStreets(gl, () => { if (dressed) addStreets(map, theme()); });
}

function redress() {
  dressed = false;
  map.setStyle(ownStyle(theme()), { diff: false, validate: false });
}

function draw() {
  if (!map.getSource("booths")) return;
  busy();
  showBooths(map);
  if (state.status === "ready" && state.shops.length && !isFromAfar()) map.on("render", markFirst);
}

// Marks the first time that shops are visible, for the performance tests. While a theme's style is loaded there is no source.
async function markFirst() {
  if (!map.getSource("booths") || !map.isSourceLoaded("booths")) return;
  map.off("render", markFirst);
  await unveil();
  if (!performance.getEntriesByName("booths").length) performance.mark("booths");
}

function choose() {
  if (!map.getSource("chosen")) return;
  showChosen(map, state.shop);
  if (state.shop && state.shop.id !== revealed_id) reveal(state.shop);
  revealed_id = state.shop?.id;
}

// Moves the map if the pin is covered or out of view, without searching again if it is near.
function reveal(shop) {
  const place = [Number(shop.longitude), Number(shop.latitude)];
  const { x, y } = map.project(place);
  const { clientWidth: width, clientHeight: height } = map.getContainer();
  const { left, top, right, bottom } = clearArea();
  if (bottom - top < 2 * EDGE_PX || (x > left + EDGE_PX && x < right - EDGE_PX && y > top + EDGE_PX && y < bottom - EDGE_PX)) return;
  const far = x < -width || x > 2 * width || y < -height || y > 2 * height;
  // Shops far away have other surroundings, which are searched as after any move.
  quiet = !far;
  const offset = [(left + right - width) / 2, (top + bottom - height) / 2];
  map[far ? "jumpTo" : "easeTo"]({ center: place, zoom: Math.max(map.getZoom(), 14), offset: far ? undefined : offset });
}

// The part of the map, in its pixels, that is covered neither by the sheet nor, on a phone, by the search box and the
// sources above the sheet.
function clearArea() {
  const area = map.getContainer().getBoundingClientRect();
  const sheet = document.getElementById("sheet").getBoundingClientRect();
  const head = document.querySelector(".panel-head").getBoundingClientRect();
  const sources = document.querySelector(".maplibregl-ctrl-attrib")?.getBoundingClientRect().height ?? 0;
  const isPhone = head.right > area.left + 1;
  return {
    left: isPhone ? 0 : Math.max(0, sheet.right - area.left), right: area.width,
    top: isPhone ? head.bottom - area.top : 0, bottom: isPhone && sheet.height ? Math.min(area.height, sheet.top - area.top - sources) : area.height,
  };
}

// A map seen from afar lists what it shows, without a circle.
const hasCircle = (searched) => searched && isAround(searched) && map.getZoom() >= RESULTS_FROM_ZOOM;

// After a move by the page itself, the circle of the last search stays.
function searched() {
  showArea(map);
  if (state.follow && !quiet && hasCircle(state)) return showMovingCircle(map, state.radius_m);
  const { center, radius_m } = state.searched ?? {};
  return showCircle(map, hasCircle(state.searched) ? center : null, radius_m);
}

function moved() {
  const { lng, lat } = map.getCenter();
  const near = Math.abs(lng - state.center.lng) < 1e-6 && Math.abs(lat - state.center.lat) < 1e-6;
  update({ zoom: map.getZoom(), quiet, ...(near ? {} : { center: { lng, lat } }) });
  quiet = false;
}

function fitCircle() {
  map.fitBounds(boundsOf(state.center, state.radius_m), { padding: 40 });
}

export function fly(center, zoom = OPENED_ZOOM) {
  if (map) map.easeTo({ center: [center.lng, center.lat], zoom: Math.max(zoom, 0) });
  else update({ center });
}

// Moves the map to the state's position after Back and Forward.
export function showPlace() {
  const { lng, lat } = state.center;
  const there = map?.getCenter();
  if (there && Math.hypot(there.lng - lng, there.lat - lat) > 1e-5) map.jumpTo({ center: [lng, lat], zoom: state.zoom });
}

// Results may arrive before the map is loaded.
export function fit(bounds) {
  wanted = bounds;
  if (!map) return;
  quiet = true;
  map.fitBounds(bounds, { padding: 60, maxZoom: OPENED_ZOOM });
}
