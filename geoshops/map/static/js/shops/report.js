// Reports of reviews and shops to the moderators.
import { post } from "../shared/api.js";
import { openDialog } from "../shared/dialog.js";
import { h, one } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { say } from "../shared/parts.js";
import { askToSignIn } from "../member/signin.js";
import { toast } from "../shared/toast.js";
import { tokens } from "../shared/tokens.js";

const REASONS = {
  reviews: ["SPAM", "ABUSE", "PRIVACY", "FALSE", "OTHER"],
  shops: ["CLOSED", "POSITION", "DUPLICATE", "FALSE", "OTHER"],
};
const MAX_CONTENT = 1000;

function field(id, label, control) {
  control.id = id;
  return h("div", { class: "field" }, h("label", { for: id }, label), control);
}

function openReport(kind, id, title) {
  const problem = h("p", { class: "notice bad", role: "alert", hidden: true });
  const send = h("button", { class: "button primary", type: "submit" }, t("report.send"));
  const reason = h("select", {}, REASONS[kind].map((value) => h("option", { value }, t(`report.${kind}.${value}`))));
  const words = h("textarea", { maxLength: MAX_CONTENT });
  const submit = async (event) => {
    event.preventDefault();
    send.disabled = true;
    const body = { reason: reason.value, content: words.value.replaceAll("\r\n", "\n") };
    const wrong = await post(`/${kind}/${id}/reports`, body).then(() => null, say);
    send.disabled = false;
    problem.hidden = !wrong;
    problem.textContent = wrong ?? "";
    if (wrong) return;
    dialog.close();
    toast(t("report.done"));
  };
  const form = h("form", { class: "review-form", onsubmit: submit }, field("report-reason", t("report.reason"), reason),
    field("report-words", t("report.words"), words), problem, h("div", { class: "actions" }, send));
  const dialog = openDialog(title, form);
  one("select", form).focus();
}

// The visible label is short; screen readers get the whole title.
export function reportButton(kind, id, word, title) {
  const start = () => (tokens.signedIn ? openReport(kind, id, title) : askToSignIn(null));
  return h("button", { class: "button small report", type: "button", "aria-label": title, onclick: start }, word);
}
