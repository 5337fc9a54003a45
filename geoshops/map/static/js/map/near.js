// The buttons "near me" and "search this area".
import { one } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { currentBounds, fly } from "./map.js";
import { search } from "../shops/search.js";
import { state, subscribe, update } from "../shared/state.js";
import { toast } from "../shared/toast.js";

const WAIT_MS = 10000;

function nearMe() {
  navigator.geolocation.getCurrentPosition(
    ({ coords }) => {
      const user = { lng: coords.longitude, lat: coords.latitude };
      update({ user, query: "" });
      fly(user, 15);
    },
    () => toast(t("near.denied")),
    { timeout: WAIT_MS, maximumAge: 60000 },
  );
}

function searchHere() {
  update({ bbox: state.query ? currentBounds() : null });
  search();
}

export function startNear() {
  one("#near").addEventListener("click", nearMe);
  one("#area").addEventListener("click", searchHere);
  subscribe(["moved"], () => { one("#area").hidden = !state.moved; });
}
