// The buttons "near me" and "search this area".
import { one } from "../shared/dom.js";
import { begin, end } from "../shared/idle.js";
import { t } from "../shared/i18n.js";
import { visibleBox } from "./box.js";
import { fly } from "./map.js";
import { search } from "../shops/search.js";
import { isAround, state, subscribe, update } from "../shared/state.js";
import { toast } from "../shared/toast.js";

const WAIT_MS = 10000;

function nearMe() {
  begin();
  navigator.geolocation.getCurrentPosition(
    ({ coords }) => {
      const user = { lng: coords.longitude, lat: coords.latitude, accuracy_m: coords.accuracy };
      update({ user, query: "", bbox: "", area: "" });
      fly(user, 15);
      end();
    },
    () => { toast(t("near.denied")); end(); },
    { timeout: WAIT_MS, maximumAge: 60000 },
  );
}

// Around the map's centre; results of a keyword or an area become those of the visible map.
function searchHere() {
  if (isAround()) search();
  else update({ area: "", bbox: visibleBox() });
}

function offerSearch() {
  one("#area").hidden = !state.moved;
}

export function startNear() {
  one("#near").addEventListener("click", nearMe);
  one("#area").addEventListener("click", searchHere);
  subscribe(["moved"], offerSearch);
  offerSearch();
}
