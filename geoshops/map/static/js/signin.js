// Sign-in at the identity provider: authorization code with PKCE. The service draws state, nonce and
// verifier; they wait in this tab, and a code that comes back with another state is not used.
import { get } from "./api.js";
import { openDialog } from "./dialog.js";
import { h } from "./dom.js";
import { begin, end } from "./idle.js";
import { t } from "./i18n.js";
import { say } from "./parts.js";
import { toast } from "./toast.js";
import { tokens } from "./tokens.js";

const KEPT = "signin";
const home = () => `${location.origin}/`;

export async function signIn() {
  try {
    const { authorize_url, state, nonce, code_verifier } = await get("/auth/authorize", { redirect_uri: home() });
    sessionStorage.setItem(KEPT, JSON.stringify({ state, nonce, code_verifier, back: location.search }));
    location.assign(authorize_url);
  } catch (error) {
    toast(say(error));
  }
}

export function signInButton() {
  return h("button", { class: "button primary wide", type: "button", onclick: signIn }, t("signin.go"));
}

export function askToSignIn() {
  openDialog(t("signin"), h("p", {}, t("signin.why")), signInButton());
}

// Takes the provider's answer out of the address before anything else reads it.
export function takeAnswer() {
  const query = new URLSearchParams(location.search);
  if (!query.has("state") || !(query.has("code") || query.has("error"))) return null;
  const kept = JSON.parse(sessionStorage.getItem(KEPT) ?? "null");
  sessionStorage.removeItem(KEPT);
  history.replaceState(null, "", location.pathname + (kept?.back ?? ""));
  return { code: query.get("code"), state: query.get("state"), kept };
}

export async function finishSignIn(answer) {
  if (!answer) return;
  const { code, state, kept } = answer;
  if (!kept || kept.state !== state) return toast(t("signin.mixed"));
  if (!code) return toast(t("signin.refused"));
  begin();
  try {
    const { nonce, code_verifier } = kept;
    tokens.keep(await get("/auth/login/idp", { code, state, nonce, code_verifier, redirect_uri: home() }));
  } catch (error) {
    toast(say(error));
  } finally {
    end();
  }
}
