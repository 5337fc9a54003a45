"""Tests precision and recall at 10 against the reference search, on the generated country."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import pytest
from click.testing import CliRunner
from flask import Flask

from geoshops.cli import main
from tests.make import Maker
from tests.search import reference
from tests.search.cases import Case, all_cases

PLACES = ((126.9779, 37.5663), (129.0592, 35.1578), (126.5312, 33.4996))
# required average of each group of keywords
LEAST = 0.95
SEED = (
    "seed",
    "--shops",
    "1600",
    "--reviews",
    "0",
    "--members",
    "1",
    "--today",
    "2026-06-01",
    "--yes",
)


@pytest.fixture(scope="module")
def country(make_once: Maker, database_url: str) -> Iterator[reference.Country]:
    """The generated country, loaded for the reference search."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DATABASE_URL", database_url)
        patch.delenv("GEOSHOPS_OWNER_DATABASE_URL", raising=False)
        seeded = CliRunner().invoke(main, SEED)
    assert seeded.exit_code == 0, seeded.output
    yield reference.read(make_once)


def measure(
    app: Flask, country: reference.Country, case: Case, at: tuple[float, float]
) -> tuple[float, float]:
    """Precision and recall of the first ten results."""
    query = {"keyword": case.keyword, "userLng": at[0], "userLat": at[1], "page": 1, "size": 10}
    response = app.test_client().get("/shops", query_string=query)
    assert response.status_code == 200, response.text
    shop_ids = [shop["id"] for shop in response.json or []]
    wanted = [shop.id for shop in country.find(case.intent, at)]
    relevant = set(shop_ids) & set(wanted)
    precision = len(relevant) / len(shop_ids) if shop_ids else float(not wanted)
    return precision, len(set(shop_ids) & set(wanted[:10])) / min(
        10, len(wanted)
    ) if wanted else precision


def test_precision_and_recall_at_ten(
    app: Flask, country: reference.Country, capsys: pytest.CaptureFixture[str]
) -> None:
    cases = all_cases(country)
    assert len({case.keyword for case in cases}) >= 200
    figures: dict[str, list[tuple[float, float]]] = defaultdict(list)
    weak = []
    for number, case in enumerate(cases):
        figure = measure(app, country, case, PLACES[number % len(PLACES)])
        figures[case.group].append(figure)
        if min(figure) < 1:
            weak.append(
                f"{case.group}: {case.keyword!r} precision {figure[0]:.2f} recall {figure[1]:.2f}"
            )
    with capsys.disabled():
        print(f"\n{len(cases)} keywords, precision and recall at 10")
        for group, pairs in figures.items():
            print(f"  {group:18} {len(pairs):4}  {_mean(pairs, 0):.3f}  {_mean(pairs, 1):.3f}")
        print("\n".join(weak[:40]))
    for group, pairs in figures.items():
        assert _mean(pairs, 0) >= LEAST, (group, weak)
        assert _mean(pairs, 1) >= LEAST, (group, weak)


def _mean(pairs: list[tuple[float, float]], part: int) -> float:
    return sum(pair[part] for pair in pairs) / len(pairs)
