// Access and refresh token, stored in localStorage and so shared between tabs.
const KEYS = { access: "access_token", refresh: "refresh_token" };
const changed = [];
const lost = [];
const notify = (listeners) => listeners.forEach((listener) => listener());

export const tokens = {
  get access() { return localStorage.getItem(KEYS.access); },
  get refresh() { return localStorage.getItem(KEYS.refresh); },
  keep(pair) {
    localStorage.setItem(KEYS.access, pair.access_token);
    localStorage.setItem(KEYS.refresh, pair.refresh_token);
    notify(changed);
  },
  renewed(access) { localStorage.setItem(KEYS.access, access); },
  clear() {
    localStorage.removeItem(KEYS.access);
    localStorage.removeItem(KEYS.refresh);
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

window.addEventListener("storage", (event) => {
  if (event.key === KEYS.refresh) notify(changed);
});
