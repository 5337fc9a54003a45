// The signed-in member: loaded at sign-in, cleared at sign-out.
import { get } from "../shared/api.js";
import { one } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { state, subscribe, update } from "../shared/state.js";
import { toast } from "../shared/toast.js";
import { tokens } from "../shared/tokens.js";

export async function fetchMember() {
  update({ member: await get("/member/info") });
}

export async function loadMember() {
  if (!tokens.signedIn) return update({ member: null });
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
