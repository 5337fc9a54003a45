// The detail sheet of a shop.
import { get } from "../shared/api.js";
import { copy } from "../shared/copy.js";
import { fill, h, icon, one } from "../shared/dom.js";
import { drawer } from "../shared/drawer.js";
import { focusLater, holdsFocus } from "../shared/focus.js";
import { displayLang, number, t } from "../shared/i18n.js";
import { badge, brandName, failure, original, placeAddress, placeName, rating, tags } from "../shared/parts.js";
import { heart } from "../member/favorites.js";
import { compareButton } from "./compare.js";
import { directions, walk } from "./directions.js";
import { openTag } from "./opening.js";
import { reportButton } from "./report.js";
import { facets, histogram, hours } from "./shopfacts.js";
import { showReviews } from "./reviews.js";
import { isSame, replaceShop } from "./search.js";
import { origin, state, subscribe, update } from "../shared/state.js";
import { correct, shopPath } from "../shared/url.js";

let running = null;
let loading = false;
let opener = null;
let position = null;
// A promise that resolves when the first reviews are shown.
let listed = null;

async function load() {
  running?.abort();
  const { shop_id } = state;
  const mine = (running = new AbortController());
  const focus = focusLater();
  loading = true;
  if (one("#sheet").hidden) {
    opener = document.activeElement;
    one("#sheet").hidden = false;
    position.set("half");
  }
  // the shop's own page shows it already
  if (state.shop?.id !== shop_id && one("#sheet").dataset.shop !== String(shop_id)) skeleton();
  try {
    const from = origin();
    const shop = await get(`/shops/${shop_id}`, { userLat: from.lat, userLng: from.lng, lang: displayLang }, mine.signal);
    if (shop.merged_into_id) return correct({ shop_id: shop.merged_into_id });
    const isNew = state.shop?.id !== shop_id;
    update({ shop });
    render(shop);
    if (isNew) start(focus);
  } catch (error) {
    if (!mine.signal.aborted) fill(one("#sheet-body"), failure(error, load));
  } finally {
    if (mine === running) loading = false;
  }
  return undefined;
}

// Reloads the shop after a review, which changes its average, histogram and list entry, and shows the one that was written.
async function reviewed(review_id) {
  const focus = focusLater();
  await load();
  if (!state.shop) return;
  count(state.shop);
  focus(one("#write"));
  await listed;
  one(`#review-${review_id}`)?.scrollIntoView({ block: "nearest" });
}

const count = ({ id, star_rating_avg, review_cnt }) => replaceShop(id, { star_rating_avg, review_cnt });

// The member has changed a review in the list of their own.
async function reviewedElsewhere() {
  const { id } = state.reviewed;
  if (id === state.shop_id) await load();
  const shop = state.shop?.id === id ? state.shop : await get(`/shops/${id}`).catch(() => null);
  if (shop) count(shop);
}

function closed() {
  running?.abort();
  const focused = holdsFocus(one("#sheet"));
  one("#sheet").hidden = true;
  update({ shop: null });
  if (!focused) return;
  if (opener?.isConnected) opener.focus();
  else one(`#list .name`)?.focus();
}

function skeleton() {
  const bar = (height, width) => h("div", { class: "skeleton", style: `height:${height}px;width:${width}%` });
  one("#sheet-title").textContent = "";
  delete one("#sheet").dataset.shop;
  fill(one("#sheet-body"), h("div", { class: "sheet-part" }, bar(26, 70), bar(16, 45), bar(90, 100), bar(70, 100)));
}

function start(focus) {
  one("#sheet-body").scrollTop = 0;
  focus(one("#sheet-title"));
}

function render(shop) {
  const focused = one("#sheet-body").contains(document.activeElement);
  one("#sheet-title").textContent = placeName(shop);
  const reviews = h("section", { class: "sheet-part", "aria-label": t("reviews") });
  const report = reportButton("shops", shop.id, t("report.shop"), t("report.shop.title", { name: placeName(shop) }));
  fill(one("#sheet-body"), head(shop), gone(shop), links(shop), numbers(shop), details(shop), reviews, h("div", { class: "sheet-part" }, report));
  listed = showReviews(reviews, shop, reviewed);
  if (focused) one("#sheet-title").focus();
}

// Hidden for a shop at the centre of the map if the visitor's position is unknown, because the distance is then zero.
function way(shop) {
  if (!shop.distance || !(state.user || shop.distance_m)) return null;
  return [h("span", {}, t(state.user ? "from.user" : "from.center", { distance: shop.distance })), walk(shop)];
}

function head(shop) {
  return h("div", { class: "sheet-part sheet-lead" }, badge(shop),
    h("div", { class: "facts" }, h("p", { class: "quiet" }, brandName(shop)), original(placeName(shop), shop.place_name),
      h("div", { class: "meta" }, rating(shop), way(shop)),
      h("div", { class: "meta" }, openTag(shop), tags(shop))),
    h("div", { class: "sheet-actions" }, heart(shop)));
}

// Routes, link and share.
function links(shop) {
  const button = (key, name, onclick) => h("button", { class: "button", type: "button", id: key.replace(".", "-"), onclick }, icon(name), t(key));
  return h("div", { class: "sheet-part sheet-links" }, directions(shop), h("div", { class: "routes" },
    compareButton(shop, { labelled: true }), button("share.copy", "link", () => copy(shopUrl())), navigator.share && button("share", "share", share)));
}

function gone(shop) {
  return shop.status === "CLOSED" && h("div", { class: "sheet-part" }, h("p", {}, t("shop.gone")));
}

function numbers(shop) {
  return h("div", { class: "sheet-part" }, histogram(shop), facets(shop),
    h("p", { class: "quiet" }, t("favorites.count", { n: number(shop.favorite_cnt) })));
}

function details(shop) {
  const row = (name, content) => content && h("div", { class: "row" }, icon(name), content);
  const site = /^https?:\/\//.test(shop.homepage) && h("a", { href: shop.homepage, rel: "noopener noreferrer", target: "_blank" }, shop.homepage);
  const parts = [row("pin", shop.place_address && h("div", {}, placeAddress(shop), original(placeAddress(shop), shop.place_address))), row("clock", hours(shop)),
    row("phone", shop.phone && h("a", { href: `tel:${shop.phone}` }, shop.phone)), row("link", site)].filter(Boolean);
  return parts.length && h("div", { class: "sheet-part rows" }, parts);
}

const shopUrl = () => `${location.origin}${shopPath(state.shop.id)}`;

async function share() {
  // Rejected when the visitor closes the system's sheet.
  await navigator.share({ title: placeName(state.shop), url: shopUrl() }).catch(() => {});
}

// The hearts of the list and the sheet are synchronised.
function favoriteChanged() {
  const { id, ...changes } = state.favorite_change;
  // A response that is still loading may not include the change.
  if (loading && state.shop_id === id) load();
  if (state.shop?.id !== id || isSame(state.shop, changes)) return;
  const pressed = one("#sheet .heart:focus");
  update({ shop: { ...state.shop, ...changes } });
  const lead = one("#sheet .sheet-lead");
  lead.replaceWith(head(state.shop));
  if (pressed) one("#sheet .heart").focus();
}

// Once the map has moved to a shop far away, the search there measures its distance from the new centre.
function distanceChanged() {
  const found = state.shops.find(({ id }) => id === state.shop?.id);
  if (state.query || !found || found.distance === state.shop.distance) return;
  const focused = one("#sheet .sheet-lead :focus");
  update({ shop: { ...state.shop, distance: found.distance, distance_m: found.distance_m } });
  one("#sheet .sheet-lead").replaceWith(head(state.shop));
  if (focused) one(focused.id ? `#${focused.id}` : "#sheet .heart").focus();
}

export function startSheet() {
  one("#sheet-close").addEventListener("click", () => update({ shop_id: null }));
  position = drawer({
    panel: one("#sheet"), grip: one("#sheet-grip"), handle: one("#sheet-handle"), texts: "sheet", moved: (sheet) => update({ sheet }),
  });
  position.set("half");
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && state.shop_id !== null && !one("dialog[open]")) update({ shop_id: null });
  });
  subscribe(["shop_id"], () => (state.shop_id === null ? closed() : load()));
  subscribe(["member"], () => { if (state.shop_id !== null) load(); });
  subscribe(["searched"], distanceChanged);
  subscribe(["reviewed"], reviewedElsewhere);
  subscribe(["favorite_change"], favoriteChanged);
  if (state.shop_id !== null) load();
}
