// API client. It gets an access token before the first request of a member, and after a 401 response; that request is
// repeated once.
import { begin, end } from "./idle.js";
import { lang } from "./i18n.js";
import { tokens } from "./tokens.js";

const TIMEOUT_MS = 15000;

class ApiError extends Error {
  constructor(status, code, message) {
    super(message);
    Object.assign(this, { status, code });
  }
}

let renewal = null;

async function send(method, path, { query = {}, body, key, signal, bearer = tokens.access, byCookie } = {}) {
  const url = new URL(path, location.origin);
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value].flat()) {
      if (one !== null && one !== undefined && one !== "" && one !== false) url.searchParams.append(name, one);
    }
  }
  const headers = { Accept: "application/json", "Accept-Language": lang };
  if (bearer) headers.Authorization = `Bearer ${bearer}`;
  if (body) headers["Content-Type"] = "application/json";
  if (key) headers["Idempotency-Key"] = key;
  if (byCookie) headers["X-Token-Storage"] = "cookie";
  const limits = [AbortSignal.timeout(TIMEOUT_MS), signal].filter(Boolean);
  // A member's request must not get the list that the page preloads for everybody.
  const credentials = bearer ? "include" : "same-origin";
  const options = { method, headers, credentials, signal: AbortSignal.any(limits), body: body && JSON.stringify(body) };
  try {
    return await fetch(url, options);
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError(0, error.name === "TimeoutError" ? "timeout" : "offline", "");
  }
}

async function renew() {
  const response = await send("POST", "/auth/token", { bearer: null, byCookie: true });
  if (response.ok) tokens.renewed((await response.json()).access_token);
  else if (response.status === 401) tokens.lose();
  else await parse(response); // throws this error: repeating the request would only return 401 again
}

// Concurrent requests share one refresh.
function renewOnce() {
  renewal ??= renew().finally(() => { renewal = null; });
  return renewal;
}

// Without a network the service worker may still know the response.
async function renewUnlessOffline() {
  try {
    await renewOnce();
  } catch (error) {
    if (error.status !== 0) throw error;
  }
}

async function parse(response) {
  const text = await response.text();
  let value = null;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ApiError(response.status, "invalid", "");
  }
  if (!response.ok) throw new ApiError(response.status, value?.error_code, value?.error_message);
  return { value, headers: response.headers };
}

export async function call(method, path, options = {}) {
  begin();
  try {
    if (tokens.signedIn && !tokens.access && !options.byCookie) await renewUnlessOffline();
    let response = await send(method, path, options);
    if (response.status === 401 && tokens.signedIn) {
      await renewOnce();
      response = await send(method, path, options);
    }
    return await parse(response);
  } finally {
    end();
  }
}

const value = async (...request) => (await call(...request)).value;
export const get = (path, query, signal) => value("GET", path, { query, signal });
export const post = (path, body, key) => value("POST", path, { body, key });
export const patch = (path, body) => value("PATCH", path, { body });
export const remove = (path, query) => value("DELETE", path, { query });
