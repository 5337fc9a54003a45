// Without a network: a notice, the last view from the service worker's cache, and another try when it is back.
import { one } from "./dom.js";
import { t } from "./i18n.js";

// the service worker's name of the cache with responses to a member
const MEMBER_CACHE = "member";
const LAST_VIEW = "last_view";
const listeners = [];
let tilesMissing = false;
// error notices of failed loads, with the functions that retry them
let failures = [];

// Listeners are called when the network is back.
export const onReconnect = (listener) => listeners.push(listener);

// Also calls `again` then if the visitor still sees the element.
export function retryOnReconnect(element, again) {
  failures = [...failures.filter(([shown]) => shown.isConnected), [element, again]];
}

export function reportMissingTiles() {
  tilesMissing = true;
  show();
}

function show() {
  const key = !navigator.onLine ? "offline" : tilesMissing ? "offline.tiles" : "";
  one("#connection").hidden = !key;
  one("#connection").textContent = key && t(key);
}

function reconnect() {
  tilesMissing = false;
  show();
  const waiting = failures.filter(([element]) => element.isConnected);
  failures = [];
  for (const listener of listeners) listener();
  for (const [, again] of waiting) again();
}

// The map's view, also under an open shop.
function keepView() {
  if (location.search) localStorage.setItem(LAST_VIEW, location.search);
}

// The view that is opened at "/" without a network.
export function lastView() {
  const isPlain = location.pathname === "/" && !location.search;
  const isKept = "kept" in document.documentElement.dataset;
  return isPlain && isKept ? localStorage.getItem(LAST_VIEW) : null;
}

export function startOffline() {
  window.addEventListener("offline", show);
  window.addEventListener("online", reconnect);
  window.addEventListener("pagehide", keepView);
  // A phone may end a page in the background without another event.
  document.addEventListener("visibilitychange", () => { if (document.visibilityState === "hidden") keepView(); });
  show();
}

// Deletes the member's responses here; the service worker must also drop those that it still receives.
export function forgetMember() {
  globalThis.caches?.delete(MEMBER_CACHE);
  navigator.serviceWorker?.controller?.postMessage("forget member");
}

// After the page itself, whose line its files would share.
export function startServiceWorker() {
  if (navigator.onLine) navigator.serviceWorker?.register("/service-worker.js").catch(() => {});
}
