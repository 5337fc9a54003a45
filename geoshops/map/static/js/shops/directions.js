// Links to a shop's route in map applications. Google has no walking routes in Korea: those that have come first, and
// Google gets the way by public transport.
import { h } from "../shared/dom.js";
import { number, t } from "../shared/i18n.js";

const DETOUR = 1.3;
const WALK_M_PER_MIN = 67;
const FAR_MIN = 90;
const FALLBACK_MS = 1500;
const agent = navigator.userAgent;
const isAndroid = /Android/.test(agent);
const isIphone = /iPhone|iPad|iPod/.test(agent);
const isApple = isIphone || /Macintosh/.test(agent);

// Walking minutes, estimated from the straight distance; null when nobody would walk.
function walkingMinutes(distance_m) {
  const minutes = Math.max(1, Math.round((distance_m * DETOUR) / WALK_M_PER_MIN));
  return distance_m === null || minutes > FAR_MIN ? null : minutes;
}

export function walk(shop) {
  const n = walkingMinutes(shop.distance_m);
  return n && h("span", { title: t("walk.how") }, t("walk", { n: number(n) }));
}

function naver({ latitude, longitude, place_name }) {
  const web = `https://map.naver.com/p/directions/-/${longitude},${latitude},${encodeURIComponent(place_name)},PLACE_POI/-/walk`;
  const query = new URLSearchParams({ dlat: latitude, dlng: longitude, dname: place_name, appname: location.origin });
  const target = `route/walk?${query.toString().replaceAll("+", "%20")}`;
  if (isAndroid) return { href: `intent://${target}#Intent;scheme=nmap;package=com.nhn.android.nmap;S.browser_fallback_url=${encodeURIComponent(web)};end` };
  return isIphone ? { href: `nmap://${target}`, web } : { href: web };
}

// Opens the page if no application has taken the link.
function fallBack(web) {
  setTimeout(() => { if (!document.hidden) location.assign(web); }, FALLBACK_MS);
}

function targets(shop) {
  const { latitude, longitude, place_name } = shop;
  const google = new URLSearchParams({ api: 1, destination: `${latitude},${longitude}`, travelmode: "transit" });
  const apple = new URLSearchParams({ daddr: `${latitude},${longitude}`, dirflg: "w" });
  return [
    ["kakao", { href: `https://map.kakao.com/link/to/${encodeURIComponent(place_name.replaceAll(",", " "))},${latitude},${longitude}` }],
    ["naver", naver(shop)],
    isApple && ["apple", { href: `https://maps.apple.com/?${apple}` }],
    ["google", { href: `https://www.google.com/maps/dir/?${google}` }],
  ].filter(Boolean);
}

export function directions(shop) {
  if (!shop.longitude) return null;
  const link = ([name, { href, web }]) => h("a", {
    class: "button", href, target: web || href.startsWith("intent:") ? null : "_blank", rel: "noopener noreferrer", "data-route": name, title: name === "google" ? t("route.transit") : null,
    onclick: web && (() => fallBack(web)),
  }, t(`route.${name}`));
  return h("div", { class: "routes", role: "group", "aria-label": t("routes") }, h("span", { class: "quiet" }, t("routes")), targets(shop).map(link));
}
