// Modal dialogs. Escape, Back and a press of the backdrop close them.
import { h, icon } from "./dom.js";
import { t } from "./i18n.js";
import { openLayer } from "./layers.js";

let opened = 0;

// A press that began inside, such as a selection that is dragged out, ends on the backdrop without being meant for it;
// and text that was typed is not closed by accident.
function closeByBackdrop(dialog) {
  let began = null;
  const typed = () => [...dialog.querySelectorAll("textarea")].some((area) => area.value.trim());
  dialog.addEventListener("pointerdown", (event) => { began = event.target; });
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog && began === dialog && !typed()) dialog.close();
  });
}

export function openDialog(title, ...content) {
  const id = `dialog-title-${++opened}`;
  const dialog = h("dialog", { class: "dialog", "aria-labelledby": id },
    h("div", { class: "dialog-head" }, h("h2", { id, tabindex: "-1" }, title),
      h("button", { class: "icon-button", type: "button", "aria-label": t("close"), onclick: () => dialog.close() }, icon("close"))),
    h("div", { class: "dialog-body" }, content));
  closeByBackdrop(dialog);
  const closed = openLayer(() => dialog.close());
  dialog.addEventListener("close", () => { closed(); dialog.remove(); });
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
