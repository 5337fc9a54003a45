// Light or dark theme: the visitor's choice, otherwise the system's.
import { one } from "./dom.js";
import { t } from "./i18n.js";
import { update } from "./state.js";

const dark = matchMedia("(prefers-color-scheme: dark)");

export const theme = () => localStorage.getItem("theme") ?? (dark.matches ? "dark" : "light");

function apply() {
  document.documentElement.dataset.theme = theme();
  const label = t(theme() === "dark" ? "theme.light" : "theme.dark");
  one("#theme").setAttribute("aria-label", label);
  one("#theme").title = label;
  update({ theme: theme() });
}

export function switchTheme() {
  localStorage.setItem("theme", theme() === "dark" ? "light" : "dark");
  apply();
}

export function startTheme() {
  dark.addEventListener("change", apply);
  one("#theme").addEventListener("click", switchTheme);
  apply();
}
