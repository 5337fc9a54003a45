// Short messages that need no answer, read out politely by screen readers.
import { h, one } from "./dom.js";

const STAYS_MS = 5000;

export function toast(text, action) {
  const element = h("div", { class: "toast" }, h("span", {}, text),
    action && h("button", { class: "button small", type: "button", onclick: action.run }, action.label));
  one("#toasts").append(element);
  setTimeout(() => element.remove(), STAYS_MS);
}
