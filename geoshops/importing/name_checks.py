"""Checks names of regions in other languages against the Korean names, because public lists mix up their rows."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import combinations

HAN = "\u3400-\u9fff\uf900-\ufaff"
KANA = "\u3041-\u30ff"
SCRIPTS = {
    "ja": re.compile(rf"(?=.*[{HAN}{KANA}])[^\u3131-\u318ea-zA-Z가-힣]+"),
    "zh": re.compile(rf"(?=.*[{HAN}])[^\u3131-\u318ea-zA-Z가-힣{KANA}]+"),
}
PHRASE = re.compile(rf"[{HAN}][^ァ-ヶ]*[ぁ-ん]|[ぁ-ん][^ァ-ヶ]*[{HAN}]")
HIRAGANA = re.compile(r"[ぁ-んー]+")
UNITS = {
    "도": "道島岛", "시": "市", "군": "郡", "구": "區区", "읍": "邑", "면": "面", "동": "洞", "리": "里", "가": "街", "로": "路",
}  # fmt: skip
ANY_UNIT = "道市郡區区邑面洞里"
KOREAN_UNIT = re.compile(
    r"(?<=..)(특별시|광역시|특별자치시|특별자치도|[도시군구읍면동리])$|제?[0-9·.,]+(?=동$)"
)
LEAST_LIKENESS = 0.5


@dataclass(frozen=True)
class KoreanForms:
    """A region's Korean name, and its full, short and former names without blanks; `kana` maps each of these to folded katakana."""

    name: str
    kana: Mapping[str, str]


@dataclass(frozen=True)
class Claim:
    """The names of a region in one row of a source; `foreign` are folded, `same_as` is the region's identifier elsewhere."""

    line: int
    korean: frozenset[str]
    variants: frozenset[str]
    foreign: frozenset[str]
    same_as: str


def language_tag(lang: str, name: str) -> str:
    """SQL of a name's language tag: `zh` becomes zh-Hans if folding changes no character, else zh-Hant."""
    return f"CASE WHEN {lang} <> 'zh' THEN {lang} WHEN han_folded({name}) = {name} THEN 'zh-Hans' ELSE 'zh-Hant' END"


def stem(korean: str) -> str:
    """Removes the unit from a name: 인제군 and 인제 are one place."""
    return KOREAN_UNIT.sub("", KOREAN_UNIT.sub("", korean.replace(" ", "")))


def korean_forms(rows: Iterable[tuple[str, str, str]]) -> KoreanForms:
    """The forms of a region from rows of its name, a form, and the folded katakana of the form."""
    names, forms, kana = zip(*rows, strict=True)
    return KoreanForms(min(names), dict(zip(forms, kana, strict=True)))


def flaw(name: str, folded: str, lang: str, forms: KoreanForms) -> str:
    """Returns why a name cannot belong to a region; empty if it can."""
    if lang not in SCRIPTS:
        return ""
    if reason := script_flaw(name, lang):
        return reason
    if PHRASE.search(name):
        return "a phrase"
    return "" if _form_fits(name, folded, forms) else "does not fit the Korean name"


def script_flaw(name: str, lang: str) -> str:
    """Returns why a name cannot be Japanese (ja) or Chinese (zh) by its characters; empty if it can."""
    # ? and - stand where the source's encoding lacks a character
    if re.search(r"[?？-]", name):
        return "lacks a character"
    return "" if SCRIPTS[lang].fullmatch(name) else "another script"


def _form_fits(name: str, folded: str, forms: KoreanForms) -> bool:
    """Whether a Chinese or Japanese name has the form of one of the Korean names.

    Chinese characters stand for a syllable each and end with the unit of the region; katakana sounds similar."""
    letters = re.sub(r"[\s·・]", "", name)
    if HIRAGANA.fullmatch(letters):
        return True  # how Japanese reads the Chinese characters, not how the name sounds in Korean
    if re.search(f"[{KANA}]", letters):
        sound = re.sub(f"[{HAN}]", "", folded)
        likenesses = (SequenceMatcher(None, sound, kana).ratio() for kana in forms.kana.values())
        return max(likenesses) >= LEAST_LIKENESS
    own = UNITS.get(forms.name[-1], "")
    return any(
        len(form) == len(letters) and _unit_fits(form, letters[-1], own) for form in forms.kana
    )


def _unit_fits(form: str, last: str, own: str) -> bool:
    """Whether the last Chinese character stands for the unit of a Korean name, or for its last syllable if it has none."""
    units = UNITS.get(form[-1], "")
    if units == own or (units and last in ANY_UNIT):
        return last in units
    return last not in own


def confused(claims: Iterable[Claim]) -> dict[int, set[str]]:
    """Returns, by line, the folded foreign names that rows of different regions share by mistake and must drop.

    The row that has the other region's name among its Korean variants drops the name. If that is true of both rows or of neither,
    both drop it if they have the same identifier (`same_as`), else both keep it."""
    by_name: dict[str, list[Claim]] = defaultdict(list)
    for claim in claims:
        for name in claim.foreign:
            by_name[name].append(claim)
    lost: dict[int, set[str]] = defaultdict(set)
    for name, claimed_by in by_name.items():
        for one, other in combinations(claimed_by, 2):
            for loser in _losers(one, other):
                lost[loser.line].add(name)
    return lost


def _losers(one: Claim, other: Claim) -> Collection[Claim]:
    if {*map(stem, one.korean)} & {*map(stem, other.korean)}:
        return ()
    losers = [a for a, b in ((one, other), (other, one)) if _has_name_of(a, b)]
    if len(losers) == 1:
        return losers
    return (one, other) if one.same_as and one.same_as == other.same_as else ()


def _has_name_of(one: Claim, other: Claim) -> bool:
    """Whether a Korean variant of one row is the other's name, not just the end of its own (남구 of 포항시남구)."""
    return any(not name.endswith(v) for v in one.variants & other.korean for name in one.korean)
