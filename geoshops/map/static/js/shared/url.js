// Keeps the state in the URL, so that a view can be shared: /shop/ID while a shop is open, else /.
import { one } from "./dom.js";
import { closedByBack, leaveSheet, pushEntry, replaceEntry } from "./layers.js";
import { ringOf } from "./ring.js";
import { MOST_PEOPLE, RADII_M, isMeeting, state, subscribe, update } from "./state.js";

const COMPARED = /^\d{1,15}(,\d{1,15}){1,2}$/;
const FILTERS = Object.keys(state.filters);
const BOX = /^-?\d{1,3}(\.\d+)?(,-?\d{1,3}(\.\d+)?){3}$/;
const SHOP_PATH = /^\/shop\/(\d{1,18})\/?$/;
const SHOP_ZOOM = 15;
const NAMES = "#people=";
const MOST_LETTERS = 40;

// The path of a shop's page.
export const shopPath = (id) => `/shop/${id}`;

// Older links name the shop in the query.
function shopId(query) {
  const [, id] = SHOP_PATH.exec(location.pathname) ?? /^(\d{1,18})$/.exec(query.get("shop") ?? "") ?? [];
  return id ? Number(id) : null;
}

// A shop's page brings the shop's position along, for links without one.
function placeOf(shop_id) {
  const { shop, place } = one("#sheet").dataset;
  return shop_id !== null && shop === String(shop_id) ? `${place},${SHOP_ZOOM}` : "";
}

function plainName(written) {
  try {
    return [...decodeURIComponent(written).replace(/\p{C}/gu, "").trim()].slice(0, MOST_LETTERS).join("");
  } catch {
    return "";
  }
}

// The names of a plan's people are in the fragment, which browsers do not send to the service.
const readNames = () => (location.hash.startsWith(NAMES) ? location.hash.slice(NAMES.length).split(";").map(plainName) : []);

function writeNames(people) {
  const names = people.map(({ name }) => encodeURIComponent([...name ?? ""].slice(0, MOST_LETTERS).join("")));
  return names.some(Boolean) ? NAMES + names.join(";") : "";
}

// People of a plan, as "lng,lat;lng,lat".
function readPlan(text) {
  const names = readNames();
  const people = (text ?? "").split(";").map((pair) => pair.split(",").map(Number));
  const valid = people.every(([lng, lat, more]) => Math.abs(lng) <= 180 && Math.abs(lat) <= 90 && more === undefined);
  return valid && people.length > 1 && people.length <= MOST_PEOPLE ? people.map(([lng, lat], i) => ({ lng, lat, name: names[i] || null })) : null;
}

export function readUrl() {
  const query = new URLSearchParams(location.search);
  const shop_id = shopId(query);
  const at = query.get("at") ?? placeOf(shop_id);
  const [lat, lng, zoom] = at.split(",").map(Number);
  const changes = {
    query: query.get("q") ?? "",
    brand: query.get("brand") ?? "",
    area: ringOf(query.get("area") ?? "") ? query.get("area") : "",
    bbox: BOX.test(query.get("box") ?? "") ? query.get("box") : "",
    shop_id,
  };
  const only = (query.get("only") ?? "").split(" ");
  const filters = Object.fromEntries(FILTERS.map((name) => [name, only.includes(name)]));
  if (FILTERS.some((name) => filters[name] !== state.filters[name])) changes.filters = filters;
  if (Math.abs(lat) <= 85 && Math.abs(lng) <= 180 && zoom >= 0 && zoom <= 22 && at) {
    const same = lng === Number(state.center.lng.toFixed(5)) && lat === Number(state.center.lat.toFixed(5));
    Object.assign(changes, { center: same ? state.center : { lng, lat }, zoom, placed: true, placed_query: changes.query });
  }
  if (COMPARED.test(query.get("compare") ?? "")) Object.assign(changes, { compare: query.get("compare").split(",").map(Number), comparing: true });
  const meet = readPlan(query.get("meet"));
  if (meet) changes.meet = meet;
  if (RADII_M.includes(Number(query.get("r")))) changes.radius_m = Number(query.get("r"));
  update(changes);
}

function addressOf(s = state) {
  const query = new URLSearchParams();
  if (s.placed) query.set("at", `${s.center.lat.toFixed(5)},${s.center.lng.toFixed(5)},${s.zoom.toFixed(1)}`);
  query.set("r", s.radius_m);
  if (s.query) query.set("q", s.query);
  if (s.brand) query.set("brand", s.brand);
  if (s.area) query.set("area", s.area);
  if (s.bbox) query.set("box", s.bbox);
  const only = FILTERS.filter((name) => s.filters[name]).join(" ");
  if (only) query.set("only", only);
  if (isMeeting()) query.set("meet", s.meet.map(({ lng, lat }) => `${lng.toFixed(5)},${lat.toFixed(5)}`).join(";"));
  if (s.comparing) query.set("compare", s.compare.join());
  // a language that the URL names stays
  const lang = new URLSearchParams(location.search).get("lang");
  if (lang) query.set("lang", lang);
  return `${s.shop_id ? shopPath(s.shop_id) : "/"}?${query.toString().replaceAll("%2C", ",").replaceAll("%3B", ";")}${isMeeting(s) ? writeNames(s.meet) : ""}`;
}

let restoring = false;

// Replaces the URL after a correction of the state, so that Back does not return to the old one.
export function correct(changes) {
  restoring = true;
  update(changes);
  restoring = false;
  replaceEntry(addressOf());
}

export function keepUrl(showPlace) {
  replaceEntry(addressOf());
  let shown = { ...state };
  const isOther = (before) => ["query", "area", "bbox"].some((field) => state[field] !== before[field]);
  // A query, an area and the opening of the sheet add a history entry; another shop in the sheet and moving the map do not.
  subscribe(["shop_id", "query", "area", "bbox"], () => {
    const before = shown;
    shown = { ...state };
    if (restoring || addressOf().split("#")[0] === location.pathname + location.search) return;
    if (isOther(before)) pushEntry(null, addressOf());
    else if (before.shop_id === null) pushEntry({ sheet: true }, addressOf());
    else if (state.shop_id === null) leaveSheet(addressOf());
    else replaceEntry(addressOf());
  });
  subscribe(["center", "zoom", "brand", "radius_m", "filters", "comparing", "meet"], () => {
    if (!restoring) replaceEntry(addressOf());
  });
  window.addEventListener("popstate", () => {
    if (closedByBack()) return replaceEntry(addressOf());
    restoring = true;
    readUrl();
    restoring = false;
    return showPlace();
  });
}
