// The access token, in memory only; the refresh token is in a cookie that scripts cannot read. A mark in localStorage
// tells every tab whether somebody is signed in, and changes at each sign-in.
import { forgetMember } from "./offline.js";

const MARK = "signed_in";
const changed = [];
const lost = [];
const notify = (listeners) => listeners.forEach((listener) => listener());
let access = null;

export const tokens = {
  get access() { return access; },
  get signedIn() { return localStorage.getItem(MARK) !== null; },
  keep(token) {
    access = token;
    localStorage.setItem(MARK, String(Date.now()));
    forgetMember();
    notify(changed);
  },
  renewed(token) { access = token; },
  clear() {
    access = null;
    localStorage.removeItem(MARK);
    forgetMember();
    notify(changed);
  },
  // Called when the service rejects the refresh token.
  lose() {
    this.clear();
    notify(lost);
  },
  onChange(listener) { changed.push(listener); },
  onLost(listener) { lost.push(listener); },
};

// Another tab has signed in or out; the key is null when the browser has deleted everything.
window.addEventListener("storage", (event) => {
  if (event.key !== MARK && event.key !== null) return;
  access = null;
  notify(changed);
});
