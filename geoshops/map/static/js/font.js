// Without glyphs in the style MapLibre draws letters with fonts of the page. The first name only
// tells the weight; of the others the first known one is taken.
const FAMILIES = ["Pretendard", "Apple SD Gothic Neo", "Noto Sans KR", "NanumGothic", "Malgun Gothic"];
export const BOLD = ["Any Bold", ...FAMILIES];
export const PLAIN = ["Any Regular", ...FAMILIES];
