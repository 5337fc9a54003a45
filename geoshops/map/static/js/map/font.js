// Without glyphs in the style, MapLibre renders text with local fonts: the first name sets only the weight, then the
// first installed family is used. A Chinese character has another shape in each language.
import { lang } from "../shared/i18n.js";

const KOREAN = ["Pretendard", "Apple SD Gothic Neo", "Noto Sans KR", "Noto Sans CJK KR", "NanumGothic", "Malgun Gothic"];
const OWN = {
  ja: ["Hiragino Sans", "Noto Sans JP", "Noto Sans CJK JP", "Yu Gothic", "Meiryo"],
  "zh-Hans": ["PingFang SC", "Noto Sans SC", "Noto Sans CJK SC", "Microsoft YaHei"],
  "zh-Hant": ["PingFang TC", "Noto Sans TC", "Noto Sans CJK TC", "Microsoft JhengHei"],
};
const FAMILIES = [...(OWN[lang] ?? []), ...KOREAN];
export const BOLD = ["Any Bold", ...FAMILIES];
export const PLAIN = ["Any Regular", ...FAMILIES];
