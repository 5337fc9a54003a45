// The member's favorites and reviews.
import { call, get, remove } from "../shared/api.js";
import { fill, h, icon, keepPlace } from "../shared/dom.js";
import { displayLang, number, t } from "../shared/i18n.js";
import { fly } from "../map/map.js";
import { badge, failure, placeAddress, placeName, rating, say } from "../shared/parts.js";
import { review } from "../shops/review.js";
import { ownTools } from "../shops/reviews.js";
import { replaceShop } from "../shops/search.js";
import { settled } from "./favorites.js";
import { origin, update } from "../shared/state.js";
import { toast } from "../shared/toast.js";

const SIZE = 20;

function open(shop) {
  return (event) => {
    event.target.closest("dialog").close();
    update({ shop_id: shop.id });
    if (shop.longitude) fly({ lng: Number(shop.longitude), lat: Number(shop.latitude) });
  };
}

const nothing = (name, text) => h("div", { class: "list-state" }, icon(name), h("p", {}, text));

function favorite(shop, again) {
  const drop = async () => {
    try {
      const { favorite_cnt } = await remove(`/favorites/${shop.id}`);
      replaceShop(shop.id, { favorite: false, favorite_cnt });
      update({ favorite_change: { id: shop.id, favorite: false, favorite_cnt } });
      again();
    } catch (error) {
      toast(say(error));
    }
  };
  return h("li", { class: "shop" }, badge(shop),
    h("div", { class: "facts" }, h("button", { class: "name", type: "button", onclick: open(shop) }, placeName(shop)),
      h("div", { class: "meta" }, rating(shop), h("span", {}, shop.distance)), h("p", { class: "address" }, placeAddress(shop))),
    h("button", { class: "icon-button heart", type: "button", "aria-pressed": "true", "aria-label": t("favorite.remove", { name: placeName(shop) }), onclick: drop }, icon("heart")));
}

export async function showOwnFavorites(box) {
  const again = () => keepPlace(box, ".heart", () => showOwnFavorites(box));
  const from = origin();
  await settled();
  try {
    const favorites = await get("/favorites", { userLat: from.lat, userLng: from.lng, lang: displayLang });
    fill(box, favorites.length ? h("ul", { class: "own" }, favorites.map(({ shop }) => favorite(shop, again))) : nothing("heart", t("favorites.none")));
  } catch (error) {
    fill(box, failure(error, again));
  }
}

function ownReview(entry, again) {
  const { shop_info: shop } = entry;
  const changed = () => { update({ reviewed: { id: shop.id } }); again(); };
  const link = h("button", { class: "link", type: "button", onclick: open(shop) }, placeName(shop));
  return review({ ...entry, member_info: { nickname: link } }, ownTools(entry, shop, changed));
}

export async function showOwnReviews(box) {
  const list = h("ol", { class: "reviews" });
  const foot = h("div", {});
  const again = () => keepPlace(box, ".tools button", () => showOwnReviews(box));
  let page = 0;
  const next = async () => {
    try {
      const { value, headers } = await call("GET", "/reviews/member", { query: { page: page + 1, size: SIZE, lang: displayLang } });
      page += 1;
      list.append(...value.map((entry) => ownReview(entry, again)));
      const rest = Number(headers.get("X-Total-Count") ?? 0) - page * SIZE;
      fill(foot, rest > 0 && h("button", { class: "button wide", type: "button", onclick: next }, t("reviews.more.n", { n: number(rest) })));
      if (page === 1) fill(box, value.length ? [list, foot] : nothing("edit", t("reviews.own.none")));
    } catch (error) {
      fill(page ? foot : box, failure(error, next));
    }
  };
  await next();
}
