// The form to write or edit a review.
import { patch, post } from "../shared/api.js";
import { confirmDialog, openDialog } from "../shared/dialog.js";
import { fill, h, icon, one } from "../shared/dom.js";
import { number, t } from "../shared/i18n.js";
import { placeName, say } from "../shared/parts.js";
import { draftName, dropDraft, keepDraft, readDraft } from "./drafts.js";
import { FACETS } from "./shopfacts.js";
import { signInButton } from "../member/signin.js";
import { showNewTitles } from "../member/titles.js";
import { state } from "../shared/state.js";
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

function fields(values) {
  return [starField(values.star_rating), contentField(values.content ?? ""),
    h("div", { class: "facet-fields" }, FACETS.map((facet) => facetField(facet, values[facet] ?? "UNSELECTED")))];
}

// The same text keeps its Idempotency-Key, also after a reload, so that retrying after a lost response does not create
// two reviews.
function sender(shop, old, last) {
  return (body) => {
    if (old) return patch(`/reviews/${old.id}`, body);
    const sent = JSON.stringify(body);
    if (sent !== last.sent) Object.assign(last, { sent, key: crypto.randomUUID() });
    return post(`/reviews/shop/${shop.id}`, body, last.key);
  };
}

// The draft of the form, with the line that reports that it is saved and has the button to discard it.
function draftOf(name, { values, clear }) {
  const kept = readDraft(name);
  const last = { sent: kept?.sent, key: kept?.key };
  const note = h("span", { class: "quiet", role: "status" });
  const show = (key) => { line.hidden = !key; note.textContent = key ? t(key) : ""; };
  const drop = () => dropDraft(name);
  const discard = async () => {
    if (!(await confirmDialog(t("form.draft.discard"), t("form.draft.sure"), t("form.draft.discard")))) return;
    drop();
    clear();
    show(null);
    toast(t("form.draft.discarded"));
  };
  const line = h("div", { class: "draft" }, note, h("button", { class: "button small", type: "button", onclick: discard }, t("form.draft.discard")));
  show(kept && "form.draft.restored");
  const keep = () => { keepDraft(name, { ...values(), ...last }); show("form.draft.kept"); };
  return { kept, last, line, keep, drop };
}

// Shows an error message; if the session has ended, with the sign-in button.
function complain(problem, error, wish) {
  const again = error.status === 401 && !state.member;
  problem.hidden = false;
  fill(problem, h("p", {}, again ? t("form.signin") : say(error)), again && signInButton(wish));
  problem.scrollIntoView({ block: "center" });
}

export function openReviewForm(shop, changed, old = null) {
  const draft = draftOf(draftName(shop.id, old?.id), { values: () => read(form), clear: () => fill(inputs, fields(old ?? {})) });
  const send = sender(shop, old, draft.last);
  const problem = h("div", { class: "notice bad", role: "alert", hidden: true });
  const save = h("button", { class: "button primary", type: "submit" }, t("form.save"));
  const inputs = h("div", { class: "review-form" }, fields(draft.kept ?? old ?? {}));
  const fail = (error) => complain(problem, error, old ? null : { review_of: shop.id });
  const finish = ({ review_info, awarded_titles }) => {
    draft.drop();
    dialog.close();
    toast(t(old ? "review.changed" : "review.written"));
    showNewTitles(awarded_titles);
    changed(review_info.id);
  };
  const submit = async (event) => {
    event.preventDefault();
    const wrong = validate(read(form));
    if (wrong) return fail({ message: wrong });
    save.disabled = true;
    problem.hidden = true;
    const request = send(read(form));
    // With the key of the request.
    draft.keep();
    await request.then(finish, fail);
    save.disabled = false;
    return undefined;
  };
  const form = h("form", { class: "review-form", noValidate: true, onsubmit: submit, oninput: draft.keep },
    inputs, draft.line, problem, h("div", { class: "actions" }, save));
  const dialog = openDialog(t(old ? "review.edit.title" : "review.write.title", { name: placeName(shop) }), form);
  one(old || draft.kept ? "textarea" : "#star-1", form).focus();
  return dialog;
}
