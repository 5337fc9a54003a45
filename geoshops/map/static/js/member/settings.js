// Nickname, sessions on other devices, sign-out and withdrawal.
import { call, get, patch, remove } from "../shared/api.js";
import { openDialog } from "../shared/dialog.js";
import { fill, h, keepPlace } from "../shared/dom.js";
import { day, t } from "../shared/i18n.js";
import { failure, say } from "../shared/parts.js";
import { afterPause } from "../shared/pause.js";
import { dropDraftsOf } from "../shops/drafts.js";
import { state, update } from "../shared/state.js";
import { toast } from "../shared/toast.js";
import { tokens } from "../shared/tokens.js";

const WAIT_MS = 250;

function nicknameForm() {
  const input = h("input", { id: "nickname", name: "nickname", maxlength: "40", autocomplete: "nickname", "aria-describedby": "nickname-note", value: state.member.nickname });
  const note = h("p", { class: "quiet", id: "nickname-note", role: "status" }, t("nickname.rule"));
  const showNote = (text, bad = false) => { note.textContent = text; input.setAttribute("aria-invalid", String(bad)); };
  let running = null;
  const check = async () => {
    running?.abort();
    const { signal } = (running = new AbortController());
    const nickname = input.value;
    if (!nickname.trim() || nickname === state.member?.nickname) return showNote(t("nickname.rule"));
    try {
      const free = await get("/member/nickname", { nickname }, signal);
      if (input.value === nickname) showNote(t(free ? "nickname.free" : "nickname.taken"), !free);
    } catch (error) {
      if (!signal.aborted && input.value === nickname) showNote(say(error), true);
    }
    return undefined;
  };
  const checking = afterPause(check, WAIT_MS);
  input.addEventListener("input", checking.restart);
  const submit = async (event) => {
    event.preventDefault();
    checking.cancel();
    running?.abort();
    try {
      update({ member: await patch("/member/nickname", { nickname: input.value }) });
      showNote(t("nickname.changed"));
    } catch (error) {
      showNote(say(error), true);
    }
  };
  return h("form", { class: "field", onsubmit: submit }, h("label", { for: "nickname" }, t("nickname")),
    h("div", { class: "inline" }, input, h("button", { class: "button", type: "submit" }, t("nickname.change"))), note);
}

// Shortens a user agent to browser and system.
function deviceName(agent) {
  const system = /iPhone|iPad|Android|Windows|Mac OS X|Linux/.exec(agent)?.[0] ?? "";
  const browser = /Edg|Firefox|SamsungBrowser|Chrome|Safari/.exec(agent)?.[0] ?? "";
  return [browser, system].filter(Boolean).join(" · ") || agent.slice(0, 40) || t("session.unknown");
}

async function showSessions(box) {
  const again = () => keepPlace(box, "button", () => showSessions(box));
  const endOne = (session) => async () => {
    await remove(`/auth/sessions/${session.id}`).catch((error) => toast(say(error)));
    again();
  };
  const line = (session) => h("li", {}, h("span", {}, deviceName(session.device)), h("span", { class: "quiet" }, day(session.last_used_date)),
    session.is_current ? h("span", { class: "tag good" }, t("session.this"))
      : h("button", { class: "button small", type: "button", onclick: endOne(session) }, t("session.end")));
  try {
    fill(box, h("ul", { class: "sessions" }, (await get("/auth/sessions")).map(line)));
  } catch (error) {
    fill(box, failure(error, again));
  }
}

async function signOut(everywhere) {
  try {
    await call("GET", "/auth/logout", { query: { all: everywhere } });
  } catch (error) {
    if (error.status !== 401) return toast(say(error));
  }
  tokens.clear();
  return toast(t("signout.done"));
}

function withdraw() {
  const reviews = h("input", { type: "checkbox", id: "delete-reviews" });
  const sure = h("input", { type: "checkbox", id: "withdraw-sure", onchange: () => { leave.disabled = !sure.checked; } });
  const go = async () => {
    leave.disabled = true;
    try {
      await remove("/member", { reviews: reviews.checked ? "delete" : null });
      dropDraftsOf(state.member);
      dialog.close();
      tokens.clear();
      toast(t("withdraw.done"));
    } catch (error) {
      leave.disabled = false;
      toast(say(error));
    }
  };
  const leave = h("button", { class: "button danger", type: "button", disabled: true, onclick: go }, t("withdraw.go"));
  const dialog = openDialog(t("withdraw"), h("div", { class: "notice bad" }, h("p", {}, t("withdraw.warning")), h("p", {}, t("withdraw.reviews"))),
    h("label", { class: "check" }, reviews, t("withdraw.delete.reviews")), h("label", { class: "check" }, sure, t("withdraw.sure")),
    h("div", { class: "actions" }, h("button", { class: "button", type: "button", onclick: () => dialog.close() }, t("cancel")), leave));
}

export async function showSettings(box) {
  const sessions = h("div", {}, h("div", { class: "skeleton", style: "height:44px" }));
  const act = (key, run, kind = "") => h("button", { class: `button ${kind}`, type: "button", onclick: run }, t(key));
  fill(box, nicknameForm(), h("section", { class: "field" }, h("h3", {}, t("sessions")), sessions),
    h("div", { class: "actions" }, act("signout", () => signOut(false)), act("signout.all", () => signOut(true))),
    h("div", { class: "apart" }, act("withdraw", withdraw, "danger")));
  await showSessions(sessions);
}
