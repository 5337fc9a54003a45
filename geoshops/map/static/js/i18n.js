// Translations to Korean and English. The visitor's choice takes precedence over Accept-Language.
import { ko } from "./texts.ko.js";
import { en } from "./texts.en.js";
import { one } from "./dom.js";

const CATALOGUES = { ko, en };
const stored = localStorage.getItem("lang");
export const lang = stored in CATALOGUES ? stored : document.documentElement.lang === "ko" ? "ko" : "en";

export function t(key, values = {}) {
  // "{n} vote|{n} votes": singular, then plural.
  const [single, several = single] = (CATALOGUES[lang][key] ?? key).split("|");
  const text = String(values.n) === "1" ? single : several;
  return text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

const numbers = new Intl.NumberFormat(lang === "ko" ? "ko-KR" : "en-US");
export const number = (value) => numbers.format(value);

export function otherLanguage() {
  localStorage.setItem("lang", lang === "ko" ? "en" : "ko");
  location.reload();
}

export function translatePage() {
  document.documentElement.lang = lang;
  document.title = t("title");
  for (const element of document.querySelectorAll("[data-t]")) element.textContent = t(element.dataset.t);
  for (const element of document.querySelectorAll("[data-t-label]")) {
    element.setAttribute("aria-label", t(element.dataset.tLabel));
    if (element.matches("button")) element.title = t(element.dataset.tLabel);
  }
  one("#query").placeholder = t("search.placeholder");
}

// Formats the day of a date array ([year, month, day, ...] in the service's time zone).
export function day([year, month, date]) {
  const value = new Date(Date.UTC(year, month - 1, date));
  return value.toLocaleDateString(lang === "ko" ? "ko-KR" : "en-US", {
    year: "numeric", month: "short", day: "numeric", timeZone: "UTC",
  });
}
