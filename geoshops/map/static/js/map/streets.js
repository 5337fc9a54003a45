// Streets over the offline basemap, from the operator's file or an online style. The offline basemap stays where they
// cannot be had in time, and returns when their server goes away.
import { showOffline } from "./basemap.js";
import { archiveStreets } from "./archive.js";
import { remoteStreets } from "./remote.js";

const { styleUrl, basemapUrl } = document.body.dataset;
const START_MS = 2500;
const LIMIT_MS = 20000;
const FAILING_MS = 2500;
// Longer: a slow connection still brings tiles one by one.
const SILENT_MS = 8000;
const PREFIX = "streets:";
const BELOW_GEOMETRY = "field-0";
const BELOW_LABELS = "field-counts-0";
const HIDDEN = { visibility: "none" };

let streets = null;
let failing = false;
let deadline = null;

export const areOpaque = () => Boolean(streets?.opaque);

async function find(gl, signal) {
  if (basemapUrl) return archiveStreets(gl, basemapUrl, signal);
  return styleUrl && navigator.onLine ? remoteStreets(styleUrl, signal) : null;
}

// Resolves to whether there are streets to add to the map; never fails.
async function seek(gl) {
  if (!styleUrl && !basemapUrl) return false;
  try {
    streets ??= await find(gl, AbortSignal.timeout(LIMIT_MS));
  } catch {
    // The offline basemap is on the map already.
  }
  return Boolean(streets);
}

// Calls `found` as soon as there are streets to add. Resolves then, or when the offline basemap should wait no longer.
export function bringStreets(gl, found) {
  const sought = seek(gl).then((any) => any && found());
  const waited = new Promise((resolve) => { setTimeout(resolve, START_MS); });
  return Promise.race([sought, waited]);
}

const prefixed = (layer) => ({ ...layer, id: PREFIX + layer.id, ...(layer.source && { source: PREFIX + layer.source }) });

export function addStreets(map, theme) {
  if (!streets || map.getStyle().layers.some((layer) => layer.id.startsWith(PREFIX))) return;
  for (const [id, source] of Object.entries(streets.sources)) map.addSource(PREFIX + id, source);
  if (streets.sprite) map.setSprite(streets.sprite);
  for (const layer of streets.layers(theme).map(prefixed)) {
    map.addLayer(hasCover(layer) ? { ...layer, layout: HIDDEN } : layer, layer.type === "symbol" ? BELOW_LABELS : BELOW_GEOMETRY);
  }
  if (!streets.opaque || streets.covers) cover(map);
}

// The background of a style would hide the offline basemap where no tile arrives.
const hasCover = (layer) => streets.opaque && layer.type === "background";

// Streets take the place of the offline basemap, once there are any: a file has them, a server must have sent a tile.
function cover(map) {
  streets.covers = true;
  for (const layer of map.getStyle().layers) {
    if (layer.id.startsWith(PREFIX) && layer.type === "background") map.setLayoutProperty(layer.id, "visibility", "visible");
  }
  hide(map, streets, "none");
}

function hide(map, { hides, opaque }, visibility) {
  for (const id of hides) map.setLayoutProperty(id, "visibility", visibility);
  if (opaque) showOffline(map, visibility === "visible");
}

function dropStreets(map) {
  const dropped = streets;
  streets = null;
  for (const { id } of map.getStyle().layers) if (id.startsWith(PREFIX)) map.removeLayer(id);
  for (const id of Object.keys(dropped.sources)) map.removeSource(PREFIX + id);
  hide(map, dropped, "visible");
}

export const isStreets = (event) => event.sourceId?.startsWith(PREFIX) ?? false;

// Reports to `lost` that streets were removed because their server stopped responding.
export function watchStreets(map, lost) {
  const stop = () => { clearTimeout(deadline); deadline = null; };
  const giveUp = () => {
    stop();
    const waiting = streets?.opaque && Object.keys(streets.sources).some((id) => !map.isSourceLoaded(PREFIX + id));
    if (!failing && !waiting) return;
    failing = false;
    dropStreets(map);
    lost();
  };
  const wait = (ms) => { deadline ??= setTimeout(giveUp, ms); };
  map.on("sourcedataloading", (event) => { if (streets?.opaque && isStreets(event) && event.tile) wait(SILENT_MS); });
  map.on("sourcedata", (event) => {
    if (!isStreets(event) || event.tile?.state !== "loaded") return;
    failing = false;
    stop();
    if (streets && !streets.covers) cover(map);
  });
  map.on("error", (event) => {
    if (!isStreets(event) || !streets?.opaque || failing) return;
    failing = true;
    stop();
    wait(FAILING_MS);
  });
}
