// The signed-in member: loaded at sign-in, cleared at sign-out.
import { get } from "./api.js";
import { one } from "./dom.js";
import { t } from "./i18n.js";
import { state, subscribe, update } from "./state.js";
import { toast } from "./toast.js";
import { tokens } from "./tokens.js";

export async function fetchMember() {
  update({ member: await get("/member/info") });
}

export async function loadMember() {
  if (!tokens.refresh) return update({ member: null });
  try {
    await fetchMember();
  } catch {
    // The page remains usable; opening the account loads the member again and shows the error.
  }
}

function label() {
  const button = one("#account");
  const text = state.member ? t("account.of", { name: state.member.nickname }) : t("account");
  button.setAttribute("aria-label", text);
  button.title = text;
  button.classList.toggle("signed-in", Boolean(state.member));
}

export function startMember() {
  subscribe(["member"], label);
  tokens.onChange(loadMember);
  tokens.onLost(() => toast(t("signin.over")));
  label();
  loadMember();
}
