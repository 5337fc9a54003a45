// Runs a function once the visitor has stopped typing.
import { begin, end } from "./idle.js";

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
