// The account dialog: titles, favorites, reviews and settings; for visitors the sign-in.
import { openDialog } from "../shared/dialog.js";
import { fill, h, one } from "../shared/dom.js";
import { languageMenu, memberTitle, t } from "../shared/i18n.js";
import { fetchMember } from "./member.js";
import { showOwnFavorites, showOwnReviews } from "./own.js";
import { say } from "../shared/parts.js";
import { showSettings } from "./settings.js";
import { signInButton } from "./signin.js";
import { state, subscribe } from "../shared/state.js";
import { switchTheme } from "../shared/theme.js";
import { showTitles } from "./titles.js";
import { toast } from "../shared/toast.js";
import { tokens } from "../shared/tokens.js";

const TABS = { titles: showTitles, favorites: showOwnFavorites, reviews: showOwnReviews, settings: showSettings };

function skeleton() {
  return [70, 90, 80].map((width) => h("div", { class: "skeleton", style: `height:52px;width:${width}%` }));
}

function appearance() {
  return h("div", { class: "actions" },
    languageMenu(),
    h("button", { class: "button", type: "button", onclick: switchTheme }, t("theme.switch")));
}

function tabs(body) {
  const names = Object.keys(TABS);
  const choose = (name, focus) => {
    for (const tab of row.children) {
      const chosen = tab.dataset.tab === name;
      tab.setAttribute("aria-selected", String(chosen));
      tab.tabIndex = chosen ? 0 : -1;
      if (chosen && focus) tab.focus();
    }
    body.setAttribute("aria-labelledby", `tab-${name}`);
    // A new box per tab, so that a late response cannot overwrite the next tab.
    const box = h("div", { class: "tab-content" }, skeleton());
    fill(body, box);
    TABS[name](box);
  };
  const arrows = (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const at = names.indexOf(one("[aria-selected=true]", row).dataset.tab);
    choose(names[(at + step + names.length) % names.length], true);
  };
  const row = h("div", { class: "tabs", role: "tablist", "aria-label": t("account"), onkeydown: arrows },
    names.map((name) => h("button", {
      class: "tab", type: "button", role: "tab", id: `tab-${name}`, "data-tab": name, "aria-controls": "tab-body",
      onclick: () => choose(name),
    }, t(`tab.${name}`))));
  choose(names[0]);
  return row;
}

function profile() {
  const { nickname, main_member_title: title, member_title_cnt: n } = state.member;
  return [h("strong", {}, nickname), title && h("span", { class: "tag" }, memberTitle(title)), h("span", { class: "quiet" }, t("title.held", { n }))];
}

// Loads the member if that failed when the page was opened.
async function currentMember() {
  if (!state.member && tokens.signedIn) await fetchMember();
  return state.member;
}

async function openAccount() {
  try {
    if (await currentMember()) return one("dialog.account") ?? openOwn(); // the button may have been pressed twice
  } catch (error) {
    return toast(say(error));
  }
  return openDialog(t("account"), h("p", {}, t("signin.why")), signInButton(), appearance());
}

function openOwn() {
  const body = h("div", { id: "tab-body", class: "tab-body", role: "tabpanel", tabindex: "0" });
  const head = h("div", { class: "meta profile", id: "profile" }, profile());
  const dialog = openDialog(t("account"), head, tabs(body), body, appearance());
  dialog.classList.add("account");
  return dialog;
}

export function startAccount() {
  one("#account").addEventListener("click", openAccount);
  subscribe(["member"], () => {
    const shown = one("#profile");
    if (shown && state.member) fill(shown, profile());
    if (shown && !state.member) shown.closest("dialog").close();
  });
}
