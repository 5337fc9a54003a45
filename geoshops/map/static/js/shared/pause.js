// Pauses: of the visitor, once typing has stopped, and of the browser.
import { begin, end } from "./idle.js";

const IDLE_MS = 300;

// Resolves once the browser has nothing else to do.
export const pause = () => new Promise((resolve) => { (globalThis.requestIdleCallback ?? setTimeout)(resolve, { timeout: IDLE_MS }); });

// Begins a new task. Where the browser can yield, it comes before other work that waits.
export const nextTask = () => globalThis.scheduler?.yield?.() ?? new Promise((resolve) => { setTimeout(resolve); });

export function afterPause(run, wait_ms) {
  let timer = null;
  const cancel = () => {
    if (timer === null) return;
    clearTimeout(timer);
    timer = null;
    end();
  };
  const restart = () => {
    cancel();
    begin();
    timer = setTimeout(() => { run(); cancel(); }, wait_ms);
  };
  return { restart, cancel };
}
