// Displays a review.
import { h, icon } from "../shared/dom.js";
import { day, memberTitle, t } from "../shared/i18n.js";
import { FACETS } from "./shopfacts.js";

// Nobody states the language of a review; Korean must break between words on a page in Chinese too.
const language = (text) => /\p{Script=Hangul}/u.test(text) && "ko";

export function stars(n) {
  const star = (i) => {
    const drawn = icon("star", true);
    drawn.classList.toggle("off", i > n);
    return drawn;
  };
  return h("span", { class: "stars" }, h("span", { class: "visually-hidden" }, t("stars", { n })), [1, 2, 3, 4, 5].map(star));
}

function votes(info) {
  const chosen = FACETS.filter((facet) => info[facet] !== "UNSELECTED");
  const tag = (facet) => h("span", { class: info[facet] === "GOOD" ? "tag good" : "tag bad" }, t(`${facet}.${info[facet]}`));
  return chosen.length ? h("div", { class: "tags" }, chosen.map(tag)) : null;
}

export function review({ review_info: info, member_info: author }, tools = null, mine = false) {
  const edited = info.modify_date.join() !== info.create_date.join();
  return h("li", { class: mine ? "review mine" : "review", id: `review-${info.id}` },
    h("div", { class: "meta" }, h("strong", {}, author.nickname),
      author.main_member_title && h("span", { class: "tag" }, memberTitle(author.main_member_title)), tools),
    h("div", { class: "meta" }, stars(info.star_rating), h("span", { class: "quiet" }, day(info.create_date)),
      edited && h("span", { class: "quiet" }, t("edited"))),
    h("p", { class: "content", lang: language(info.content) }, info.content), votes(info));
}
