// The heart button: adds and removes a favorite, with an optimistic update that is reverted on errors.
import { post, remove } from "../shared/api.js";
import { h, icon } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { placeName, say } from "../shared/parts.js";
import { replaceShop } from "../shops/search.js";
import { update } from "../shared/state.js";
import { askToSignIn, onSignedIn } from "./signin.js";
import { showNewTitles } from "./titles.js";
import { toast } from "../shared/toast.js";
import { tokens } from "../shared/tokens.js";

export function heart(shop) {
  const key = shop.favorite ? "favorite.remove" : "favorite.add";
  return h("button", {
    class: "icon-button heart", type: "button", "aria-pressed": String(shop.favorite),
    "aria-label": t(key, { name: placeName(shop) }), onclick: () => toggle(shop),
  }, icon("heart"));
}

// By shop: the last confirmed state and the last pending request. Requests for one shop are serialised: concurrent
// ones could be processed, or their responses drawn, in the wrong order.
const pending = new Map();

// Resolves once the service has got all presses.
export const settled = () => Promise.all([...pending.values()].map(({ last }) => last));

async function toggle(shop) {
  const { id, favorite: before, favorite_cnt } = shop;
  if (!tokens.signedIn) return askToSignIn({ favorite: { id, name: placeName(shop) } });
  const favorite = !before;
  const queue = pending.get(id) ?? { confirmed: { favorite: before, favorite_cnt }, last: Promise.resolve() };
  pending.set(id, queue);
  const request = queue.last.then(() => send(queue, id, favorite));
  queue.last = request;
  show(id, { favorite, favorite_cnt: favorite_cnt + (favorite ? 1 : -1) });
  await request;
  if (queue.last !== request) return;
  pending.delete(id);
  show(id, queue.confirmed);
}

async function send(queue, id, favorite) {
  try {
    const result = favorite ? await post(`/favorites/${id}`) : await remove(`/favorites/${id}`);
    queue.confirmed = { favorite, favorite_cnt: result.shop?.favorite_cnt ?? result.favorite_cnt };
    showNewTitles(result.awarded_titles);
  } catch (error) {
    toast(say(error));
  }
}

function show(id, changes) {
  replaceShop(id, changes);
  update({ favorite_change: { id, ...changes } });
}

async function saveWished({ favorite: wished }) {
  if (!wished) return;
  try {
    const { shop, awarded_titles } = await post(`/favorites/${wished.id}`);
    show(wished.id, { favorite: true, favorite_cnt: shop.favorite_cnt });
    toast(t("favorite.saved", { name: wished.name }));
    showNewTitles(awarded_titles);
  } catch (error) {
    toast(say(error));
  }
}

export function startFavorites() {
  onSignedIn(saveWished);
}
