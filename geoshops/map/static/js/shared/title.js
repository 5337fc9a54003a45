// The document's title follows what is shown, and so does the canonical URL, which browsers offer to share.
import { one } from "./dom.js";
import { t } from "./i18n.js";
import { placeName } from "./parts.js";
import { state, subscribe } from "./state.js";
import { shopPath } from "./url.js";

const canonical = one("link[rel=canonical]");
// A language that the request's URL named, if the page has it, is part of the canonical URL.
const language = new URL(canonical.href).search;

function name() {
  const { shop, query } = state;
  if (shop) document.title = t("title.shop", { name: placeName(shop) });
  else document.title = query ? t("title.query", { query }) : t("title");
  canonical.href = new URL((shop ? shopPath(shop.id) : "/") + language, canonical.href).href;
}

export function startTitle() {
  subscribe(["shop", "query"], name);
  // a shop's page has its title already
  if (state.shop_id === null) name();
}
