// A plan to meet: friends are places on the map, and the list has the shops whose longest way is shortest.
import { get } from "../shared/api.js";
import { copy } from "../shared/copy.js";
import { fill, h, icon, one } from "../shared/dom.js";
import { displayLang, number, t } from "../shared/i18n.js";
import { metres } from "../shared/parts.js";
import { MOST_PEOPLE, addPerson, isMeeting, state, subscribe, update } from "../shared/state.js";
import { fit } from "../map/map.js";
import { afterPause } from "../shared/pause.js";
import { toast } from "../shared/toast.js";

const WAIT_MS = 150;
const PLACES = ["station", "region"];
const input = h("input", { id: "friend", autocomplete: "off", maxlength: "100" });
const places = h("ul", { class: "places" });
let running = null;
const asking = afterPause(ask, WAIT_MS);

const rounded = (distance_m) => metres(distance_m < 1000 ? distance_m : Math.round(distance_m / 100) * 100);

// Each person's distance to the shop, in the list of a plan.
export function ways(shop) {
  const way = (distance_m, i) => h("li", {}, h("span", { class: "person" }, number(i + 1)), rounded(distance_m));
  return shop.distances_m && h("ol", { class: "ways", "aria-label": t("meet.ways") }, shop.distances_m.map(way));
}

function show() {
  const people = state.meet;
  one("#meet").hidden = !people;
  one("#meet-open").setAttribute("aria-expanded", String(Boolean(people)));
  one("#sort").hidden = isMeeting();
  if (!people) return;
  const drop = (person) => () => update({ meet: people.filter((other) => other !== person) });
  const name = (person, i) => person.name ?? t("meet.person", { n: i + 1 });
  fill(one("#people"), people.map((person, i) => h("li", {}, h("span", { class: "person" }, number(i + 1)), h("span", {}, name(person, i)),
    h("button", { class: "icon-button", type: "button", "aria-label": t("meet.drop", { name: name(person, i) }), onclick: drop(person) }, icon("close")))));
  one("#meet-hint").hidden = people.length > 1;
  one("#meet-share").hidden = people.length < 2;
}

function seeAll() {
  const lngs = state.meet.map(({ lng }) => lng);
  const lats = state.meet.map(({ lat }) => lat);
  if (lngs.length > 1) fit([[Math.min(...lngs), Math.min(...lats)], [Math.max(...lngs), Math.max(...lats)]]);
}

function take({ longitude, latitude, label, display }) {
  asking.cancel();
  running?.abort();
  input.value = "";
  fill(places);
  if (!addPerson({ lng: Number(longitude), lat: Number(latitude), name: display?.label ?? label })) return toast(t("meet.full", { n: MOST_PEOPLE }));
  seeAll();
  return input.focus();
}

// Resolves to whether the places are those of the text.
async function ask() {
  running?.abort();
  running = new AbortController();
  const keyword = input.value.trim();
  if (!keyword) {
    fill(places);
    return true;
  }
  try {
    const found = await get("/shops/suggest", { keyword, lang: displayLang }, running.signal);
    const known = found.filter(({ kind, longitude }) => PLACES.includes(kind) && longitude);
    fill(places, known.length ? known.map((place) => h("li", {}, h("button", { class: "suggestion", type: "button", onclick: () => take(place) },
      icon("pin"), place.display?.label ?? place.label))) : h("li", { class: "quiet" }, t("meet.unknown")));
    return true;
  } catch {
    // Tapping the map works without.
    return false;
  }
}

// The places shown may still be those of an earlier text.
async function first(event) {
  event.preventDefault();
  asking.cancel();
  if (await ask()) one("button", places)?.click();
}

function build() {
  input.addEventListener("input", asking.restart);
  const close = h("button", { class: "icon-button", type: "button", "aria-label": t("meet.close"), title: t("meet.close"), onclick: () => update({ meet: null }) }, icon("close"));
  const share = () => (navigator.share ? navigator.share({ title: t("meet"), url: location.href }).catch(() => {}) : copy(location.href));
  fill(one("#meet"), h("div", { class: "line" }, h("h3", {}, t("meet")), h("span", { class: "spacer" }), close),
    h("ol", { id: "people", class: "people" }), h("p", { id: "meet-hint", class: "quiet" }, t("meet.hint")),
    h("form", { class: "field", onsubmit: first }, h("label", { for: "friend" }, t("meet.add")), input, places),
    h("button", { class: "button wide", type: "button", id: "meet-share", onclick: share }, icon("share"), t("meet.share")));
}

export function startMeet() {
  build();
  one("#meet-open").addEventListener("click", () => update({ meet: state.meet ? null : [] }));
  subscribe(["meet"], show);
  show();
  if (state.meet) seeAll();
}
