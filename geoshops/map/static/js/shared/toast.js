// Short notifications.
import { h, one } from "./dom.js";

const DURATION_MS = 6000;
// More would cover what the visitor goes on with; a title is often won together with what earned it.
const MOST = 2;

export function toast(text, { image } = {}) {
  const element = h("div", { class: "toast" },
    image && h("img", { src: image, alt: "", width: "40", height: "40" }), h("span", {}, text));
  // A modal dialog makes everything outside it inert, so toasts are added to the dialog.
  const open = [...document.querySelectorAll("dialog[open]")].at(-1);
  const box = open ? one(".toasts", open) ?? open.appendChild(h("div", { class: "toasts", role: "status" })) : one("#toasts");
  box.append(element);
  while (box.childElementCount > MOST) box.firstElementChild.remove();
  setTimeout(() => element.remove(), DURATION_MS);
}
