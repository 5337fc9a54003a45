// Brand chips with result counts, and the search filters.
import { fill, h, one } from "../shared/dom.js";
import { lang, number, t } from "../shared/i18n.js";
import { brandName } from "../shared/parts.js";
import { familyOf } from "./search.js";
import { later, state, subscribe, update } from "../shared/state.js";

function counts() {
  const byBrand = new Map();
  for (const shop of state.shops) {
    const name = familyOf(shop.brand.brand_name);
    byBrand.set(name, (byBrand.get(name) ?? 0) + 1);
  }
  if (state.brand && !byBrand.has(state.brand)) byBrand.set(state.brand, 0);
  return [...byBrand].sort((a, b) => rank(a[0]) - rank(b[0]) || b[1] - a[1] || a[0].localeCompare(b[0], lang));
}

const rank = (name) => (state.brands.find((brand) => brand.brand_name === name)?.is_representative ? 0 : 1);

function chip(label, pressed, onclick, { count, image, key } = {}) {
  return h("button", { class: "chip", type: "button", "aria-pressed": String(pressed), "data-key": key, onclick },
    image && h("img", { src: image, alt: "", width: "18", height: "18" }), label,
    count !== undefined && h("span", { class: "count" }, number(count)));
}

// Shops carry the names of their brands in the visitor's language.
function shownName(name) {
  const shop = state.shops.find((one) => one.brand.brand_name === name);
  return shop ? brandName(shop) : name;
}

function brandChip([name, count]) {
  const image = state.brands.find((brand) => brand.brand_name === name)?.file_path;
  const pressed = state.brand === name;
  return chip(shownName(name), pressed, () => update({ brand: pressed ? "" : name }), { count, image, key: `brand-${name}` });
}

function filterChip(name) {
  const flip = () => update({ filters: { ...state.filters, [name]: !state.filters[name] } });
  return chip(t(`filter.${name}`), state.filters[name], flip, { key: `filter-${name}` });
}

function render() {
  const key = document.activeElement?.dataset.key;
  const box = one("#chips");
  fill(box, chip(t("chips.all"), !state.brand, () => update({ brand: "" }), { count: state.shops.length, key: "all" }),
    counts().map(brandChip), h("span", { class: "rule" }), Object.keys(state.filters).map(filterChip));
  if (key) box.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus();
}

export function startChips() {
  subscribe(["shops", "brand", "brands", "filters"], later(render));
  render();
}
