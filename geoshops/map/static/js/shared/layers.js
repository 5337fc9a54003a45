// Layers over the page, such as dialogs, have a history entry each, so that Back closes the topmost one. The entry of a
// layer that was closed otherwise is spare: the next entry takes its place, and Back skips it.
const open = [];
const isOpen = (id) => open.some((layer) => layer.id === id);
const isSpare = () => Boolean(history.state?.spare) || (history.state?.layer !== undefined && !isOpen(history.state.layer));
let spare = isSpare();

export function pushEntry(mark, url) {
  history[spare ? "replaceState" : "pushState"](mark, "", url);
  spare = false;
}

export const replaceEntry = (url) => history.replaceState(history.state, "", url);

// Closes the sheet of the current entry; if the sheet was opened there, the entry below shows the same view.
export function leaveSheet(url) {
  spare = Boolean(history.state?.sheet);
  history.replaceState(spare ? { spare } : null, "", url);
}

// Returns what to call once the layer is closed.
export function openLayer(close) {
  const layer = { id: crypto.randomUUID(), close };
  open.push(layer);
  pushEntry({ layer: layer.id }, location.href);
  return () => {
    if (!isOpen(layer.id)) return;
    open.splice(open.indexOf(layer), 1);
    if (history.state?.layer === layer.id) spare = true;
  };
}

// To call on popstate; false if the entry shows another view.
export function closedByBack() {
  const left_spare = spare;
  spare = isSpare();
  const top = open.at(-1);
  if (left_spare) history.back();
  // The entry may be of the sheet above the layer.
  else if (top && top.id !== history.state?.layer) open.pop().close();
  else return false;
  return true;
}
