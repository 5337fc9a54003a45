// The page's texts. The service chooses the language (the visitor's cookie, else the browser's) and puts its texts into
// the page.
import { h, one } from "./dom.js";

export const lang = document.documentElement.lang;
// What the service's `lang` is asked for: without it responses are Korean and cost less.
export const displayLang = lang === "ko" ? null : lang;
const texts = JSON.parse(one("#texts").textContent);
const YEAR_S = 31536000;

export function t(key, values = {}) {
  // "{n} vote|{n} votes": singular, then plural.
  const [single, several = single] = (texts[key] ?? key).split("|");
  const text = String(values.n) === "1" ? single : several;
  return text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

// A title in the visitor's language; the service names titles in Korean.
export const shopTitle = (name) => texts[`shop_title.${name}`] ?? name;
export const memberTitle = (name) => texts[`member_title.${name}`] ?? name;

// What a member's title says: "content" once it is held, "standard" before.
export const aboutTitle = (title, part) => texts[`member_title.${title.name}.${part}`] ?? title[part];

const numbers = new Intl.NumberFormat(lang);
export const number = (value) => numbers.format(value);

function speak(language) {
  document.cookie = `lang=${language}; Path=/; Max-Age=${YEAR_S}; SameSite=Lax`;
  const url = new URL(location.href);
  url.searchParams.delete("lang");
  // Reading the cookie back waits until the browser has stored it; else the request might overtake it. Where cookies are
  // blocked, the URL names the language.
  if (!document.cookie.split("; ").includes(`lang=${language}`)) url.searchParams.set("lang", language);
  location.replace(url);
}

function wire(select) {
  select.addEventListener("change", () => speak(select.value));
  return select;
}

export function startLanguage() {
  // A reload would restore what was chosen in the select.
  one("#language").value = lang;
  wire(one("#language"));
}

// A copy of the header's language menu, which phones have in the account dialog.
export function languageMenu() {
  const options = [...one("#language").options].map(({ value, text }) => h("option", { value, lang: value, selected: value === lang }, text));
  return wire(h("select", { class: "language", "aria-label": t("language") }, options));
}

// Formats the day of a date array ([year, month, day, ...] in the service's time zone).
export function day([year, month, date]) {
  const value = new Date(Date.UTC(year, month - 1, date));
  return value.toLocaleDateString(lang, { year: "numeric", month: "short", day: "numeric", timeZone: "UTC" });
}
