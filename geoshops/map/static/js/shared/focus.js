// Moves the keyboard focus after a wait, unless the visitor has typed or moved it meanwhile.
export function focusLater() {
  const before = document.activeElement;
  let typed = false;
  document.addEventListener("input", () => { typed = true; }, { capture: true, once: true });
  return (element) => {
    const now = document.activeElement;
    if (!typed && (now === before || now === document.body)) element?.focus();
  };
}

// Whether the focus is inside the element, or lost with an element that was removed.
export const holdsFocus = (element) => document.activeElement === document.body || element.contains(document.activeElement);
