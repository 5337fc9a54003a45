"""Generates test keywords and their expected meaning from the loaded country; each seed selects other places and names."""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from tests.search.reference import Country, Intent, Shop

LETTERS = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"
KEYS_FIRST = [
    "r",
    "R",
    "s",
    "e",
    "E",
    "f",
    "a",
    "q",
    "Q",
    "t",
    "T",
    "d",
    "w",
    "W",
    "c",
    "z",
    "x",
    "v",
    "g",
]
KEYS_MIDDLE = [
    "k",
    "o",
    "i",
    "O",
    "j",
    "p",
    "u",
    "P",
    "h",
    "hk",
    "ho",
    "hl",
    "y",
    "n",
    "nj",
    "np",
    "nl",
    "b",
    "m",
    "ml",
    "l",
]
KEYS_LAST = [
    "",
    "r",
    "R",
    "rt",
    "s",
    "sw",
    "sg",
    "e",
    "f",
    "fr",
    "fa",
    "fq",
    "ft",
    "fx",
    "fv",
    "fg",
    "a",
    "q",
    "qt",
    "t",
    "T",
    "d",
    "w",
    "c",
    "z",
    "x",
    "v",
    "g",
]
ENGLISH = {
    "인생네컷": "Life4Cuts",
    "하루필름": "haru film",
    "포토이즘": "photoism",
    "포토그레이": "PHOTOGRAY",
    "셀픽스": "selfix",
}


@dataclass(frozen=True)
class Case:
    group: str
    keyword: str
    intent: Intent


def parts(syllable: str) -> tuple[int, int, int] | None:
    """Indexes of the initial, medial and final letter of a Hangul syllable (final 0: none); None for other characters."""
    code = ord(syllable) - 0xAC00
    return (code // 588, code % 588 // 28, code % 28) if 0 <= code < 11172 else None


def syllable(first: int, middle: int, last: int) -> str:
    return chr(0xAC00 + first * 588 + middle * 28 + last)


def initials(name: str) -> str:
    return "".join(LETTERS[p[0]] for p in map(parts, name) if p)


def on_latin_keys(name: str) -> str:
    keys = []
    for p in map(parts, name):
        assert p
        keys.append(KEYS_FIRST[p[0]] + KEYS_MIDDLE[p[1]] + KEYS_LAST[p[2]])
    return "".join(keys)


def half_typed(name: str) -> str:
    """The name without its last letter."""
    p = parts(name[-1])
    assert p
    return name[:-1] + (syllable(p[0], p[1], 0) if p[2] else LETTERS[p[0]])


def misspelt(name: str, rng: random.Random) -> str:
    """The name with a wrong vowel in a random syllable."""
    at = rng.randrange(len(name))
    p = parts(name[at])
    assert p
    return (
        name[:at]
        + syllable(p[0], {1: 5, 5: 1, 0: 4, 4: 0}.get(p[1], (p[1] + 1) % 21), p[2])
        + name[at + 1 :]
    )


def is_hangul(text: str) -> bool:
    return all(parts(sign) for sign in text)


def all_cases(country: Country, seed: int = 1) -> list[Case]:
    """All cases without duplicates; at least two hundred."""
    rng = random.Random(seed)
    cases = [
        *_regions(country, rng), *_brands(country, rng), *_brands_in_regions(country, rng),
        *_stations(country, rng), *_branches(country, rng), *_false_friends(country),
    ]  # fmt: skip
    return list({(c.keyword, c.group): c for c in cases}.values())


def _booths_in(country: Country, level: str) -> list[int]:
    used = {r for shop in country.shops for r in shop.regions}
    return sorted(r for r in used if country.regions[r][1] == level)


def _short(name: str) -> str:
    last = name.rpartition(" ")[2]
    return last[:-1] if len(last) > 2 else last


def _regions(country: Country, rng: random.Random) -> Iterator[Case]:
    for sido in _booths_in(country, "sido"):
        yield Case("region", country.regions[sido][0], Intent(regions=frozenset({sido})))
    for region in rng.sample(_booths_in(country, "sigungu"), 30):
        name, _, parent = country.regions[region]
        assert parent
        above = country.regions[parent][0]
        yield Case("region", name, Intent(regions=country.called(name)))
        yield Case("region", f"{above} {name}", Intent(regions=frozenset({region})))
        yield Case("region", f"{above}{name}".replace(" ", ""), Intent(regions=frozenset({region})))
        yield Case(
            "region",
            f"{above} {_short(name)}",
            Intent(regions=country.called(_short(name), above=parent)),
        )
    for region in rng.sample(_booths_in(country, "dong"), 25):
        name, _, parent = country.regions[region]
        assert parent
        yield Case(
            "region", f"{country.regions[parent][0]} {name}", Intent(regions=frozenset({region}))
        )


def _brands(country: Country, rng: random.Random) -> Iterator[Case]:
    for name, brand in country.brand_names.items():
        intent = Intent(brands=country.family(brand))
        yield Case("brand", name, intent)
        yield Case("initials", initials(name), intent)
        yield Case("keyboard", on_latin_keys(name), intent)
        yield Case("spaces", f"{name[:2]} {name[2:]}".strip(), intent)
        yield Case("typo", misspelt(name, rng), intent)
        begins = [b for n, b in country.brand_names.items() if n.startswith(half_typed(name)[:-1])]
        yield Case("half typed", half_typed(name), Intent(brands=frozenset(begins)))
        if name in ENGLISH:
            yield Case("english", ENGLISH[name], intent)


def _brands_in_regions(country: Country, rng: random.Random) -> Iterator[Case]:
    shops = [s for s in country.shops if s.brand in country.brand_names.values()]
    names = {brand: name for name, brand in country.brand_names.items()}
    for shop in rng.sample(shops, 60):
        assert shop.brand
        region = next(r for r in sorted(shop.regions) if country.regions[r][1] == "sigungu")
        name, parent = country.regions[region][0], country.regions[region][2]
        brand, intent = names[shop.brand], country.family(shop.brand)
        form = rng.choice(("{r} {b}", "{b} {r}", "{r}{b}", "{b}{r}"))
        both = Intent(regions=country.called(name), brands=intent)
        yield Case("region and brand", form.format(r=name, b=brand), both)
        assert parent
        above = country.regions[parent][0]
        one = Intent(regions=frozenset({region}), brands=intent)
        yield Case("region and brand", f"{above} {name} {brand}", one)


def _stations(country: Country, rng: random.Random) -> Iterator[Case]:
    names = sorted(n for n in country.stations if is_hangul(n) and n not in country.region_names)
    for name in rng.sample(names, min(30, len(names))):
        yield Case("station", f"{name}역", Intent(stations=tuple(country.stations[name])))
        yield Case("station", name, Intent(stations=tuple(country.stations[name])))


def _branches(country: Country, rng: random.Random) -> Iterator[Case]:
    names = {brand: name for name, brand in country.brand_names.items()}
    # Only names that end in 점 (branch) are unambiguous: `인생네컷 좌동` is read as a brand in the region 좌동,
    # even if a shop has that name.
    branded = [
        s for s in country.shops
        if s.brand and s.name.startswith(f"{names[s.brand]} ") and s.name.endswith("점")
    ]  # fmt: skip
    for shop in rng.sample(branded, 50):
        yield Case("branch", shop.name, _branch(country, shop))
        yield Case("branch", shop.name.replace(" ", ""), _branch(country, shop))
        brand, _, rest = shop.name.partition(" ")
        yield Case("branch", f"{rest} {brand}", _branch(country, shop))


def _branch(country: Country, shop: Shop) -> Intent:
    assert shop.brand
    return Intent(brands=country.family(shop.brand), piece=shop.name)


def _false_friends(country: Country) -> Iterator[Case]:
    """Ambiguous keywords: a name shared by several places, a region inside another word, unknown words."""
    for name in (
        "중구",
        "동구",
        "서구",
        "남구",
        "북구",
        "중앙동",
        "강서구",
        "고성군",
        "강남동",
        "부산진구",
    ):
        if country.region_names.get(name):
            yield Case("false friends", name, Intent(regions=country.called(name)))
    for name in ("신천", "신촌", "서울숲", "홍대입구"):
        if country.stations.get(name) and name not in country.region_names:
            yield Case("false friends", f"{name}역", Intent(stations=tuple(country.stations[name])))
    brand = country.brand_names["인생네컷"]
    yield Case("false friends", "인생네컷", Intent(brands=country.family(brand)))
    piece = unicodedata.normalize("NFC", "포토")
    yield Case("false friends", piece, Intent(piece=piece))
    for word in ("인생네컷 아무말", "없는동네 인생네컷"):
        yield Case("left out", word, Intent(brands=country.family(country.brand_names["인생네컷"])))
    for word in ("아무말", "신강남", "꿹뛟", "강남구아무말", "서울 해운대구"):
        yield Case("nothing", word, Intent(piece="아무도 쓰지 않은 말"))
