// The paged reviews of the open shop, with tools for the member's own reviews.
import { call, remove } from "../shared/api.js";
import { confirmDialog } from "../shared/dialog.js";
import { draftName, readDraft } from "./drafts.js";
import { fill, h, icon } from "../shared/dom.js";
import { displayLang, number, t } from "../shared/i18n.js";
import { failure, say } from "../shared/parts.js";
import { reportButton } from "./report.js";
import { review } from "./review.js";
import { openReviewForm } from "./reviewform.js";
import { askToSignIn, onSignedIn } from "../member/signin.js";
import { state } from "../shared/state.js";
import { toast } from "../shared/toast.js";
import { tokens } from "../shared/tokens.js";

const SIZE = 10;
const SORTS = ["newest", "highest", "lowest"];
let sort = "newest";
let wanted_id = null;

const isMine = (entry) => entry.member_info.id === state.member?.id;

const tools = (entry, shop, changed) => (isMine(entry) ? ownTools(entry, shop, changed) : report(entry));

// Buttons to edit and delete the member's own review.
export function ownTools(entry, shop, changed) {
  const drop = async () => {
    if (!(await confirmDialog(t("review.delete"), t("review.delete.sure"), t("review.delete")))) return;
    try {
      await remove(`/reviews/${entry.review_info.id}`);
      toast(t("review.deleted"));
      changed();
    } catch (error) {
      toast(say(error));
    }
  };
  const edit = () => openReviewForm(shop, changed, entry.review_info);
  return h("span", { class: "tools" }, h("button", { class: "button small", type: "button", onclick: edit }, t("review.edit")),
    h("button", { class: "button small danger", type: "button", onclick: drop }, t("review.delete")));
}

function report({ review_info: { id }, member_info: { nickname } }) {
  return h("span", { class: "tools" }, reportButton("reviews", id, t("report"), t("report.review", { name: nickname })));
}

function order(redraw) {
  const select = h("select", { "aria-label": t("reviews.sort"), onchange: () => { sort = select.value; redraw(); } },
    SORTS.map((name) => h("option", { value: name, selected: name === sort }, t(`reviews.${name}`))));
  return select;
}

function write(shop, changed) {
  const label = h("span", {});
  const showLabel = () => { label.textContent = t(readDraft(draftName(shop.id)) ? "review.resume" : "review.write"); };
  const open = () => openReviewForm(shop, changed).addEventListener("close", showLabel);
  const start = () => (tokens.signedIn ? open() : askToSignIn({ review_of: shop.id }));
  showLabel();
  // The visitor wanted to write when asked to sign in; the draft belongs to the member, who must be known.
  if (wanted_id === shop.id && state.member) {
    wanted_id = null;
    queueMicrotask(open);
  }
  return h("button", { class: "button primary", type: "button", id: "write", onclick: start }, icon("edit"), label);
}

export function startReviews() {
  onSignedIn((wish) => { wanted_id = wish.review_of ?? null; });
}

// Resolves once the first page is shown.
export async function showReviews(section, shop, changed) {
  const list = h("ol", { class: "reviews" });
  const foot = h("div", {});
  const redraw = () => showReviews(section, shop, changed);
  fill(section, h("div", { class: "meta spread" }, h("h3", {}, t("reviews.count", { n: number(shop.review_cnt) })), shop.review_cnt > 1 && order(redraw)),
    shop.status !== "CLOSED" && write(shop, changed), list, foot);
  let page = 0;
  const next = async () => {
    fill(foot, h("div", { class: "skeleton", style: "height:64px" }));
    try {
      const { value, headers } = await call("GET", `/reviews/shop/${shop.id}`, { query: { page: page + 1, size: SIZE, sort, lang: displayLang } });
      page += 1;
      list.append(...value.map((entry) => review(entry, tools(entry, shop, changed), isMine(entry))));
      const rest = Number(headers.get("X-Total-Count") ?? 0) - page * SIZE;
      fill(foot, rest > 0 && h("button", { class: "button wide", type: "button", onclick: next }, t("reviews.more.n", { n: number(rest) })));
    } catch (error) {
      fill(foot, failure(error, next));
    }
  };
  if (shop.review_cnt) await next();
  else fill(foot, h("p", { class: "quiet" }, t("reviews.none")));
}
