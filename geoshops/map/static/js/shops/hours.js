// Opening hours of the shops in the list. Lists do not carry them, as they would slow down every radius search: once the
// list rests, the page asks for them.
import { get } from "../shared/api.js";
import { begin, end } from "../shared/idle.js";
import { started } from "../shared/started.js";
import { state, subscribe, update } from "../shared/state.js";

const REST_MS = 300;
const AT_ONCE = 100;
let running = new AbortController();

const rest = (signal) => new Promise((resolve) => {
  const timer = setTimeout(resolve, REST_MS);
  signal.addEventListener("abort", () => { clearTimeout(timer); resolve(); });
});

// Those of the last list stay until newer ones arrive.
async function ask(signal) {
  const ids = state.shops.map(({ id }) => id);
  for (let from = 0; from < ids.length && !signal.aborted; from += AT_ONCE) {
    const found = await get("/shops/hours", { id: ids.slice(from, from + AT_ONCE) }, signal);
    update({ hours: new Map([...(from ? state.hours : []), ...found.map((shop) => [shop.id, shop])]) });
  }
}

async function askLater() {
  running.abort();
  const { signal } = (running = new AbortController());
  if (state.status !== "ready") return;
  begin();
  try {
    await Promise.all([rest(signal), started]);
    await ask(signal);
  } catch {
    // The list is complete without.
  } finally {
    end();
  }
}

export function startHours() {
  subscribe(["status"], askLater);
}
