// Sets data-idle on the document while no request or drawing is pending; tests and screenshots wait for it.
let pending = 0;
let round = 0;
let waiting = [];

// Resolves when the page is idle next.
export const idle = () => new Promise((resolve) => { waiting.push(resolve); });

export function begin() {
  pending += 1;
  delete document.documentElement.dataset.idle;
}

export function end() {
  pending -= 1;
  if (pending > 0) return;
  const mine = ++round;
  setTimeout(() => {
    if (pending !== 0 || mine !== round) return;
    document.documentElement.dataset.idle = String(mine);
    for (const resolve of waiting.splice(0)) resolve();
  }, 0);
}
