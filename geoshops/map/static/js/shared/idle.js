// Sets data-idle on the document while no request or drawing is pending; tests and screenshots wait for it.
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
