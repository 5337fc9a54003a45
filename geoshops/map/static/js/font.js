// Without glyphs in the style, MapLibre renders text with local fonts: the first name sets only the weight, then the
// first installed family is used.
const FAMILIES = ["Pretendard", "Apple SD Gothic Neo", "Noto Sans KR", "NanumGothic", "Malgun Gothic"];
export const BOLD = ["Any Bold", ...FAMILIES];
export const PLAIN = ["Any Regular", ...FAMILIES];
