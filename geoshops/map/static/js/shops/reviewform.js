// The form to write or edit a review.
import { patch, post } from "../shared/api.js";
import { openDialog } from "../shared/dialog.js";
import { h, icon, one } from "../shared/dom.js";
import { number, t } from "../shared/i18n.js";
import { placeName, say } from "../shared/parts.js";
import { FACETS } from "./shopfacts.js";
import { showNewTitles } from "../member/titles.js";
import { toast } from "../shared/toast.js";

const MAX_CONTENT = 4000;
const VOTES = ["GOOD", "BAD", "UNSELECTED"];

function starField(rating) {
  const star = (n) => [
    h("input", { type: "radio", name: "star_rating", value: String(n), id: `star-${n}`, checked: n === rating, required: true }),
    h("label", { for: `star-${n}` }, icon("star", true), h("span", { class: "visually-hidden" }, t("stars", { n })))];
  return h("fieldset", {}, h("legend", {}, t("form.stars")), h("div", { class: "star-field" }, [1, 2, 3, 4, 5].map(star)));
}

function facetField(facet, chosen) {
  const vote = (value) => [
    h("input", { type: "radio", name: facet, value, id: `${facet}-${value}`, checked: value === chosen }),
    h("label", { for: `${facet}-${value}` }, t(`vote.${value}`))];
  return h("fieldset", {}, h("legend", {}, t(`facet.${facet}`)), h("div", { class: "segments" }, VOTES.map(vote)));
}

function contentField(content) {
  const count = h("span", { class: "quiet", id: "content-count" });
  const area = h("textarea", { id: "content", name: "content", required: true, "aria-describedby": "content-count", placeholder: t("form.hint") });
  const showCount = () => { count.textContent = `${number([...area.value].length)} / ${number(MAX_CONTENT)}`; };
  area.value = content;
  area.addEventListener("input", showCount);
  showCount();
  return h("div", { class: "field" }, h("label", { for: "content" }, t("form.content")), area, count);
}

function read(form) {
  const data = new FormData(form);
  const votes = Object.fromEntries(FACETS.map((facet) => [facet, data.get(facet)]));
  return { star_rating: Number(data.get("star_rating")), content: data.get("content").replaceAll("\r\n", "\n"), ...votes };
}

function validate({ star_rating, content }) {
  if (!star_rating) return t("form.no.stars");
  if (!content.trim()) return t("form.no.content");
  return [...content].length > MAX_CONTENT ? t("form.long", { n: number(MAX_CONTENT) }) : null;
}

// The same text keeps its Idempotency-Key, so that retrying after a lost response does not create two reviews.
function sender(shop, old) {
  let sent = "";
  let key = "";
  return (body) => {
    if (old) return patch(`/reviews/${old.id}`, body);
    if (JSON.stringify(body) !== sent) key = crypto.randomUUID();
    sent = JSON.stringify(body);
    return post(`/reviews/shop/${shop.id}`, body, key);
  };
}

export function openReviewForm(shop, changed, old = null) {
  const send = sender(shop, old);
  const problem = h("p", { class: "notice bad", role: "alert", hidden: true });
  const save = h("button", { class: "button primary", type: "submit" }, t("form.save"));
  const submit = async (event) => {
    event.preventDefault();
    const body = read(form);
    let wrong = validate(body);
    save.disabled = true;
    if (!wrong) wrong = await send(body).then((done) => finish(done), say);
    save.disabled = false;
    problem.hidden = !wrong;
    problem.textContent = wrong ?? "";
  };
  const finish = ({ awarded_titles }) => {
    dialog.close();
    toast(t(old ? "review.changed" : "review.written"));
    showNewTitles(awarded_titles);
    changed();
  };
  const form = h("form", { class: "review-form", noValidate: true, onsubmit: submit }, starField(old?.star_rating),
    contentField(old?.content ?? ""), h("div", { class: "facet-fields" }, FACETS.map((facet) => facetField(facet, old?.[facet] ?? "UNSELECTED"))),
    problem, h("div", { class: "actions" }, save));
  const dialog = openDialog(t(old ? "review.edit.title" : "review.write.title", { name: placeName(shop) }), form);
  one(old ? "textarea" : "#star-1", form).focus();
}
