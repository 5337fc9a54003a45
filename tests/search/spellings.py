"""Generates names in other scripts, and keywords made of them with their expected meaning.

Independent of the SQL under test: romanisation works on letters instead of code points, phonetic misspellings replace
letters, and a keyword's meaning follows from the Korean names that it was made of."""

from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.search.cases import Case
from tests.search.reference import Country, Intent, Position, near

FIRST = dict(zip([chr(c) for c in range(0x1100, 0x1113)],
    "g kk n d tt r m b pp s ss - j jj ch k t p h".replace("-", "").split(" "), strict=True))  # fmt: skip
MIDDLE = dict(zip([chr(c) for c in range(0x1161, 0x1176)],
    ["a", "ae", "ya", "yae", "eo", "e", "yeo", "ye", "o", "wa", "wae", "oe", "yo", "u", "wo", "we", "wi", "yu", "eu", "ui", "i"], strict=True))  # fmt: skip
LAST = dict(zip([chr(c) for c in range(0x11A8, 0x11C3)],
    ["k", "k", "k", "n", "n", "n", "t", "l", "k", "m", "l", "l", "l", "p", "l", "m", "p", "p", "t", "t", "ng", "t", "t", "k", "t", "p", "t"], strict=True))  # fmt: skip
G, N, D, R, M, B = (chr(c) for c in (0x1100, 0x1102, 0x1103, 0x1105, 0x1106, 0x1107))
CODA = {"\u11a8": G, "\u11ab": N, "\u11ae": D, "\u11af": R, "\u11b7": M, "\u11b8": B, "\u11ba": "\u1109",
    "\u11bd": "\u110c", "\u11be": "\u110e", "\u11bf": "\u110f", "\u11c0": "\u1110", "\u11c1": "\u1111"}  # fmt: skip


def romanized(korean: str) -> str:
    """Romanises by the official rule, in lower case without hyphens; supports only simple final consonants, as in place names."""
    letters = unicodedata.normalize("NFD", korean)
    # a final consonant before a vowel moves to the next syllable
    letters = re.sub(
        "([\u11a8\u11ab\u11ae\u11af\u11b7\u11b8\u11ba\u11bd-\u11c1])\u110b",
        lambda m: CODA[m[1]],
        letters,
    )
    for pattern, instead in (
        (f"[\u11ab\u11af]{R}", f"\u11af\u11af{R}"),
        (f"\u11af{N}", f"\u11af\u11af{R}"),
        (f"([\u11a8\u11a9\u11bf\u11b7\u11b8\u11bc\u11ae\u11ba\u11bd\u11be\u11c0]){R}", rf"\1{N}"),
        (f"[\u11a8\u11a9\u11bf]([{N}{M}])", r"ᆼ\1"),
        (f"[\u11b8\u11c1]([{N}{M}])", r"ᆷ\1"),
        (f"[\u11ae\u11ba\u11bd\u11be\u11c0]([{N}{M}])", r"ᆫ\1"),
    ):
        letters = re.sub(pattern, instead, letters)
    written = "".join(FIRST.get(c, MIDDLE.get(c, LAST.get(c, c))) for c in letters)
    return written.replace("llr", "ll")


# common phonetic misspellings, in the order in which they are tried
BY_EAR = (("^g", "k"), ("^b", "p"), ("^d", "t"), ("^j", "ch"), ("eo", "u"), ("eo", "o"), ("u(?!i)", "oo"), ("si", "shi"),
    ("eu", "u"), ("ae", "e"), ("ll", "l"))  # fmt: skip


def by_ear(latin: str) -> Iterator[str]:
    """Phonetic misspellings of a romanised name, each with one replacement."""
    for pattern, instead in BY_EAR:
        spelling = re.sub(pattern, instead, latin, count=1)
        if spelling != latin and len(spelling) > 4:
            yield spelling


# the same characters in other forms: Korean, simplified, Japanese
FORMS = ("區区区", "廣广広", "驛驿駅", "學学学", "國国国", "東东東", "門门門", "龍龙竜", "澤泽沢", "德德徳", "樂乐楽", "鐵铁鉄",
    "島岛島", "橋桥橋", "廳厅庁", "靑青青", "淸清清", "灣湾湾", "會会会", "團团団", "氣气気", "濟济済", "蠶蚕蚕", "戶户戸")  # fmt: skip


def other_forms(name: str) -> set[str]:
    """The name in Korean, simplified and Japanese characters."""
    forms = {name}
    for column in range(3):
        table = {ord(c): form[column] for form in FORMS for c in form}
        forms.add(name.translate(table))
    return forms


@dataclass
class Names:
    """Names in other scripts from the imported lists: stations and brands by Korean name, regions by id."""

    stations: dict[str, set[str]] = field(default_factory=dict)
    regions: dict[int, set[str]] = field(default_factory=dict)
    brands: dict[str, set[str]] = field(default_factory=dict)


def is_han(text: str) -> bool:
    return bool(re.fullmatch(r"[\u4e00-\u9fff0-9]{2,}", text))


def is_kana(text: str) -> bool:
    return bool(re.fullmatch(r"[\u30a1-\u30fc]{2,}", text))


class Maker:
    """Generates the keywords of a country."""

    def __init__(self, country: Country, names: Names, seed: int = 20261123) -> None:
        self.country, self.names, self.dice = country, names, random.Random(seed)
        self.by_latin: dict[str, set[str]] = {}
        for name in country.stations:
            self.by_latin.setdefault(romanized(name), set()).add(name)

    def stations(self) -> list[str]:
        """Names of stations with a booth within reach."""
        return sorted(
            name for name, spots in self.country.stations.items()
            if re.fullmatch("[가-힣]{2,}", name) and any(near(tuple(spots), shop) for shop in self.country.shops)
        )  # fmt: skip

    def regions(self, level: str) -> list[int]:
        """Regions with a booth in them."""
        held = {region for shop in self.country.shops for region in shop.regions}
        return sorted(
            region for region in held
            if self.country.regions[region][1] == level and re.fullmatch("[가-힣]{2,}", self.country.regions[region][0])
        )  # fmt: skip

    def at_stations(self, *names: str) -> Intent:
        spots: tuple[Position, ...] = tuple(
            p for name in names for p in self.country.stations[name]
        )
        return Intent(stations=spots)

    def dong(self, name: str) -> Intent:
        """The meaning of a 동: all regions with this name, and shops of their districts with it in address or name."""
        regions = self.country.called(name)
        districts = frozenset(p for r in regions if (p := self.country.regions[r][2]) is not None)
        return Intent(regions=regions, spoken=name, districts=districts)

    def korean(self) -> Iterator[Case]:
        """Stations, districts and 동, alone and with common words around them."""
        for name in self.stations():
            yield Case("Korean", f"{name}역", self.at_stations(name))
            yield Case("Korean", f"{name}역 근처 추천", self.at_stations(name))
        for region in self.regions("sigungu"):
            name = self.country.regions[region][0]
            yield Case("Korean", name, Intent(regions=self.country.called(name)))
            yield Case("Korean", f"{name} 아무말", Intent(regions=self.country.called(name)))
        for region in self.regions("dong"):
            name = self.country.regions[region][0]
            if name.endswith("동") and len(name) > 2 and name not in self.country.stations:
                yield Case("Korean", name, self.dong(name))

    def latin(self) -> Iterator[Case]:
        """Romanised names: official, phonetic, with words around; only spellings that no other station shares."""
        for name in self.stations():
            spelling = romanized(name)
            if len(spelling) < 5:
                continue
            intent = self.at_stations(*self.by_latin[spelling])
            yield Case("Latin", f"{spelling} station", intent)
            yield Case("Latin", f"near {spelling.upper()} Stn. exit 2", intent)
            for spelling_by_ear in [h for h in by_ear(spelling) if h not in self.by_latin][:2]:
                yield Case("Latin by ear", f"{spelling_by_ear} station", intent)
        for region in self.regions("sigungu"):
            name = self.country.regions[region][0]
            intent = Intent(regions=self.country.called(name))
            stem, unit = romanized(name[:-1]), romanized(name[-1])
            if len(stem) > 2:
                yield Case("Latin", f"{stem}-{unit}", intent)
                yield Case("Latin", f"{stem}{unit} photo booth", intent)
        for region in self.regions("dong"):
            name = self.country.regions[region][0]
            intent = self.dong(name)
            stem, unit = romanized(name[:-1]), romanized(name[-1])
            if len(stem) > 3:
                yield Case("Latin", f"{stem.title()}-{unit}", intent)
                for spelling_by_ear in list(by_ear(stem))[:1]:
                    yield Case("Latin by ear", f"{spelling_by_ear}{unit}", intent)

    def foreign(self, group: str, fits: object, suffixes: tuple[str, ...]) -> Iterator[Case]:
        """Names of stations in a script, as listed, in other forms and with the word for station."""
        assert callable(fits)
        around = "附近" if group == "Chinese" else "周辺"
        owners: dict[str, set[str]] = {}
        for name, aliases in self.names.stations.items():
            for alias in filter(fits, aliases):
                owners.setdefault(alias, set()).add(name)
        for name in self.stations():
            for alias in sorted(filter(fits, self.names.stations.get(name, ()))):
                intent = self.at_stations(*owners[alias])
                for form in sorted(other_forms(alias) if group == "Chinese" else kana_forms(alias)):
                    station = form + self.dice.choice(suffixes)
                    yield Case(group, station, intent)
                    yield Case(group, f"{station} {around}", intent)
        for region, aliases in sorted(self.names.regions.items()):
            if region in self.regions("sigungu"):
                own = self.country.regions[region][0]
                for alias in sorted(filter(fits, aliases)):
                    if len(alias) > 2:
                        yield Case(group, alias, Intent(regions=self.country.called(own)))

    def mixed(self) -> Iterator[Case]:
        """A brand in one script and a place in another, in random order; only if there is such a booth."""
        for name in self.stations():
            latin = romanized(name)
            if len(latin) < 5 or len(self.by_latin[latin]) > 1:
                continue
            spots = tuple(self.country.stations[name])
            places = [f"{latin} station", f"{name}역", f"{latin} stn"]
            places += [f"{alias}駅" for alias in sorted(self.names.stations.get(name, ()))]
            for brand, aliases in sorted(self.names.brands.items()):
                family = self.country.family(self.country.brand_names[brand])
                intent = Intent(brands=family, stations=spots, branch=name)
                if not any(
                    shop.brand in family and near(spots, shop) for shop in self.country.shops
                ):
                    continue
                for place in places:
                    words = [place, self.dice.choice(sorted({brand, *aliases}))]
                    self.dice.shuffle(words)
                    yield Case("mixed", " ".join(words), intent)

    def all(self) -> list[Case]:
        """All cases: at least three hundred of each script."""
        kana = self.foreign("Japanese", is_kana, ("駅", "駅"))
        han = self.foreign("Chinese", is_han, ("站", "駅", "驛"))
        return [*self.korean(), *self.latin(), *kana, *han, *self.mixed()]


def kana_forms(name: str) -> set[str]:
    """A katakana name as listed, in hiragana, in half width, and with the first consonant voiced."""
    hiragana = "".join(chr(ord(c) - 0x60) if "ァ" <= c <= "ヶ" else c for c in name)
    voiced = name.translate(
        str.maketrans("カキクケコタテトプパピペポ", "ガギグゲゴダデドブバビベボ")
    )
    return {name, hiragana, voiced[0] + name[1:]}
