// The people of a plan to meet, as numbered markers that can be moved; a tap on the map adds one.
import { FIELD } from "./field.js";
import { h } from "../shared/dom.js";
import { number, t } from "../shared/i18n.js";
import { MOST_PEOPLE, addPerson, state, subscribe, update } from "../shared/state.js";
import { toast } from "../shared/toast.js";

const TAKEN = ["pins", "pin-names", "chosen-pin", "clusters", ...FIELD];
let markers = [];

function mark(gl, map, person, i) {
  const element = h("div", { class: "person", role: "img", "aria-label": person.name ?? t("meet.person", { n: i + 1 }) }, number(i + 1));
  const marker = new gl.Marker({ element, draggable: true }).setLngLat([person.lng, person.lat]).addTo(map);
  marker.on("dragend", () => {
    const { lng, lat } = marker.getLngLat();
    update({ meet: state.meet.map((other) => (other === person ? { lng, lat } : other)) });
  });
  return marker;
}

export function startPeople(gl, map) {
  const draw = () => {
    for (const marker of markers) marker.remove();
    markers = (state.meet ?? []).map((person, i) => mark(gl, map, person, i));
  };
  map.on("click", ({ point, lngLat }) => {
    const layers = TAKEN.filter((id) => map.getLayer(id));
    if (!state.meet || map.queryRenderedFeatures(point, { layers }).length) return;
    if (!addPerson({ lng: lngLat.lng, lat: lngLat.lat })) toast(t("meet.full", { n: MOST_PEOPLE }));
  });
  subscribe(["meet"], draw);
  draw();
}
