// Two rows of chips: brands with result counts, and the search filters.
import { fill, h, icon, one } from "../shared/dom.js";
import { lang, number, t } from "../shared/i18n.js";
import { brandName } from "../shared/parts.js";
import { clearFilters, familyOf, filterCount } from "./search.js";
import { isStarted, started } from "../shared/started.js";
import { later, state, subscribe, update } from "../shared/state.js";

const collator = new Intl.Collator(lang);

function counts() {
  const byBrand = new Map();
  for (const shop of state.shops) {
    const name = familyOf(shop.brand.brand_name);
    byBrand.set(name, (byBrand.get(name) ?? 0) + 1);
  }
  for (const name of [...offered(), state.brand]) if (name && !byBrand.has(name)) byBrand.set(name, 0);
  return [...byBrand].sort((a, b) => rank(a[0]) - rank(b[0]) || b[1] - a[1] || collator.compare(a[0], b[0]));
}

// Brands to choose where no shop is near, such as on a map of the country.
const offered = () => state.brands.filter((brand) => brand.is_representative).map((brand) => brand.brand_name);

const rank = (name) => (state.brands.find((brand) => brand.brand_name === name)?.is_representative ? 0 : 1);

function chip(label, pressed, onclick, { count, image, key } = {}) {
  return h("button", { class: "chip", type: "button", "aria-pressed": String(pressed), "data-key": key, onclick },
    image && h("img", { loading: "lazy", src: image, alt: "", width: "18", height: "18" }), label,
    count !== undefined && h("span", { class: "count" }, number(count)));
}

// In the visitor's language: shops carry the name of their brand, too, and may come first.
function shownName(name) {
  const brand = state.brands.find((one) => one.brand_name === name);
  const shop = state.shops.find((one) => one.brand.brand_name === name);
  return brand?.display?.brand_name ?? (shop ? brandName(shop) : name);
}

// The row shows about as many brands without scrolling.
const FIRST = 4;

function brandChip([name, count], place) {
  const image = place < FIRST || isStarted() ? state.brands.find((brand) => brand.brand_name === name)?.file_path : null;
  const pressed = state.brand === name;
  return chip(shownName(name), pressed, () => update({ brand: pressed ? "" : name }), { count: state.truncated ? undefined : count || undefined, image, key: `brand-${name}` });
}

function filterChip(name) {
  const flip = () => update({ filters: { ...state.filters, [name]: !state.filters[name] } });
  return chip(t(`filter.${name}`), state.filters[name], flip, { key: `filter-${name}` });
}

function clearChip() {
  const n = filterCount();
  return n > 0 && h("button", { class: "chip clear", type: "button", "data-key": "clear", onclick: clearFilters },
    icon("close"), t("filters.clear", { n }));
}

// Chosen filters come first, where the row shows them without scrolling.
function filterRow() {
  const names = Object.keys(state.filters);
  return [clearChip(), ...[true, false].flatMap((chosen) => names.filter((name) => state.filters[name] === chosen)).map(filterChip)];
}

const keyed = (box, key) => box.querySelector(`[data-key="${CSS.escape(key)}"]`);

// Redraws a row and keeps the keyboard focus; what the row no longer has leaves it to the first chip.
function redraw(box, ...chips) {
  const key = box.contains(document.activeElement) && document.activeElement.dataset.key;
  fill(box, ...chips);
  if (key) (keyed(box, key) ?? box.querySelector(".chip")).focus();
}

// A part of the results counts nothing.
function countAll() {
  if (!state.truncated) return state.shops.length;
  return state.brand || state.capped ? undefined : state.total ?? undefined;
}

function showBrands() {
  redraw(one("#chips"), chip(t("chips.all"), !state.brand, () => update({ brand: "" }), { count: countAll(), key: "all" }),
    counts().map(brandChip));
}

// A mouse wheel, which only turns one way, moves along a row.
function scrollAlong(event) {
  const box = event.currentTarget;
  const before = box.scrollLeft;
  if (event.ctrlKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) return;
  box.scrollLeft += event.deltaY;
  if (box.scrollLeft !== before) event.preventDefault();
}

// Not redrawn with every new list, because a press on a chip is lost if the chip is replaced meanwhile.
const drawFilters = () => redraw(one("#filters"), filterRow());

// Scrolls to the beginning of the row, where the chosen filters and the button that clears them are.
function showFilters() {
  const box = one("#filters");
  box.scrollLeft = 0;
  if (box.contains(document.activeElement)) document.activeElement.scrollIntoView({ block: "nearest", inline: "nearest" });
}

const showChosen = () => one('#chips [aria-pressed="true"]')?.scrollIntoView({ block: "nearest", inline: "nearest" });

export function startChips() {
  subscribe(["shops", "brand", "brands"], later(showBrands));
  started.then(showBrands);
  subscribe(["brand", "filters"], later(drawFilters));
  subscribe(["brand"], later(showChosen));
  subscribe(["filters"], later(showFilters));
  for (const box of [one("#chips"), one("#filters")]) box.addEventListener("wheel", scrollAlong, { passive: false });
  showBrands();
  drawFilters();
}
