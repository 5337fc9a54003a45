// Two or three shops side by side. Shops are chosen in the list and in the sheet; the address of the open table can be shared.
import { get } from "../shared/api.js";
import { copy } from "../shared/copy.js";
import { openDialog } from "../shared/dialog.js";
import { fill, h, icon, one } from "../shared/dom.js";
import { displayLang, number, t } from "../shared/i18n.js";
import { failure, placeAddress, placeName, rating, titles } from "../shared/parts.js";
import { origin, state, subscribe, update } from "../shared/state.js";
import { toast } from "../shared/toast.js";
import { walk } from "./directions.js";
import { openingText } from "./opening.js";
import { FACETS, hours } from "./shopfacts.js";

const MOST = 3;

function toggle(id) {
  const rest = state.compare.filter((other) => other !== id);
  if (rest.length === state.compare.length && rest.length === MOST) return toast(t("compare.full", { n: MOST }));
  return update({ compare: rest.length === state.compare.length ? [...rest, id] : rest });
}

// The icon alone in the list, with a text in the sheet.
export function compareButton(shop, { labelled = false } = {}) {
  const button = h("button", {
    class: labelled ? "button" : "icon-button", type: "button", "data-compare": String(shop.id), "data-name": placeName(shop),
    onclick: () => toggle(shop.id),
  }, icon("compare"), labelled && h("span", {}));
  return show(button);
}

function show(button) {
  const chosen = state.compare.includes(Number(button.dataset.compare));
  button.setAttribute("aria-pressed", String(chosen));
  const label = one("span", button);
  if (label) label.textContent = t(chosen ? "compare.remove" : "compare.add");
  else button.setAttribute("aria-label", t(chosen ? "compare.remove.of" : "compare.add.of", { name: button.dataset.name }));
  return button;
}

function tray() {
  const n = state.compare.length;
  one("#compare").hidden = !n;
  document.querySelectorAll("[data-compare]").forEach(show);
  if (!n) return;
  fill(one("#compare"), h("span", { role: "status" }, n === 1 ? t("compare.more") : t("compare.chosen", { n: number(n) })),
    h("button", { class: "button", type: "button", onclick: () => update({ compare: [] }) }, t("compare.clear")),
    h("button", { class: "button primary", type: "button", disabled: n < 2, onclick: openComparison }, t("compare.open")));
}

const votes = (facet) => ({ tag_stats: { [facet]: { good, bad, good_ratio } } }) => (good_ratio === null ? h("span", { class: "quiet" }, t("compare.unknown"))
  : [h("strong", {}, `${Math.round(100 * good_ratio)}%`), " ", h("span", { class: "quiet" }, t("facet.votes", { n: number(good + bad) }))]);

function status(shop) {
  if (shop.status !== "OPEN") return t(`status.${shop.status}`);
  return shop.open_now === null ? h("span", { class: "quiet" }, t("compare.unknown")) : openingText(shop);
}

function opensAt(shop) {
  const shown = hours(shop);
  if (shown?.matches("details")) shown.open = true;
  return shown;
}

const ROWS = [
  ["compare.distance", (shop) => [h("span", {}, shop.distance), " ", walk(shop)]],
  ["compare.rating", rating],
  ...FACETS.map((facet) => [`facet.${facet}`, votes(facet)]),
  ["compare.status", status],
  ["hours", opensAt],
  ["tab.favorites", (shop) => number(shop.favorite_cnt)],
  ["compare.titles", titles],
  ["compare.address", placeAddress],
];

function table(shops, close) {
  // Removes the comparison from the current history entry first, because opening the shop adds an entry.
  const open = (shop) => () => { update({ comparing: false }); close(); update({ shop_id: shop.id }); };
  const head = (shop) => h("th", { scope: "col" }, h("button", { class: "link", type: "button", onclick: open(shop) }, placeName(shop)));
  const row = ([key, cell]) => {
    const cells = shops.map(cell);
    return cells.some(Boolean) && h("tr", {}, h("th", { scope: "row" }, t(key)), cells.map((shown) => h("td", {}, shown)));
  };
  return h("table", { class: "comparison" }, h("thead", {}, h("tr", {}, h("td", {}), shops.map(head))), h("tbody", {}, ROWS.map(row)));
}

async function fetchShops() {
  const from = origin();
  const query = { userLat: from.lat, userLng: from.lng, lang: displayLang };
  const shops = await Promise.all(state.compare.map((id) => get(`/shops/${id}`, query).catch((error) => {
    // A shop of a shared link may have been deleted.
    if (error.status === 404) return null;
    throw error;
  })));
  return shops.filter(Boolean);
}

function openComparison() {
  const box = h("div", { class: "comparison-box", tabindex: "0", role: "region", "aria-label": t("compare") }, h("div", { class: "skeleton", style: "height:320px" }));
  const copyLink = h("button", { class: "button", type: "button", onclick: () => copy(location.href) }, icon("link"), t("share.copy"));
  const dialog = openDialog(t("compare"), box, h("div", { class: "actions" }, copyLink));
  dialog.classList.add("compare");
  dialog.addEventListener("close", () => update({ comparing: false }));
  update({ comparing: true });
  const load = async () => {
    try {
      const shops = await fetchShops();
      fill(box, shops.length ? table(shops, () => dialog.close()) : h("p", {}, t("compare.gone")));
    } catch (error) {
      fill(box, failure(error, load));
    }
  };
  load();
}

export function startCompare() {
  subscribe(["compare"], tray);
  tray();
  if (state.comparing) openComparison();
}
