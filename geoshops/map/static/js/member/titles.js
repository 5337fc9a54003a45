// Member titles with progress, and the choice of the main title.
import { get, patch } from "../shared/api.js";
import { fill, h, one } from "../shared/dom.js";
import { aboutTitle, memberTitle, number, t } from "../shared/i18n.js";
import { failure, say } from "../shared/parts.js";
import { loadMember } from "./member.js";
import { state } from "../shared/state.js";
import { toast } from "../shared/toast.js";

export function showNewTitles(titles) {
  for (const title of titles ?? []) toast(t("title.earned", { name: memberTitle(title.name) }), { image: title.image_url });
}

function progress({ current, target }) {
  const percent = Math.round((100 * Math.min(current, target)) / target);
  return h("div", { class: "progress" },
    h("span", { class: "bar", "aria-hidden": "true" }, h("span", { style: `width:${percent}%` })),
    h("span", { class: "quiet" }, t("title.progress", { current: number(Math.min(current, target)), target: number(target) })));
}

function choice(title, redraw) {
  if (title.is_main) return h("span", { class: "tag good" }, t("title.main"));
  const choose = async () => {
    try {
      await patch(`/member/main-title/${title.id}`);
      await Promise.all([redraw(title.id), loadMember()]);
    } catch (error) {
      toast(say(error));
    }
  };
  return h("button", { class: "button small", type: "button", onclick: choose, "aria-label": t("title.choose.of", { name: memberTitle(title.name) }) }, t("title.choose"));
}

function card(title, redraw) {
  return h("li", { class: title.is_holding ? "title held" : "title", id: `title-${title.id}` },
    h("img", { src: title.image_url, alt: "", width: "52", height: "52" }),
    h("div", { class: "facts" }, h("h3", { tabindex: "-1" }, memberTitle(title.name)),
      h("p", { class: "quiet" }, aboutTitle(title, title.is_holding ? "content" : "standard")),
      title.is_holding ? choice(title, redraw) : progress(title.progress)));
}

export async function showTitles(box, focus_id) {
  const redraw = (id) => showTitles(box, id);
  try {
    const { holding_count, member_titles } = await get("/member-titles");
    const held = (title) => (title.is_holding ? 0 : 1);
    const sorted = [...member_titles].sort((a, b) => held(a) - held(b) || a.id - b.id);
    fill(box, h("p", {}, t("title.count", { n: holding_count, all: member_titles.length })),
      h("ul", { class: "titles" }, sorted.map((title) => card(title, redraw))));
    // Titles may have been earned since the member was loaded.
    if (state.member?.member_title_cnt !== holding_count) loadMember();
    if (focus_id) one(`#title-${focus_id} h3`, box)?.focus();
  } catch (error) {
    fill(box, failure(error, () => showTitles(box)));
  }
}
