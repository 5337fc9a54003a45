// A shop's rating histogram, facet votes and opening hours.
import { h, icon } from "../shared/dom.js";
import { number, t } from "../shared/i18n.js";
import { isAlwaysOpen, isWholeDay } from "./opening.js";

export const FACETS = ["purity", "retouch", "item"];

export function histogram(shop) {
  const total = shop.review_cnt;
  if (!total) return null;
  const bar = (star) => {
    const n = shop.rating_counts[star];
    const share = Math.round((100 * n) / total);
    return h("li", {}, h("span", { class: "visually-hidden" }, t("histogram.row", { star, n })),
      h("span", { "aria-hidden": "true" }, star), h("span", { class: "bar", "aria-hidden": "true" }, h("span", { style: `width:${share}%` })),
      h("span", { class: "quiet", "aria-hidden": "true" }, number(n)));
  };
  return h("div", { class: "scores" },
    h("p", { class: "score" }, h("strong", {}, shop.star_rating_avg.toFixed(1)), h("span", { class: "quiet" }, t("reviews.count", { n: number(total) }))),
    h("ol", { class: "histogram", "aria-label": t("histogram") }, [5, 4, 3, 2, 1].map(bar)));
}

export function facets(shop) {
  const shown = FACETS.filter((facet) => shop.tag_stats[facet].good_ratio !== null);
  if (!shown.length) return null;
  return h("dl", { class: "facets" }, shown.map((facet) => {
    const { good, bad, good_ratio } = shop.tag_stats[facet];
    const percent = Math.round(100 * good_ratio);
    return h("div", {}, h("dt", {}, t(`facet.${facet}`)),
      h("dd", {}, h("strong", {}, `${percent}%`), h("span", { class: "bar", "aria-hidden": "true" }, h("span", { style: `width:${percent}%` })),
        h("span", { class: "quiet" }, t("facet.votes", { n: number(good + bad) }))));
  }));
}

const DAYS = [1, 2, 3, 4, 5, 6, 7];

function timesOf(hours, day) {
  const times = hours.filter((span) => span.day === day).map((span) => (isWholeDay(span) ? t("hours.day") : `${span.open}–${span.close}`));
  return times.join(", ") || t("hours.closed");
}

// The days of the week with their times; days in a row with the same times are one line.
function lines(hours) {
  const runs = [];
  for (const day of DAYS) {
    const times = timesOf(hours, day);
    const last = runs.at(-1);
    if (last?.times === times) last.to = day;
    else runs.push({ from: day, to: day, times });
  }
  return runs;
}

function daysOf({ from, to }) {
  if (to - from === DAYS.length - 1) return t("hours.daily");
  return from === to ? t(`day.${from}`) : `${t(`day.${from}`)}–${t(`day.${to}`)}`;
}

export function hours(shop) {
  if (!shop.opening_hours.length) return null;
  if (isAlwaysOpen(shop.opening_hours)) return h("p", {}, t("hours.always"));
  const line = (run) => h("li", {}, h("span", {}, daysOf(run)), run.times);
  const summary = h("summary", {}, t("hours"), " ", icon("back"));
  return h("details", { class: "hours" }, summary, h("ol", {}, lines(shop.opening_hours).map(line)));
}
