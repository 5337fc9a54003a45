// The address bar holds what is seen, so that an address can be sent to a friend.
import { RADII_M, state, subscribe, update } from "./state.js";

const FILTERS = Object.keys(state.filters);

export function readUrl() {
  const query = new URLSearchParams(location.search);
  const [lat, lng, zoom] = (query.get("at") ?? "").split(",").map(Number);
  const changes = {
    query: query.get("q") ?? "",
    brand: query.get("brand") ?? "",
    shop_id: /^\d{1,18}$/.test(query.get("shop") ?? "") ? Number(query.get("shop")) : null,
    filters: Object.fromEntries(FILTERS.map((name) => [name, (query.get("only") ?? "").split(" ").includes(name)])),
  };
  if (Math.abs(lat) <= 85 && Math.abs(lng) <= 180 && zoom >= 0 && zoom <= 22 && query.get("at")) {
    Object.assign(changes, { center: { lng, lat }, zoom });
  }
  if (RADII_M.includes(Number(query.get("r")))) changes.radius_m = Number(query.get("r"));
  update(changes);
}

export function addressOf(s = state) {
  const query = new URLSearchParams();
  query.set("at", `${s.center.lat.toFixed(5)},${s.center.lng.toFixed(5)},${s.zoom.toFixed(1)}`);
  query.set("r", s.radius_m);
  if (s.query) query.set("q", s.query);
  if (s.brand) query.set("brand", s.brand);
  const only = FILTERS.filter((name) => s.filters[name]).join(" ");
  if (only) query.set("only", only);
  if (s.shop_id) query.set("shop", s.shop_id);
  return `${location.pathname}?${query.toString().replaceAll("%2C", ",")}`;
}

export function keepUrl() {
  // A shop or a query is a step that Back undoes; a moved map is not.
  subscribe(["shop_id", "query"], () => {
    if (addressOf() !== location.pathname + location.search) history.pushState(null, "", addressOf());
  });
  subscribe(["center", "zoom", "brand", "radius_m", "filters"], () => history.replaceState(null, "", addressOf()));
}
