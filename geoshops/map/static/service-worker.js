// Service worker: the page without a network. The service puts the constants `BASE`, the address of the static files of
// its release, and `FILES` before this text. Pages and the API come from the network first. Nothing of /auth is kept;
// responses to a member are kept apart, and are deleted at sign-in and sign-out.
const STATIC = `static ${BASE}`;
const SEEN = "seen";
const MEMBER = "member";
const KEPT = /^\/(shops|brands|favorites|member\/info|basemap|tiles|titles|reviews\/shop)(\/|$)/;
const SHOP_PAGE = /^\/shop\/\d+\/?$/;
const MOST_KEPT = 400;
// where distances are measured from, which varies with every step
const POSITION = ["userLat", "userLng"];
// A response that arrives after sign-out belongs to an earlier sign-in, and is not kept.
let signIns = 0;

self.addEventListener("install", (event) => {
  event.waitUntil((async () => {
    const cache = await caches.open(STATIC);
    await Promise.all([cache.addAll(FILES), keepStart()]);
    await self.skipWaiting();
  })());
});

self.addEventListener("activate", (event) => {
  event.waitUntil((async () => {
    const old = (await caches.keys()).filter((name) => name.startsWith("static ") && name !== STATIC);
    await Promise.all(old.map((name) => caches.delete(name)));
    await self.clients.claim();
  })());
});

self.addEventListener("message", (event) => {
  if (event.data !== "forget member") return;
  signIns += 1;
  event.waitUntil(caches.delete(MEMBER));
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  // A cache holds no parts of a file, such as those of a map of streets.
  if (request.method !== "GET" || request.headers.has("Range") || url.origin !== location.origin) return;
  if (url.pathname.startsWith(`${BASE}/`)) event.respondWith(ownFile(request));
  else if (request.mode === "navigate") {
    if (url.pathname === "/") event.respondWith(networkFirst(event, "/", keepPage));
    // Without a network the page of a shop is the map with the shop open.
    else if (SHOP_PAGE.test(url.pathname)) event.respondWith(networkFirst(event, "/", keepNothing));
  } else if (KEPT.test(url.pathname)) event.respondWith(networkFirst(event, keyOf(url), keepData));
});

async function ownFile(request) {
  const known = await caches.match(request.url, { cacheName: STATIC, ignoreVary: true });
  return known ?? fetch(request);
}

// Rounds the map's centre, because links contain rounded coordinates: opening a link must find the stored response.
function keyOf(url) {
  for (const name of POSITION) url.searchParams.delete(name);
  for (const name of ["mapLat", "mapLng"]) {
    if (url.searchParams.has(name)) url.searchParams.set(name, Number(url.searchParams.get(name)).toFixed(4));
  }
  return url.pathname + url.search;
}

async function networkFirst(event, key, keep) {
  const era = signIns;
  try {
    const response = await fetch(event.request);
    if (response.ok && !response.redirected) event.waitUntil(keep(event.request, key, response.clone(), era));
    return response;
  } catch (error) {
    const known = await recall(key);
    if (known) return known;
    throw error;
  }
}

// Without a network a member's request has no access token.
async function recall(key) {
  for (const cacheName of [MEMBER, SEEN, STATIC]) {
    const known = await caches.match(key, { cacheName, ignoreVary: true });
    if (known) return known;
  }
  return null;
}

const keepNothing = () => {};

async function keepStart() {
  const response = await fetch("/");
  if (!response.ok) throw new Error(String(response.status));
  await keepPage(null, "/", response);
}

// The page of another release needs files that this one does not have. `data-kept` tells the page that the network failed:
// browsers take a network that leads nowhere for a connection.
async function keepPage(_, key, response) {
  const html = await response.text();
  if (!html.includes(`${BASE}/`)) return;
  const kept = new Response(html.replace("<html ", "<html data-kept "), { headers: response.headers });
  await (await caches.open(STATIC)).put(key, kept);
}

async function keepData(request, key, response, era) {
  const isMembers = request.headers.has("Authorization");
  const cache = await caches.open(isMembers ? MEMBER : SEEN);
  if (isMembers && era !== signIns) return;
  await cache.put(key, response);
  const keys = await cache.keys();
  await Promise.all(keys.slice(0, Math.max(0, keys.length - MOST_KEPT)).map((old) => cache.delete(old)));
}
