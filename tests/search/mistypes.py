"""Generates keywords with a typing error or without their last letters, and their expected meaning.

A keyword is generated only if its meaning is certain: no other name has an edit distance of one letter or the same prefix. Edit
distance and similar sounds are computed here in Python, independently of the SQL under test."""

from __future__ import annotations

import random
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from tests.search.cases import Case
from tests.search.reference import Intent, near, squeezed
from tests.search.spellings import Maker, is_han, is_kana, romanized

LANGUAGES = ("Korean", "romanised", "Japanese", "Chinese")
# the word for station that may follow a station's name in each language
STATION = {"Korean": "역", "romanised": " station", "Japanese": "駅", "Chinese": "站"}
AROUND = {
    "Korean": " 근처",
    "romanised": " photo booth",
    "Japanese": " 周辺",
    "Chinese": " 附近",
}
# jamo, Latin letters, kana, characters; of three characters only an extra one is an error, not another one
LEAST_LETTERS = {"Korean": 5, "romanised": 6, "Japanese": 4, "Chinese": 3}
VOWELS = [chr(c) for c in (0x1161, 0x1162, 0x1165, 0x1166, 0x1169, 0x116E, 0x1173, 0x1175)]
INITIALS = [
    chr(c) for c in (0x1100, 0x1102, 0x1103, 0x1105, 0x1106, 0x1107, 0x1109, 0x110C, 0x1112)
]
FINALS = [chr(c) for c in (0x11A8, 0x11AB, 0x11AF, 0x11B7, 0x11B8, 0x11BC)]
KANA = "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミメモヤユヨラリルレロワン"
HAN = "大小東西南北山水川洞里田石木林金新上下中天安平和文明光花春海"
PER_LANGUAGE = 300


@dataclass(frozen=True)
class Name:
    """A name of a station or district in one script, with its meaning; `own` is the Korean name."""

    language: str
    letters: str
    own: str
    is_station: bool
    intent: Intent | None


def letters_of(text: str) -> str:
    return unicodedata.normalize("NFD", text)


def split(name: Name) -> str:
    """The letters of a name that a typing error may change; Hangul syllables are decomposed."""
    return letters_of(name.letters) if name.language == "Korean" else name.letters


def sound_key(text: str) -> str:
    """A key that is equal for names that sound alike: merges similar Latin letters, removes marks and old forms of other scripts."""
    if not text.isascii():
        return unicodedata.normalize("NFC", text)
    for pattern, instead in (("ch", "j"), ("ae", "e"), ("[eyw]?[ou]", "o"), ("e[ou]", "o"), ("yi|ui", "i"), ("y", "i"),
        ("[gcq]", "k"), ("d", "t"), ("[bfv]", "p"), ("[rz]", "l"), ("sh", "s"), (r"(.)\1+", r"\1")):  # fmt: skip
        text = re.sub(pattern, instead, text)
    return text


def one_less(word: str) -> set[str]:
    return {word[:i] + word[i + 1 :] for i in range(len(word))}


class Names:
    """Index of all names in all scripts; names at an edit distance of one share a key that lacks one letter."""

    def __init__(self, maker: Maker) -> None:
        self.maker, self.country = maker, maker.country
        self.names: dict[str, list[Name]] = {language: [] for language in LANGUAGES}
        self.sounds: dict[str, set[tuple[str, str]]] = defaultdict(set)
        self.without_one: dict[tuple[str, str], set[str]] = defaultdict(set)
        with_booths = set(maker.stations())
        for own in self.country.stations:
            self._station(own, own in with_booths)
        districts = set(maker.regions("sigungu"))
        for region, (own, level, _) in self.country.regions.items():
            self._region(region, own, level, region in districts)
        for group in self.names.values():
            for name in group:
                self._remember(name.language, name.letters, name.own)

    def _remember(self, language: str, spelling: str, own: str) -> None:
        letters = letters_of(spelling) if language == "Korean" else sound_key(spelling)
        self.sounds[language].add((letters, own))
        for left in {letters} | one_less(letters):
            self.without_one[language, left].add(own)

    def _station(self, own: str, with_booths: bool) -> None:
        spellings = {
            "Korean": {own},
            "romanised": {romanized(own)} if re.fullmatch("[가-힣]+", own) else set(),
        }
        aliases = self.maker.names.stations.get(own, set())
        spellings |= {
            "Japanese": set(filter(is_kana, aliases)),
            "Chinese": set(filter(is_han, aliases)),
        }
        intent = self.maker.at_stations(own) if with_booths else None
        for language, forms in spellings.items():
            for form in sorted(forms):
                self.names[language].append(Name(language, form, own, True, intent))
                if form.endswith("입구"):
                    self._remember(language, form.removesuffix("입구"), own)

    def _region(self, region: int, own: str, level: str, with_booths: bool) -> None:
        intent = (
            Intent(regions=self.country.called(own)) if with_booths and level == "sigungu" else None
        )
        short = own[:-1] if len(own) > 2 else own
        for form in {own, short}:
            self._remember("Korean", form, own)
            if re.fullmatch("[가-힣]+", form):
                self._remember("romanised", romanized(form), own)
        if not re.fullmatch("[가-힣]{3,}", own):
            return
        self.names["Korean"].append(Name("Korean", own, own, False, intent))
        latin = romanized(short) + romanized(own[-1])
        self.names["romanised"].append(Name("romanised", latin, own, False, intent))
        for alias in sorted(self.maker.names.regions.get(region, ())):
            for language, fits in (("Japanese", is_kana), ("Chinese", is_han)):
                if fits(alias):
                    self.names[language].append(Name(language, alias, own, False, intent))

    def near(self, language: str, typed: str) -> set[str]:
        """Korean names of the places whose spelling differs from the typed text by about one letter (at most two)."""
        letters = letters_of(typed) if language == "Korean" else sound_key(typed)
        return set[str]().union(
            *(self.without_one[language, left] for left in {letters} | one_less(letters))
        )

    def beginning(self, language: str, typed: str) -> set[str]:
        """Korean names of the places with a spelling that begins with the typed text; in Japanese also the reverse."""
        form = letters_of(typed) if language == "Korean" else sound_key(typed)
        return {
            own for letters, own in self.sounds[language]
            if letters.startswith(form) or (language == "Japanese" and form.startswith(letters))
        }  # fmt: skip


def changed(name: Name, dice: random.Random) -> str:
    """The name with one letter replaced, omitted, doubled or swapped with the next; the first letter is kept."""
    if name.language == "Korean":
        letters = letters_of(name.letters)
        at = dice.randrange(1, len(letters))
        for row in (VOWELS, INITIALS, FINALS):
            if letters[at] in row:
                other = dice.choice([c for c in row if c != letters[at]])
                return unicodedata.normalize("NFC", letters[:at] + other + letters[at + 1 :])
        return unicodedata.normalize("NFC", letters)
    word = name.letters
    at = dice.randrange(1, len(word))
    if name.language == "romanised":
        return dice.choice([
            word[:at] + word[at + 1 :], word[:at] + dice.choice("aeioumnkst") + word[at + 1 :],
            word[:at] + word[at:][1:2] + word[at] + word[at + 2 :], word[:at] + word[at] + word[at:],
        ])  # fmt: skip
    row = KANA if name.language == "Japanese" else HAN
    other = dice.choice([c for c in row if c != word[at]])
    extra = word[:at] + other + word[at:]
    return extra if len(word) < 4 else dice.choice([word[:at] + other + word[at + 1 :], extra])


class Mistyped:
    """Generates the mistyped keywords of a country."""

    def __init__(self, maker: Maker, seed: int = 20261123) -> None:
        self.maker, self.names, self.dice = maker, Names(maker), random.Random(seed)
        self.branded: dict[tuple[str, bool], tuple[str | None, Intent]] = {}
        self.shop_letters = letters_of(
            " ".join(squeezed(f"{s.name} {s.address}") for s in maker.country.shops)
        )

    def _candidates(self, language: str) -> list[Name]:
        names = [
            n for n in self.names.names[language]
            if n.intent and len(split(n)) >= LEAST_LETTERS[language]
        ]  # fmt: skip
        # several rounds, because some errors make the meaning ambiguous
        rounds = names * 12
        self.dice.shuffle(rounds)
        return rounds

    def _around(self, name: Name, typed: str) -> str:
        typed += STATION[name.language] if name.is_station else ""
        return typed + self.dice.choice(["", AROUND[name.language]])

    def misspelt(self, language: str) -> Iterator[tuple[Name, str]]:
        """Names with one wrong letter, if no other name is similar and no shop's name or address contains the text."""
        seen = set()
        for name in self._candidates(language):
            typed = changed(name, self.dice)
            if (
                typed in seen
                or self.names.near(language, typed) != {name.own}
                or self.occurs_in_shops(typed)
            ):
                continue
            seen.add(typed)
            yield name, self._around(name, typed)
            if len(seen) == PER_LANGUAGE:
                return

    def incomplete(self, language: str) -> Iterator[tuple[Name, str]]:
        """Names without their last one or two letters, if no other name has this prefix and no shop's name or address contains it."""
        seen = set()
        for name in self._candidates(language):
            letters = split(name)
            left = letters[: -self.dice.choice([1, 2] if len(letters) > 6 else [1])]
            typed = unicodedata.normalize("NFC", left)
            others = self.names.near(language, typed) | self.names.beginning(language, typed)
            if typed in seen or others != {name.own} or self.occurs_in_shops(typed):
                continue
            seen.add(typed)
            yield name, typed
            if len(seen) == PER_LANGUAGE:
                return

    def occurs_in_shops(self, typed: str) -> bool:
        return letters_of(squeezed(typed)) in self.shop_letters

    def mixed(self) -> Iterator[Case]:
        """A brand and a misspelt or incomplete place, each in a random script, in random order."""
        for language in LANGUAGES:
            both = [*self.misspelt(language), *self.incomplete(language)]
            self.dice.shuffle(both)
            count = 0
            for name, typed in both:
                brand, intent = self._branded(name)
                if brand is None or count == 100:
                    continue
                count += 1
                words = [typed, self.dice.choice(sorted({brand, *self.maker.names.brands[brand]}))]
                self.dice.shuffle(words)
                yield Case("mixed, mistyped", " ".join(words), intent)

    def _branded(self, name: Name) -> tuple[str | None, Intent]:
        """A brand with a booth at the place, and the meaning of both; the brand is None if there is no such booth."""
        assert name.intent
        key = (name.own, name.is_station)
        if key not in self.branded:
            country, place = self.maker.country, name.intent
            self.branded[key] = (None, place)
            for shop in country.shops:
                within = (
                    near(place.stations, shop)
                    if place.stations
                    else shop.regions & (place.regions or frozenset())
                )
                for brand in sorted(self.maker.names.brands):
                    family = country.family(country.brand_names[brand])
                    if within and shop.brand in family:
                        self.branded[key] = (brand, Intent(brands=family, stations=place.stations, regions=place.regions,
                            branch=name.own if name.is_station else None))  # fmt: skip
                        return self.branded[key]
        return self.branded[key]

    def all(self) -> list[Case]:
        """All cases: per language at least three hundred, half of them incomplete."""
        cases = []
        for language in LANGUAGES:
            for kind, generate in (("misspelt", self.misspelt), ("incomplete", self.incomplete)):
                for name, typed in generate(language):
                    assert name.intent
                    cases.append(Case(f"{language}, {kind}", typed, name.intent))
        return [*cases, *self.mixed()]
