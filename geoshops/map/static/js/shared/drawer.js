// A panel at the lower edge of a phone: dragged by its handle between three heights, or set to one by its button and the
// arrow keys. The style sheet has the heights.
import { t } from "./i18n.js";

const POSITIONS = ["peek", "half", "full"];
const DRAG_PX = 6;
// How far a flick carries the panel on.
const CARRY_MS = 120;

const isShown = (element) => element.offsetParent !== null;

// `texts` is the prefix of what the button says; `turned` is called at once, `moved` when the panel has its new height.
export function drawer({ panel, grip, handle, texts, turned = () => {}, moved = () => {} }) {
  const place = () => POSITIONS.indexOf(panel.dataset.position);

  async function set(position) {
    const before = panel.dataset.position;
    panel.dataset.position = POSITIONS[position];
    const next = t(`${texts}.${POSITIONS[(position + 1) % POSITIONS.length]}`);
    grip.setAttribute("aria-label", next);
    grip.title = next;
    turned(panel.dataset.position);
    // At first nothing is in motion; looking for it would lay out the page.
    if (before) await Promise.allSettled(panel.getAnimations().map(({ finished }) => finished));
    moved(panel.dataset.position);
  }

  function heights() {
    const before = panel.dataset.position;
    const measured = POSITIONS.map((position) => { panel.dataset.position = position; return panel.offsetHeight; });
    panel.dataset.position = before;
    return measured;
  }

  let drag = null;
  let dragged = false;

  function begin(event) {
    if (!isShown(grip) || !event.isPrimary || event.button) return;
    drag = { y: event.clientY, height: panel.offsetHeight, last: event, speed: 0 };
    dragged = false;
  }

  function move(event) {
    if (!drag) return;
    if (!dragged && Math.abs(event.clientY - drag.y) < DRAG_PX) return;
    if (!dragged) handle.setPointerCapture(event.pointerId);
    dragged = true;
    drag.speed = (drag.last.clientY - event.clientY) / Math.max(1, event.timeStamp - drag.last.timeStamp);
    drag.last = event;
    panel.classList.add("dragged");
    panel.style.height = `${drag.height + drag.y - event.clientY}px`;
  }

  function end() {
    if (drag && dragged) {
      const height = panel.offsetHeight + drag.speed * CARRY_MS;
      panel.style.height = "";
      const off = heights().map((at) => Math.abs(at - height));
      panel.classList.remove("dragged");
      set(off.indexOf(Math.min(...off)));
    }
    drag = null;
  }

  function arrows(event) {
    const step = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    set(Math.max(0, Math.min(POSITIONS.length - 1, place() + step)));
  }

  handle.addEventListener("pointerdown", begin);
  handle.addEventListener("pointermove", move);
  handle.addEventListener("pointerup", end);
  handle.addEventListener("pointercancel", end);
  // The end of a drag that began on the button is a click, too.
  handle.addEventListener("click", (event) => { if (dragged) { event.preventDefault(); event.stopPropagation(); } dragged = false; }, true);
  grip.addEventListener("click", () => set((place() + 1) % POSITIONS.length));
  grip.addEventListener("keydown", arrows);
  return { set: (position) => set(POSITIONS.indexOf(position)) };
}
