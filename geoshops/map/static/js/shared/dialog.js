// Modal dialogs. Escape and a click on the backdrop close them.
import { h, icon } from "./dom.js";
import { t } from "./i18n.js";

export function openDialog(title, ...content) {
  const dialog = h("dialog", { class: "dialog", "aria-labelledby": "dialog-title" },
    h("div", { class: "dialog-head" }, h("h2", { id: "dialog-title", tabindex: "-1" }, title),
      h("button", { class: "icon-button", type: "button", "aria-label": t("close"), onclick: () => dialog.close() }, icon("close"))),
    h("div", { class: "dialog-body" }, content));
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

export function confirmDialog(title, text, action) {
  return new Promise((resolve) => {
    const choose = (confirmed) => () => { resolve(confirmed); dialog.close(); };
    const dialog = openDialog(title, h("p", {}, text), h("div", { class: "actions" },
      h("button", { class: "button", type: "button", onclick: choose(false) }, t("cancel")),
      h("button", { class: "button danger", type: "button", onclick: choose(true) }, action)));
    dialog.addEventListener("close", () => resolve(false));
  });
}
