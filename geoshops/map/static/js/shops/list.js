// The list of results, the accessible alternative to the map.
import { fill, h, icon, one } from "../shared/dom.js";
import { drawer } from "../shared/drawer.js";
import { t, number } from "../shared/i18n.js";
import { begin, end } from "../shared/idle.js";
import { openLayer } from "../shared/layers.js";
import { badge, failure, metres, placeAddress, placeName, rating, tags } from "../shared/parts.js";
import { compareButton } from "./compare.js";
import { openTag } from "./opening.js";
import { ways } from "./meet.js";
import { clearFilters, isFiltered, search, visibleShops } from "./search.js";
import { pause } from "../shared/pause.js";
import { isStarted, started } from "../shared/started.js";
import { RADII_M, isAround, isFromAfar, later, state, subscribe, update } from "../shared/state.js";
import { shopPath } from "../shared/url.js";
import { heart } from "../member/favorites.js";

const PAGE = 40;
const STEP = 6;
const LOWEST_ROW_PX = 80;
// The first page has as many shops as fit on the screen.
const page = () => (isStarted() ? PAGE : Math.max(4, Math.ceil((innerHeight - one("#list").getBoundingClientRect().top) / LOWEST_ROW_PX)));
let shown = PAGE;
let drawn = {};
// A row stays as long as its shop does not change, so that a press on it is not lost when others change.
let rows = new Map();

// A link to the shop's page, for new tabs; a plain click opens the shop here.
function link(shop) {
  const open = (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    update({ shop_id: shop.id });
  };
  return h("a", { class: "name", href: shopPath(shop.id), onclick: open }, placeName(shop));
}

// Distances are measured from the visitor or, if the position is unknown, from the centre of the map. The latter are hidden for a
// keyword, because the map has moved to the results since, and if they are zero. A meeting lists the distances of all people instead.
const hasDistance = (shop) => !shop.distances_m && (state.user || (!state.query && shop.distance_m > 0));

function item(shop) {
  const open = link(shop);
  // Touch has no hover state.
  const lit = (id) => ({ pointerType }) => { if (pointerType !== "touch") update({ lit_id: id }); };
  return h("li", { class: "shop", id: `shop-${shop.id}`, onpointerenter: lit(shop.id), onpointerleave: lit(null) },
    badge(shop),
    h("div", { class: "facts" }, open,
      h("div", { class: "meta" }, rating(shop), hasDistance(shop) && h("span", {}, shop.distance)),
      h("p", { class: "address" }, placeAddress(shop)), tags(shop), ways(shop)),
    h("div", { class: "shop-actions" }, heart(shop), compareButton(shop)));
}

// Shows whether the shop is open; nothing if its hours are unknown, or if it is closed for longer, which its tags show.
function showOpen(row, shop) {
  const hours = state.hours.get(shop.id);
  const shown = openTag({ ...shop, ...hours, open_now: hours?.open_now ?? null });
  const meta = one(".meta", row);
  const tag = one(".tag", meta);
  if (shown?.textContent === tag?.textContent) return;
  tag?.remove();
  if (shown) meta.append(shown);
}

function place(list, elements) {
  elements.forEach((element, i) => {
    const now = list.children[i];
    if (now !== element) now ? now.replaceWith(element) : list.append(element);
  });
  while (list.children.length > elements.length) list.lastElementChild.remove();
}

function ghost() {
  const bar = (width) => h("div", { class: "skeleton", style: `width:${width}%` });
  return h("li", { class: "shop ghost", "aria-hidden": "true" }, h("div", { class: "skeleton" }),
    h("div", { class: "bars" }, bar(62), bar(38), bar(80)));
}

// The number of shops; with a plus sign where there may be more.
function count(shops) {
  if (state.total !== null) return number(state.total) + (state.capped ? "+" : "");
  return number(shops.length) + (state.truncated && !state.brand ? "+" : "");
}

function heading(shops) {
  if (state.status === "loading") return t("list.loading");
  if (state.status === "error") return "";
  const n = count(shops);
  if (state.searched?.meet?.length > 1) return t("meet.found", { n });
  if (state.query) return t(state.bbox ? "list.found.here" : "list.found", { query: state.query, n });
  if (state.area) return t("list.in.area", { n });
  if (state.bbox || (state.searched && isFromAfar(state.searched))) return t("list.in.box", { n });
  return t("list.around", { radius: metres(state.searched?.radius_m ?? state.radius_m), n });
}

// What was looked for in vain, from the narrowest condition on.
function nothing() {
  if (isFiltered()) return emptyState(t("list.none.filtered"), h("button", { class: "button", type: "button", onclick: clearFilters }, t("filters.clear.all")));
  if (state.query) return emptyState(t("list.none.query", { query: state.query }), h("p", { class: "quiet" }, t("list.none.hint.query")));
  if (!isAround() || isFromAfar()) return emptyState(t("list.none.area"), h("p", { class: "quiet" }, t("list.none.hint.area")));
  return emptyState(t("list.none"), h("p", { class: "quiet" }, t("list.none.hint")), wider());
}

function wider() {
  const radius_m = RADII_M.find((one) => one > state.radius_m);
  return radius_m && h("button", { class: "button", type: "button", onclick: () => update({ radius_m }) }, t("list.wider", { radius: metres(radius_m) }));
}

// Shows a notice if the list is for another area than that of the map.
function showPlace() {
  one("#elsewhere").hidden = !state.moved;
  one("#elsewhere").textContent = t("list.elsewhere");
}

const emptyState = (text, ...next) => h("li", { class: "list-state" }, icon("camera"), h("p", {}, text), next);

function more(shops) {
  const rest = shops.length - shown;
  const grow = () => {
    const first = shown;
    shown += PAGE;
    render();
    one(`#shop-${shops[first].id} .name`)?.focus();
  };
  return rest > 0 && h("li", { class: "more" },
    h("button", { class: "button", type: "button", onclick: grow }, t("list.more", { n: number(Math.min(rest, PAGE)) })));
}

// Redraws the list and keeps the keyboard focus.
function keepFocus(draw) {
  const focused = document.activeElement?.closest("#list .shop") && document.activeElement;
  const id = focused?.closest("[id]").id;
  draw();
  if (id && document.activeElement !== focused) document.getElementById(id)?.querySelector(focused.matches(".heart") ? ".heart" : ".name")?.focus();
}

// A few rows at a time, between which the browser may do something else.
async function growSlowly() {
  begin();
  while (shown < PAGE) {
    shown = Math.min(PAGE, shown + STEP);
    render();
    await pause();
  }
  end();
}

function render() {
  const list = one("#list");
  const shops = visibleShops();
  one("#list-title").textContent = heading(shops);
  one("#truncated").hidden = !(state.truncated && state.status === "ready");
  one("#truncated").textContent = t(state.total === null ? "list.truncated" : "list.first", { n: number(state.shops.length) });
  one("#ignored").hidden = !(state.ignored && state.status === "ready");
  one("#ignored").textContent = t("list.ignored", { words: state.ignored });
  one("#list-region").setAttribute("aria-busy", String(state.status === "loading"));
  if (state.status === "error") return fill(list, h("li", {}, failure(state.error, search)));
  // Skeletons are shown only before the first response; later, old results stay until new ones arrive.
  if (!state.searched) return fill(list, Array.from({ length: 6 }, ghost));
  const old = drawn.shops === state.shops && drawn.brand === state.brand;
  if (state.status === "loading" && old && list.querySelector(".shop:not(.ghost)")) return null;
  drawn = { shops: state.shops, brand: state.brand };
  if (!shops.length) return fill(list, state.status === "ready" && nothing());
  rows = new Map(shops.slice(0, shown).map((shop) => [shop, rows.get(shop) ?? item(shop)]));
  for (const [shop, row] of rows) showOpen(row, shop);
  keepFocus(() => place(list, [...rows.values(), more(shops)].filter(Boolean)));
  if (!performance.getEntriesByName("list").length) performance.mark("list");
  return mark();
}

function mark() {
  for (const element of document.querySelectorAll(".shop.lit, .shop.chosen")) element.classList.remove("lit", "chosen");
  one("#list [aria-current]")?.removeAttribute("aria-current");
  one(`#shop-${state.lit_id}`)?.classList.add("lit");
  one(`#shop-${state.shop_id}`)?.classList.add("chosen");
  one(`#shop-${state.shop_id} .name`)?.setAttribute("aria-current", "true");
}

// On a phone; Back closes the full list.
function startDrawer() {
  let shrunk = null;
  const turned = (position) => {
    const full = position === "full";
    one("#grip").setAttribute("aria-expanded", String(full));
    if (full) shrunk ??= openLayer(() => height.set("half"));
    else if (shrunk) {
      shrunk();
      shrunk = null;
    }
  };
  const height = drawer({ panel: one("#list-region"), grip: one("#grip"), handle: one("#list-handle"), texts: "list", turned });
  height.set("half");
}

function select(id, field, convert = String) {
  const element = one(id);
  element.value = String(state[field]);
  element.addEventListener("change", () => update({ [field]: convert(element.value) }));
  subscribe([field], () => { element.value = String(state[field]); });
}

export function startList() {
  select("#sort", "sort");
  select("#radius", "radius_m", Number);
  one("#follow").checked = state.follow;
  one("#follow").addEventListener("change", (event) => update({ follow: event.target.checked }));
  startDrawer();
  subscribe(["searched"], () => { shown = page(); one("#list-region").scrollTop = 0; });
  started.then(growSlowly);
  subscribe(["shops", "brand", "status", "brands", "hours"], later(render));
  const showTools = () => {
    one("#around-tools").hidden = !isAround();
    one("#radius").hidden = isFromAfar();
  };
  subscribe(["query", "bbox", "area", "meet", "zoom"], showTools);
  subscribe(["moved"], showPlace);
  subscribe(["lit_id", "shop_id"], mark);
  showTools();
  showPlace();
  render();
}
