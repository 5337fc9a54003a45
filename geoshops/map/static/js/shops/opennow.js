// Which shops of the list are open now. Lists do not carry it, as it would slow down every radius search: once the list
// rests, the page repeats the search with the filter.
import { call } from "../shared/api.js";
import { begin, end } from "../shared/idle.js";
import { state, subscribe, update } from "../shared/state.js";
import { buildRequest } from "./search.js";

const REST_MS = 300;
let running = new AbortController();

const rest = (signal) => new Promise((resolve) => {
  const timer = setTimeout(resolve, REST_MS);
  signal.addEventListener("abort", () => { clearTimeout(timer); resolve(); });
});

const idsOf = (shops) => new Set(shops.map(({ id }) => id));

async function ask() {
  running.abort();
  const { signal } = (running = new AbortController());
  if (state.status !== "ready" || !state.shops.length) return;
  if (state.filters.openNow) return update({ open_ids: idsOf(state.shops) });
  begin();
  try {
    await rest(signal);
    if (signal.aborted) return;
    const [method, path, options] = buildRequest();
    const { value } = await call(method, path, { ...options, query: { ...options.query, openNow: true }, signal });
    update({ open_ids: idsOf(value) });
  } catch {
    // The list is complete without.
  } finally {
    end();
  }
}

export function startOpenNow() {
  subscribe(["status"], ask);
}
