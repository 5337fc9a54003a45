// Components shared by several views: rating, tags, badge, error messages.
import { h, icon } from "./dom.js";
import { number, shopTitle, t } from "./i18n.js";
import { retryOnReconnect } from "./offline.js";

export function rating(shop) {
  if (!shop.review_cnt) return h("span", { class: "quiet" }, t("rating.none"));
  const average = shop.star_rating_avg.toFixed(1);
  return h("span", { class: "rating" }, icon("star", true),
    h("span", { "aria-hidden": "true" }, average),
    h("span", { class: "quiet", "aria-hidden": "true" }, `(${number(shop.review_cnt)})`),
    h("span", { class: "visually-hidden" }, t("rating", { rating: average, n: shop.review_cnt })));
}

const tagged = (shown) => (shown.length ? h("div", { class: "tags" }, shown) : null);
const titleTags = (shop) => shop.shop_titles.map((title) => h("span", { class: "tag" }, shopTitle(title)));
const closedTag = ({ status }) => status !== "OPEN" && h("span", { class: "tag bad" }, t(`status.${status}`));

export const titles = (shop) => tagged(titleTags(shop));

export const tags = (shop) => tagged([closedTag(shop), ...titleTags(shop)].filter(Boolean));

export const placeName = (shop) => shop.display?.place_name ?? shop.place_name;
export const placeAddress = (shop) => shop.display?.place_address ?? shop.place_address;
export const brandName = (shop) => shop.display?.brand_name ?? shop.brand.brand_name;

// The Korean original, as it stands on signs, where another text is shown.
export const original = (shown, korean) => korean !== shown && h("p", { class: "quiet", lang: "ko" }, korean);

export const badge = (shop) => h("img", { class: "badge", loading: "lazy", src: shop.brand.file_path, alt: "", width: "44", height: "44" });

export function say(error) {
  return error?.message || t(`error.${["offline", "timeout"].includes(error?.code) ? error.code : "invalid"}`);
}

// A notice that loading failed, with a button to retry; also retries when the browser is back online.
export function failure(error, again) {
  const shown = h("div", { class: "list-state", role: "alert" }, icon("cloud"), h("p", {}, say(error)),
    h("button", { class: "button", type: "button", onclick: again }, icon("again"), t("error.again")));
  retryOnReconnect(shown, again);
  return shown;
}

export function metres(value) {
  return value < 1000 ? `${value}m` : `${value / 1000}km`;
}
