// Searches shops in a circle around the map's centre, in a box, in a drawn area or by keyword.
import { visibleBox } from "../map/box.js";
import { get, call } from "../shared/api.js";
import { displayLang } from "../shared/i18n.js";
import { ringOf } from "../shared/ring.js";
import { isAround, isFromAfar, isMeeting, origin, state, subscribe, update } from "../shared/state.js";
import { tokens } from "../shared/tokens.js";

const GOOD_SHARE = 0.5;
const GOOD_RATING = 4;
const MEETING_SHOPS = 50;
const SHOPS_FROM_AFAR = 100;
let running = null;
// Changes made since the request was sent, which its response may not include.
let meanwhile = new Map();

export function filterQuery() {
  const { openNow, minRating, clean, retouch, props } = state.filters;
  const share = (wanted) => (wanted ? GOOD_SHARE : null);
  return {
    openNow, minRating: minRating ? GOOD_RATING : null,
    clean: share(clean), retouch: share(retouch), props: share(props),
  };
}

// The chosen brand counts, too.
export const filterCount = () => Object.values(state.filters).filter(Boolean).length + (state.brand ? 1 : 0);
export const isFiltered = () => filterCount() > 0;

export function clearFilters() {
  update({ brand: "", filters: Object.fromEntries(Object.keys(state.filters).map((name) => [name, false])) });
}

export function buildRequest() {
  const from = origin();
  const query = { userLat: from.lat, userLng: from.lng, lang: displayLang, ...filterQuery(), sort: state.sort };
  if (isMeeting()) {
    const at = state.meet.map(({ lng, lat }) => `${lng},${lat}`);
    return ["GET", "/shops/meet", { query: { ...query, at, sort: null, allBrands: true, page: 1, size: MEETING_SHOPS } }];
  }
  if (state.query) return ["GET", "/shops", { query: { ...query, keyword: state.query, bbox: state.bbox } }];
  if (state.area) {
    const body = { type: "Polygon", coordinates: [ringOf(state.area)] };
    return ["POST", "/shops/within", { query: { ...query, allBrands: true }, body }];
  }
  return ["GET", "/shops/brand", { query: { ...query, mapLat: state.center.lat, mapLng: state.center.lng, ...extent(), allBrands: true } }];
}

// From afar a page of the shops that the map shows, with their number, as there may be thousands.
function extent() {
  if (state.bbox) return { bbox: state.bbox };
  const box = isFromAfar() && visibleBox();
  return box ? { bbox: box, brand: state.brand, page: 1, size: SHOPS_FROM_AFAR } : { radius: state.radius_m };
}

async function send(signal) {
  const [method, path, options] = buildRequest();
  const { value, headers } = await call(method, path, { ...options, signal });
  // Of a plan to meet only the best places matter.
  const total = headers.has("X-Total-Count") && !isMeeting() ? Number(headers.get("X-Total-Count")) : null;
  const result = {
    shops: value, total, capped: headers.get("X-Total-Count-Capped") === "true",
    truncated: headers.get("X-Result-Truncated") === "true" || (total !== null && total > value.length),
    ignored: decodeURIComponent(headers.get("X-Ignored-Words") ?? ""),
  };
  if (!result.truncated || !state.brand || state.query || options.query.brand) return result;
  // A cut list may lack shops of the chosen brand.
  const query = { ...options.query, brand: state.brand };
  const { value: ofBrand } = await call(method, path, { ...options, query, signal });
  const known = new Set(value.map(({ id }) => id));
  return { ...result, shops: [...value, ...ofBrand.filter(({ id }) => !known.has(id))] };
}

export async function search() {
  running?.abort();
  const mine = (running = new AbortController());
  const { center, zoom, radius_m, query, bbox, area, meet } = state;
  const searched = { center, zoom, radius_m, query, bbox, area, meet };
  meanwhile = new Map();
  update({ status: "loading", moved: false });
  try {
    const result = await send(mine.signal);
    const shops = result.shops.map((shop) => ({ ...shop, ...meanwhile.get(shop.id) }));
    update({ ...result, shops, searched, status: "ready", error: null });
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

export const isSame = (shop, changes) => Object.keys(changes).every((field) => shop[field] === changes[field]);

export function replaceShop(shop_id, changes) {
  meanwhile.set(shop_id, { ...meanwhile.get(shop_id), ...changes });
  update({ shops: state.shops.map((shop) => (shop.id === shop_id && !isSame(shop, changes) ? { ...shop, ...changes } : shop)) });
}

export async function loadBrands() {
  try {
    update({ brands: await get("/brands", { lang: displayLang }) });
  } catch {
    // The chips then use only the results; the list shows connection errors.
  }
}

export function searchOnChanges() {
  subscribe(["query", "filters", "sort", "radius_m", "user", "bbox", "area"], search);
  subscribe(["brand"], () => { if (state.truncated || isFromAfar()) search(); });
  tokens.onChange(search);
  let met = isMeeting();
  subscribe(["meet"], () => {
    if (met || isMeeting()) search();
    met = isMeeting();
  });
  let { center } = state;
  let wasFromAfar = isFromAfar();
  subscribe(["center", "zoom"], () => {
    const isOther = isFromAfar() || wasFromAfar;
    const isMoved = state.center !== center;
    ({ center } = state);
    wasFromAfar = isFromAfar();
    // Moves by the page itself do not start a search, unless the list is that of the visible map.
    if (isMeeting() || !(isOther || (isMoved && !state.quiet))) return;
    if (state.follow && isAround()) search();
    else update({ moved: true });
  });
}
