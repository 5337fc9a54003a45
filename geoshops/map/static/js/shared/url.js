// Keeps the state in the URL, so that a view can be shared.
import { RADII_M, state, subscribe, update } from "./state.js";

const FILTERS = Object.keys(state.filters);

export function readUrl() {
  const query = new URLSearchParams(location.search);
  const [lat, lng, zoom] = (query.get("at") ?? "").split(",").map(Number);
  const changes = {
    query: query.get("q") ?? "",
    brand: query.get("brand") ?? "",
    shop_id: /^\d{1,18}$/.test(query.get("shop") ?? "") ? Number(query.get("shop")) : null,
  };
  const only = (query.get("only") ?? "").split(" ");
  const filters = Object.fromEntries(FILTERS.map((name) => [name, only.includes(name)]));
  if (FILTERS.some((name) => filters[name] !== state.filters[name])) changes.filters = filters;
  if (Math.abs(lat) <= 85 && Math.abs(lng) <= 180 && zoom >= 0 && zoom <= 22 && query.get("at")) {
    const same = lng === Number(state.center.lng.toFixed(5)) && lat === Number(state.center.lat.toFixed(5));
    Object.assign(changes, { center: same ? state.center : { lng, lat }, zoom, placed: true, placed_query: changes.query });
  }
  if (RADII_M.includes(Number(query.get("r")))) changes.radius_m = Number(query.get("r"));
  update(changes);
}

export function addressOf(s = state) {
  const query = new URLSearchParams();
  if (s.placed) query.set("at", `${s.center.lat.toFixed(5)},${s.center.lng.toFixed(5)},${s.zoom.toFixed(1)}`);
  query.set("r", s.radius_m);
  if (s.query) query.set("q", s.query);
  if (s.brand) query.set("brand", s.brand);
  const only = FILTERS.filter((name) => s.filters[name]).join(" ");
  if (only) query.set("only", only);
  if (s.shop_id) query.set("shop", s.shop_id);
  return `${location.pathname}?${query.toString().replaceAll("%2C", ",")}`;
}

let restoring = false;

// Replaces the URL after a correction of the state, so that Back does not return to the old one.
export function correct(changes) {
  restoring = true;
  update(changes);
  restoring = false;
  history.replaceState(null, "", addressOf());
}

export function keepUrl(showPlace) {
  history.replaceState(null, "", addressOf());
  // A new shop or query adds a history entry; moving the map does not.
  subscribe(["shop_id", "query"], () => {
    if (!restoring && addressOf() !== location.pathname + location.search) history.pushState(null, "", addressOf());
  });
  subscribe(["center", "zoom", "brand", "radius_m", "filters"], () => {
    if (!restoring) history.replaceState(null, "", addressOf());
  });
  window.addEventListener("popstate", () => {
    restoring = true;
    readUrl();
    restoring = false;
    showPlace();
  });
}
