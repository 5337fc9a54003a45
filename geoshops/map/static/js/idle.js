// Marks the document with data-idle while nothing is on its way; tests and screenshots wait for it.
let pending = 0;
let round = 0;

export function begin() {
  pending += 1;
  delete document.documentElement.dataset.idle;
}

export function end() {
  pending -= 1;
  if (pending > 0) return;
  const mine = ++round;
  setTimeout(() => {
    if (pending === 0 && mine === round) document.documentElement.dataset.idle = String(mine);
  }, 0);
}
