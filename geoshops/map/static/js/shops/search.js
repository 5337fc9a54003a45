// Searches shops in a circle around the map's centre or by keyword.
import { get, call } from "../shared/api.js";
import { displayLang } from "../shared/i18n.js";
import { origin, state, subscribe, update } from "../shared/state.js";
import { tokens } from "../shared/tokens.js";

const GOOD_SHARE = 0.5;
const GOOD_RATING = 4;
let running = null;
// Changes made since the request was sent, which its response may not include.
let meanwhile = new Map();

function filters() {
  const { openNow, minRating, clean, retouch, props } = state.filters;
  const share = (wanted) => (wanted ? GOOD_SHARE : null);
  return {
    openNow, minRating: minRating ? GOOD_RATING : null,
    clean: share(clean), retouch: share(retouch), props: share(props), sort: state.sort,
  };
}

function buildRequest() {
  const from = origin();
  const user = { userLat: from.lat, userLng: from.lng, lang: displayLang };
  if (state.query) return ["/shops", { keyword: state.query, ...user, ...filters(), bbox: state.bbox?.join(",") }];
  const place = { mapLat: state.center.lat, mapLng: state.center.lng, radius: state.radius_m };
  return ["/shops/brand", { ...user, ...place, ...filters(), allBrands: true }];
}

export async function search() {
  running?.abort();
  const mine = (running = new AbortController());
  const searched = { center: state.center, radius_m: state.radius_m, query: state.query };
  meanwhile = new Map();
  update({ status: "loading", moved: false });
  try {
    const [path, query] = buildRequest();
    const { value, headers } = await call("GET", path, { query, signal: mine.signal });
    const truncated = headers.get("X-Result-Truncated") === "true";
    const ignored = decodeURIComponent(headers.get("X-Ignored-Words") ?? "");
    const shops = value.map((shop) => ({ ...shop, ...meanwhile.get(shop.id) }));
    update({ shops, truncated, ignored, searched, status: "ready", error: null });
  } catch (error) {
    if (!mine.signal.aborted) update({ status: "error", error });
  }
}

// Sub-brands count as their parent, as in the service's brand filter.
export function familyOf(name) {
  const brand = state.brands.find((one) => one.brand_name === name);
  const parent = brand && state.brands.find((one) => one.id === brand.parent_id);
  return parent?.brand_name ?? name;
}

export function visibleShops(s = state) {
  if (!s.brand) return s.shops;
  return s.shops.filter((shop) => shop.brand.brand_name === s.brand || familyOf(shop.brand.brand_name) === s.brand);
}

export function replaceShop(shop_id, changes) {
  meanwhile.set(shop_id, { ...meanwhile.get(shop_id), ...changes });
  update({ shops: state.shops.map((shop) => (shop.id === shop_id ? { ...shop, ...changes } : shop)) });
}

export async function loadBrands() {
  try {
    update({ brands: await get("/brands") });
  } catch {
    // The chips then use only the results; the list shows connection errors.
  }
}

export function searchOnChanges() {
  subscribe(["query", "filters", "sort", "radius_m", "user"], search);
  tokens.onChange(search);
  subscribe(["center"], () => {
    // Moves by the page itself do not start a search.
    if (state.quiet) return;
    if (state.follow && !state.query) search();
    else update({ moved: true });
  });
}
