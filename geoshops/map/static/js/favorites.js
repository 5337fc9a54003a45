// The heart: adds and removes a favorite, at once on the screen and taken back when refused.
import { post, remove } from "./api.js";
import { h, icon } from "./dom.js";
import { t } from "./i18n.js";
import { say } from "./parts.js";
import { replaceShop } from "./search.js";
import { update } from "./state.js";
import { askToSignIn } from "./signin.js";
import { tellTitles } from "./titles.js";
import { toast } from "./toast.js";
import { tokens } from "./tokens.js";

export function heart(shop) {
  const key = shop.favorite ? "favorite.remove" : "favorite.add";
  return h("button", {
    class: "icon-button heart", type: "button", "aria-pressed": String(shop.favorite),
    "aria-label": t(key, { name: shop.place_name }), onclick: () => toggle(shop),
  }, icon("heart"));
}

// By shop what the service last told and the press that came last. Presses on one shop follow each other: sent side by
// side, a slow one could reach the service after the next, or its answer draw over that of the next.
const pressed = new Map();

async function toggle({ id, favorite: before, favorite_cnt }) {
  if (!tokens.refresh) return askToSignIn();
  const favorite = !before;
  const acts = pressed.get(id) ?? { known: { favorite: before, favorite_cnt }, last: Promise.resolve() };
  pressed.set(id, acts);
  const mine = acts.last.then(() => send(acts, id, favorite));
  acts.last = mine;
  show(id, { favorite, favorite_cnt: favorite_cnt + (favorite ? 1 : -1) });
  await mine;
  if (acts.last !== mine) return;
  pressed.delete(id);
  show(id, acts.known);
}

async function send(acts, id, favorite) {
  try {
    const answer = favorite ? await post(`/favorites/${id}`) : await remove(`/favorites/${id}`);
    acts.known = { favorite, favorite_cnt: answer.shop?.favorite_cnt ?? answer.favorite_cnt };
    tellTitles(answer.awarded_titles);
  } catch (error) {
    toast(say(error));
  }
}

function show(id, changes) {
  replaceShop(id, changes);
  update({ favorite_change: { id, ...changes } });
}
