// Until when a shop is open, and when it opens next, from its weekly opening hours in the service's time zone.
import { h } from "../shared/dom.js";
import { t } from "../shared/i18n.js";

const DAY_MIN = 1440;
const WEEK_MIN = 7 * DAY_MIN;
const DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const clock = new Intl.DateTimeFormat("en", {
  timeZone: document.body.dataset.timeZone, weekday: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23",
});

// Minutes since Monday 00:00.
function minuteOfWeek() {
  const { weekday, hour, minute } = Object.fromEntries(clock.formatToParts(Date.now()).map(({ type, value }) => [type, value]));
  return DAYS.indexOf(weekday) * DAY_MIN + Number(hour) * 60 + Number(minute);
}

const minutes = (time) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

// A span that does not close after it opens ends on the next day, like in the service.
function span({ day, open, close }) {
  const opens = (day - 1) * DAY_MIN + minutes(open);
  const closes = (day - 1) * DAY_MIN + minutes(close);
  return [opens, closes > opens ? closes : closes + DAY_MIN];
}

// The spans of two weeks, so that each instant of this week has its end and the next opening ahead; touching spans are one.
function spans(hours) {
  const week = hours.map(span);
  const all = [-WEEK_MIN, 0, WEEK_MIN].flatMap((shift) => week.map(([from, to]) => [from + shift, to + shift])).sort((a, b) => a[0] - b[0]);
  const joined = [];
  for (const [from, to] of all) {
    const last = joined.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else joined.push([from, to]);
  }
  return joined;
}

export const isWholeDay = ({ open, close }) => open === close || (open === "00:00" && close === "24:00");

export const isAlwaysOpen = (hours) => hours.length > 0 && spans(hours).length === 1;

// The time of day, with the day of the week unless it is within a day.
function when(minute, now) {
  const within = ((minute % WEEK_MIN) + WEEK_MIN) % WEEK_MIN;
  const rest = within % DAY_MIN;
  const time = `${String(Math.floor(rest / 60)).padStart(2, "0")}:${String(rest % 60).padStart(2, "0")}`;
  return minute - now < DAY_MIN ? time : t("open.day", { day: t(`day.${Math.floor(within / DAY_MIN) + 1}`), time });
}

// The opening status of a shop as text.
export function openingText({ open_now, opening_hours: hours }) {
  if (isAlwaysOpen(hours)) return t("open.always");
  const now = minuteOfWeek();
  const current = spans(hours).find(([from, to]) => from <= now && now < to);
  // The browser's clock may differ from the service's.
  if (open_now && current) return t("open.until", { time: when(current[1], now) });
  const next = spans(hours).find(([from]) => from > now);
  if (!open_now && !current && next) return t("open.from", { time: when(next[0], now) });
  return t(open_now ? "open.now" : "open.not");
}

// None where the hours are unknown, or where the shop is closed for longer.
export function openTag(shop) {
  if (shop.status !== "OPEN" || shop.open_now === null) return null;
  return h("span", { class: shop.open_now ? "tag good" : "tag plain" }, openingText(shop));
}
