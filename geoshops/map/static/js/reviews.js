// Reviews of the open shop, newest first, page by page.
import { call } from "./api.js";
import { fill, h, icon } from "./dom.js";
import { day, number, t } from "./i18n.js";
import { failure } from "./parts.js";
import { FACETS } from "./shopfacts.js";

const SIZE = 10;

export function stars(n) {
  return h("span", { class: "stars" }, h("span", { class: "visually-hidden" }, t("stars", { n })),
    [1, 2, 3, 4, 5].map((i) => { const star = icon("star", true); if (i > n) star.classList.add("off"); return star; }));
}

function votes(info) {
  const chosen = FACETS.filter((facet) => info[facet] !== "UNSELECTED");
  return chosen.map((facet) => h("span", { class: info[facet] === "GOOD" ? "tag good" : "tag bad" }, t(`${facet}.${info[facet]}`)));
}

export function review({ review_info: info, member_info: author }, tools) {
  const edited = info.modify_date.join() !== info.create_date.join();
  return h("li", { class: "review" },
    h("div", { class: "meta" }, h("strong", {}, author.nickname),
      author.main_member_title && h("span", { class: "tag" }, author.main_member_title), h("span", { class: "spacer" }), tools),
    h("div", { class: "meta" }, stars(info.star_rating), h("span", { class: "quiet" }, day(info.create_date)),
      edited && h("span", { class: "quiet" }, t("edited"))),
    h("p", { class: "content" }, info.content), h("div", { class: "tags" }, votes(info)));
}

export function startReviews(section, shop) {
  const list = h("ol", { class: "reviews" });
  const foot = h("div", {});
  fill(section, h("div", { class: "meta" }, h("h3", {}, t("reviews.count", { n: number(shop.review_cnt) }))), list, foot);
  let page = 0;
  const next = async () => {
    fill(foot, h("div", { class: "skeleton", style: "height:60px" }));
    try {
      const { value, headers } = await call("GET", `/reviews/shop/${shop.id}`, { query: { page: page + 1, size: SIZE } });
      page += 1;
      list.append(...value.map((one) => review(one)));
      const rest = Number(headers.get("X-Total-Count") ?? 0) - page * SIZE;
      fill(foot, rest > 0 && h("button", { class: "button", type: "button", onclick: next }, t("reviews.more")));
    } catch (error) {
      fill(foot, failure(error, next));
    }
  };
  if (shop.review_cnt) next();
}
