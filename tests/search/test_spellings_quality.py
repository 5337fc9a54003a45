"""Tests precision and recall at 10 of keywords in other scripts, on real regions, stations and booths."""

from __future__ import annotations

import random
import unicodedata
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from flask import Flask

from geoshops.cli import main
from tests.make import Maker
from tests.search import mistypes, reference, spellings
from tests.search.cases import Case
from tests.search.test_quality import LEAST, PLACES, measure

pytestmark = pytest.mark.full

BOUNDARIES = "boundaries_kr_2018/skorea-{}-2018-simple.geojson"
FILES = (
    *(
        ("regions", BOUNDARIES.format(k), "kostat")
        for k in ("provinces", "municipalities", "submunicipalities")
    ),
    ("stations", "subway_stations_kr_standard_202202_cp949.csv", "stations"),
    ("stations", "names/seoul_metro_stations_multilingual_202408.csv", "seoul-metro"),
    ("region-names", "names/regions_kr_whosonfirst_ko_en_ja_zh.csv", "whosonfirst"),
    ("shops", "photobooths_kr_chalkak/dontlxxkup_geocoded.csv", "booths"),
    ("shops", "photobooths_kr_chalkak/photoheim_geocoded.csv", "booths"),
    ("shops", "photobooths_kr_chalkak/hongdae4cut_geocoded.csv", "booths"),
)
BRANDS = {
    "돈룩업": ("dontlxxkup", "Don't LXXK UP", "돈독업", "ドントルックアップ"),
    "포토하임": ("photoheim", "フォトハイム"),
    "홍대네컷": ("hongdae four cuts", "弘大四格", "弘大四カット"),
}
# a wrong letter may sound like another name that is spelled less similarly
LEAST_MISTYPED = 0.95
# number of tested names per script, and the maximum number of suggestions per kind
SUGGESTED, MOST_SUGGESTED = 150, {"brand": 3, "region": 4, "station": 3}
ALIASES = "SELECT s.name, a.alias FROM station_aliases a JOIN stations s ON s.id = a.station_id"


@pytest.fixture(scope="module")
def korea(
    make_once: Maker, database_url: str, shared_data: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[reference.Country, spellings.Names]]:
    """A database with the real files, imported by the commands of an operator."""
    for name, aliases in BRANDS.items():
        brand = make_once.brand(name)
        for alias in aliases:
            make_once.brand_alias(brand, alias)
    rejects = tmp_path_factory.mktemp("rejected") / "rejected.csv"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DATABASE_URL", database_url)
        patch.delenv("GEOSHOPS_OWNER_DATABASE_URL", raising=False)
        for kind, name, mapping in FILES:
            arguments = ["import", kind, str(shared_data / name), "--mapping", mapping]
            result = CliRunner().invoke(main, [*arguments, "--rejects", str(rejects)])
            assert result.exit_code == 0, result.output
    country = reference.read(make_once)
    names = spellings.Names(
        brands={b: {a for a in all_ if a.isascii() or a[0] != "돈"} for b, all_ in BRANDS.items()}
    )
    for name, alias in make_once.rows(ALIASES):
        names.stations.setdefault(name, set()).add(alias)
    for region, alias in make_once.rows(
        "SELECT region_id, alias FROM region_aliases WHERE kind = 'foreign'"
    ):
        names.regions.setdefault(region, set()).add(alias)
    yield country, names


def figures_of(
    app: Flask,
    country: reference.Country,
    cases: list[Case],
    capsys: pytest.CaptureFixture[str],
    least: float = LEAST,
) -> dict[str, list[tuple[float, float]]]:
    """Asserts that precision and recall at 10 of each group are at least `least` on average; prints them with keywords below 1."""
    figures: dict[str, list[tuple[float, float]]] = defaultdict(list)
    weak = []
    for number, case in enumerate(cases):
        figure = measure(app, country, case, PLACES[number % len(PLACES)])
        figures[case.group].append(figure)
        if min(figure) < 1:
            weak.append(f"{case.group}: {case.keyword!r} {figure[0]:.2f} {figure[1]:.2f}")
    means = {
        group: [sum(p[i] for p in pairs) / len(pairs) for i in (0, 1)]
        for group, pairs in figures.items()
    }
    with capsys.disabled():
        print("\nkeywords, precision and recall at 10")
        for group, (precision, recall) in means.items():
            print(f"  {group:22} {len(figures[group]):4}  {precision:.3f}  {recall:.3f}")
        print("\n".join(weak[:150]))
    for group, mean in means.items():
        assert min(mean) >= least, (group, weak)
    return figures


def test_precision_and_recall_at_ten_of_spellings(
    app: Flask, korea: tuple[reference.Country, spellings.Names], capsys: pytest.CaptureFixture[str]
) -> None:
    figures = figures_of(app, korea[0], spellings.Maker(*korea).all(), capsys)
    assert min(len(figures[g]) for g in ("Korean", "Japanese", "Chinese", "mixed")) >= 300
    assert len(figures["Latin"]) + len(figures["Latin by ear"]) >= 300


def test_precision_and_recall_at_ten_of_mistyped_keywords(
    app: Flask, korea: tuple[reference.Country, spellings.Names], capsys: pytest.CaptureFixture[str]
) -> None:
    cases = mistypes.Mistyped(spellings.Maker(*korea)).all()
    figures = figures_of(app, korea[0], cases, capsys, LEAST_MISTYPED)
    for language in mistypes.LANGUAGES:
        of_both = (f"{language}, misspelt", f"{language}, incomplete")
        assert sum(len(figures[group]) for group in of_both) >= 300, language
    assert len(figures["mixed, mistyped"]) >= 300


def before_the_last_key(keyword: str) -> str:
    """The text one keystroke earlier: without the last Hangul letter or other character."""
    if "가" <= keyword[-1] <= "힣":
        return unicodedata.normalize("NFC", unicodedata.normalize("NFD", keyword)[:-1])
    return keyword[:-1]


def single_names(maker: spellings.Maker, names: spellings.Names) -> dict[str, list[str]]:
    """Names of stations, districts and brands with shops, by script."""
    by_script: dict[str, set[str]] = defaultdict(set)
    for own in maker.stations():
        by_script["Korean"].add(f"{own}역")
        by_script["Latin"].add(f"{spellings.romanized(own)} station")
        for alias in names.stations.get(own, ()):
            by_script["Japanese" if spellings.is_kana(alias) else "Chinese"].add(alias)
    for region in maker.regions("sigungu"):
        own = maker.country.regions[region][0]
        by_script["Korean"].add(own)
        by_script["Latin"].add(spellings.romanized(own[:-1]) + "-" + spellings.romanized(own[-1]))
        for alias in names.regions.get(region, ()):
            by_script["Japanese" if spellings.is_kana(alias) else "Chinese"].add(alias)
    for brand, aliases in names.brands.items():
        by_script["Korean"].add(brand)
        for alias in aliases:
            by_script["Latin" if alias.isascii() else "Japanese"].add(alias)
    # The lists have spaces between Chinese characters; too many names begin with the same single character.
    return {
        script: sorted(name for name in spelled if len(name.replace(" ", "")) > 2)
        for script, spelled in by_script.items()
    }


def test_single_names_are_suggested_a_keystroke_earlier(
    app: Flask, korea: tuple[reference.Country, spellings.Names], capsys: pytest.CaptureFixture[str]
) -> None:
    client, dice = app.test_client(), random.Random(20261123)
    at = {"userLng": PLACES[0][0], "userLat": PLACES[0][1]}
    for script, spelled in single_names(spellings.Maker(*korea), korea[1]).items():
        missing: list[str] = []
        crowded: list[str] = []
        names = dice.sample(spelled, min(SUGGESTED, len(spelled)))
        for name in names:
            query = {"keyword": name, "explain": "true", **at}
            body = client.get("/shops", query_string=query).get_json()
            understood = {(x["kind"], i) for x in body["understood"] for i in x["ids"]}
            if not body["shops"] or not understood:
                continue
            typed = {"keyword": before_the_last_key(name), **at}
            items = client.get("/shops/suggest", query_string=typed).get_json()
            kinds = [item["kind"] for item in items]
            if understood.isdisjoint((item["kind"], item["id"]) for item in items):
                # a full list contains as many other names with this prefix
                is_full = any(kinds.count(kind) >= MOST_SUGGESTED[kind] for kind, _ in understood)
                (crowded if is_full else missing).append(name)
        with capsys.disabled():
            print(f"\n{script}: {len(names)} names, crowded out {crowded}, missing {missing}")
        assert len(missing) <= (1 - LEAST) * len(names), (script, missing)


def test_several_names_are_suggested_a_keystroke_earlier(
    app: Flask, korea: tuple[reference.Country, spellings.Names], capsys: pytest.CaptureFixture[str]
) -> None:
    client = app.test_client()
    at = {"userLng": PLACES[0][0], "userLat": PLACES[0][1]}
    count, missing = 0, []
    for case in spellings.Maker(*korea).mixed():
        if not client.get("/shops", query_string={"keyword": case.keyword, **at}).get_json():
            continue
        count += 1
        typed = {"keyword": before_the_last_key(case.keyword), **at}
        if not client.get("/shops/suggest", query_string=typed).get_json():
            missing.append(case.keyword)
    with capsys.disabled():
        print(f"\nseveral names: {count} keywords, missing {missing}")
    assert count >= 300
    assert len(missing) <= (1 - LEAST) * count, missing
