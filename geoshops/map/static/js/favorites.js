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

async function toggle(shop) {
  if (!tokens.refresh) return askToSignIn();
  const favorite = !shop.favorite;
  show(shop.id, { favorite, favorite_cnt: shop.favorite_cnt + (favorite ? 1 : -1) });
  try {
    const answer = favorite ? await post(`/favorites/${shop.id}`) : await remove(`/favorites/${shop.id}`);
    show(shop.id, { favorite, favorite_cnt: answer.shop?.favorite_cnt ?? answer.favorite_cnt });
    tellTitles(answer.awarded_titles);
  } catch (error) {
    show(shop.id, { favorite: shop.favorite, favorite_cnt: shop.favorite_cnt });
    toast(say(error));
  }
}

function show(id, changes) {
  replaceShop(id, changes);
  update({ favorite_change: { id, ...changes } });
}
