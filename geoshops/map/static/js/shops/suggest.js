// The search box with suggestions, an ARIA combobox. Korean syllables are looked up while still being composed;
// meanwhile the input method handles Enter.
import { get } from "../shared/api.js";
import { fill, h, icon, one } from "../shared/dom.js";
import { displayLang, t } from "../shared/i18n.js";
import { fit, fly } from "../map/map.js";
import { afterPause } from "../shared/pause.js";
import { visibleShops } from "./search.js";
import { origin, state, subscribe, update } from "../shared/state.js";

const WAIT_MS = 60;
const ICONS = { region: "pin", station: "train", brand: "camera", shop: "camera" };
const input = one("#query");
const box = one("#suggestions");
let items = [];
let active = -1;
let running = null;
const asking = afterPause(ask, WAIT_MS);

function marked(label, matches) {
  const parts = [];
  let at = 0;
  for (const [from, to] of matches ?? []) {
    parts.push(label.slice(at, from), h("mark", {}, label.slice(from, to)));
    at = to;
  }
  return [...parts, label.slice(at)];
}

// What was typed is marked in the Korean label, which is the keyword.
function named(item) {
  const shown = item.display?.label ?? item.label;
  const korean = marked(item.label, item.matches);
  if (shown === item.label) return h("span", {}, korean);
  return h("span", {}, shown, " ", h("span", { class: "quiet", lang: "ko" }, korean));
}

function option(item, index) {
  return h("li", {
    class: "suggestion", role: "option", id: `suggestion-${index}`, "aria-selected": String(index === active),
    onpointerdown: (event) => event.preventDefault(), onclick: () => take(item),
  }, icon(ICONS[item.kind] ?? "search"), named(item),
  h("span", { class: "kind" }, t(`kind.${item.kind}`)));
}

function show() {
  box.hidden = items.length === 0;
  input.setAttribute("aria-expanded", String(items.length > 0));
  if (active >= 0) input.setAttribute("aria-activedescendant", `suggestion-${active}`);
  else input.removeAttribute("aria-activedescendant");
  fill(box, items.map(option));
  one(`#suggestion-${active}`)?.scrollIntoView({ block: "nearest" });
}

function close() {
  running?.abort();
  asking.cancel();
  items = [];
  active = -1;
  show();
}

async function ask() {
  running?.abort();
  running = new AbortController();
  const text = input.value.trim();
  if (!text) return close();
  const from = origin();
  try {
    items = await get("/shops/suggest", { keyword: text, userLat: from.lat, userLng: from.lng, lang: displayLang }, running.signal);
    active = -1;
    show();
    one("#suggest-count").textContent = t("suggest.count", { n: items.length });
  } catch {
    // Searching works without suggestions.
  }
}

function take(item) {
  input.value = item.label;
  close();
  if (item.kind === "shop") {
    update({ shop_id: item.id });
    if (item.longitude) fly({ lng: Number(item.longitude), lat: Number(item.latitude) });
  } else submit();
}

function submit() {
  const query = input.value.trim();
  close();
  one("#clear").hidden = !query;
  update({ bbox: "", area: "", query, placed_query: "" });
}

function move(step) {
  if (!items.length) return;
  active = (active + step + items.length + 1) % (items.length + 1);
  if (active === items.length) active = -1;
  show();
}

function keydown(event) {
  if (event.isComposing) return;
  const steps = { ArrowDown: 1, ArrowUp: -1 };
  if (event.key in steps && items.length) {
    event.preventDefault();
    move(active < 0 && event.key === "ArrowUp" ? -1 : steps[event.key]);
  } else if (event.key === "Escape" && items.length) {
    event.stopPropagation();
    close();
  } else if (event.key === "Enter") {
    event.preventDefault();
    if (active >= 0) take(items[active]);
    else submit();
  }
}

// Moves the map to the best results of a keyword, unless the URL contains a position.
function goToResults() {
  const shops = visibleShops();
  const query = state.searched?.query;
  if (!query || query === state.placed_query || state.bbox || !shops.length) return;
  const best = shops.slice(0, 60);
  const lngs = best.map((shop) => Number(shop.longitude));
  const lats = best.map((shop) => Number(shop.latitude));
  fit([[Math.min(...lngs), Math.min(...lats)], [Math.max(...lngs), Math.max(...lats)]]);
}

export function startSuggest() {
  input.value = state.query;
  one("#clear").hidden = !state.query;
  input.addEventListener("input", () => {
    one("#clear").hidden = !input.value;
    asking.restart();
  });
  input.addEventListener("keydown", keydown);
  input.addEventListener("blur", close);
  one("#search").addEventListener("submit", (event) => { event.preventDefault(); submit(); });
  one("#clear").addEventListener("click", () => { input.value = ""; submit(); input.focus(); });
  subscribe(["query"], () => { input.value = state.query; one("#clear").hidden = !state.query; });
  subscribe(["searched"], goToResults);
}
