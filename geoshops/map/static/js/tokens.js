// The two tokens of a sign-in, kept over reloads and shared by the tabs of this browser.
const KEYS = { access: "access_token", refresh: "refresh_token" };
const changed = [];
const lost = [];
const tell = (listeners) => listeners.forEach((listener) => listener());

export const tokens = {
  get access() { return localStorage.getItem(KEYS.access); },
  get refresh() { return localStorage.getItem(KEYS.refresh); },
  keep(pair) {
    localStorage.setItem(KEYS.access, pair.access_token);
    localStorage.setItem(KEYS.refresh, pair.refresh_token);
    tell(changed);
  },
  renewed(access) { localStorage.setItem(KEYS.access, access); },
  clear() {
    localStorage.removeItem(KEYS.access);
    localStorage.removeItem(KEYS.refresh);
    tell(changed);
  },
  // The service no longer takes the refresh token.
  lose() {
    this.clear();
    tell(lost);
  },
  onChange(listener) { changed.push(listener); },
  onLost(listener) { lost.push(listener); },
};

window.addEventListener("storage", (event) => {
  if (event.key === KEYS.refresh) tell(changed);
});
