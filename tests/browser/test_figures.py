"""Performance of the page: time to the first booths, bytes of a first load, time from pan to booths."""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable

import pytest

from tests.browser.conftest import ARTEFACTS
from tests.browser.visitor import Map, Visitor

Visit = Callable[..., Visitor]
pytestmark = pytest.mark.full

MAX_TRANSFERRED = 2_000_000
# The goals are 1500 ms and 150 ms on an idle machine. Tests run beside others, so these limits only
# catch a page that became slow by a multiple; the figures themselves are kept as artefacts.
FIRST_BOOTHS_MS = 8_000
PAN_MS = 4_000
TRANSFERRED = (
    "() => [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]"
    ".reduce((sum, e) => sum + e.transferSize, 0)"
)
FIRST_BOOTHS = "() => performance.getEntriesByName('booths')[0].startTime"
PAN = """center => new Promise((done) => {
  const { map } = geoshops;
  map.jumpTo({ center });
  const start = performance.now();
  const before = geoshops.state.shops;
  const look = () => {
    const arrived = geoshops.state.shops !== before && map.isSourceLoaded('booths')
      && map.queryRenderedFeatures({ layers: ['pins', 'clusters'] }).length > 0;
    if (arrived) done(performance.now() - start);
    else if (performance.now() - start > 10000) done(-1);
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})"""
STATIONS = [[127.0366, 37.5006], [127.0490, 37.5045], [127.0276, 37.4979], [127.0631, 37.5088]]


def keep(name: str, value: object) -> None:
    """Writes a measured value next to the screenshots."""
    ARTEFACTS.mkdir(parents=True, exist_ok=True)
    path = ARTEFACTS / "figures.json"
    figures = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps({**figures, name: value}, indent=2))


def test_the_first_booths_appear_soon_and_need_few_bytes(visitor: Visit) -> None:
    visits = [visitor(map_seen=Map.WHOLE) for _ in range(3)]
    first = [v.page.evaluate(FIRST_BOOTHS) for v in visits]
    transferred = max(v.page.evaluate(TRANSFERRED) for v in visits)
    keep("first_booths_ms", [round(ms) for ms in first])
    keep("transferred_bytes", transferred)
    assert transferred <= MAX_TRANSFERRED
    assert min(first) < FIRST_BOOTHS_MS


def test_a_pan_shows_its_booths_soon(visitor: Visit) -> None:
    v = visitor(path="/?r=2000", map_seen=Map.WHOLE)
    times = []
    for center in STATIONS * 3:
        times.append(v.page.evaluate(PAN, center))
        v.rest()
    keep("pan_ms", {"median": round(statistics.median(times)), "worst": round(max(times))})
    assert min(times) > 0
    assert statistics.median(times) < PAN_MS
