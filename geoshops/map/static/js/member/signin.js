// Sign-in with authorization code and PKCE. The service generates state, nonce and verifier; they are stored in this
// tab, and a code with another state is rejected.
import { call, get } from "../shared/api.js";
import { openDialog } from "../shared/dialog.js";
import { h } from "../shared/dom.js";
import { begin, end } from "../shared/idle.js";
import { lang, t } from "../shared/i18n.js";
import { say } from "../shared/parts.js";
import { toast } from "../shared/toast.js";
import { tokens } from "../shared/tokens.js";

const KEPT = "signin";
const listeners = [];
const home = () => `${location.origin}/`;

// Listeners get what the visitor wanted to do when asked to sign in.
export const onSignedIn = (listener) => listeners.push(listener);

async function signIn(wish) {
  try {
    const { authorize_url, state, nonce, code_verifier } = await get("/auth/authorize", { redirect_uri: home() });
    sessionStorage.setItem(KEPT, JSON.stringify({ state, nonce, code_verifier, back: location.pathname + location.search, wish }));
    const url = new URL(authorize_url);
    url.searchParams.set("ui_locales", lang);
    location.assign(url);
  } catch (error) {
    toast(say(error));
  }
}

export function signInButton(wish = null) {
  return h("button", { class: "button primary wide", type: "button", onclick: () => signIn(wish) }, t("signin.go"));
}

export function askToSignIn(wish) {
  openDialog(t("signin"), h("p", {}, t("signin.why")), signInButton(wish));
}

// Reads the provider's response from the URL and removes it, before other code reads the URL.
export function takeCallback() {
  const query = new URLSearchParams(location.search);
  if (!query.has("state") || !(query.has("code") || query.has("error"))) return null;
  const kept = JSON.parse(sessionStorage.getItem(KEPT) ?? "null");
  sessionStorage.removeItem(KEPT);
  history.replaceState(null, "", kept?.back ?? location.pathname);
  return { code: query.get("code"), state: query.get("state"), kept };
}

export async function finishSignIn(callback) {
  if (!callback) return;
  const { code, state, kept } = callback;
  if (!kept || kept.state !== state) return toast(t("signin.mixed"));
  if (!code) return toast(t("signin.refused"));
  begin();
  try {
    const { nonce, code_verifier } = kept;
    const query = { code, state, nonce, code_verifier, redirect_uri: home() };
    tokens.keep((await call("GET", "/auth/login/idp", { query, byCookie: true })).value.access_token);
    for (const listener of kept.wish ? listeners : []) listener(kept.wish);
  } catch (error) {
    toast(say(error));
  } finally {
    end();
  }
}
