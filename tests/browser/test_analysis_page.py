"""The HTML report of an analysis in a browser: short lines stay visible, nothing is hidden, and no request is sent."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from shapely.geometry import LineString

from geoshops.analysis import page, scripts, styles
from geoshops.analysis.ground import Ground

PAIRS = {
    "duplicate": LineString([(126.0, 37.0), (126.00005, 37.00005)]),  # seven metres
    "look": LineString([(126.0, 34.0), (129.0, 38.0)]),
}


@pytest.mark.parametrize(("width", "height"), [(1000, 700), (390, 760)])
def test_a_pair_a_few_metres_apart_is_visible_on_the_map_of_a_country(
    browser: Any, tmp_path: Path, width: int, height: int
) -> None:
    rows = [{"verdict": verdict} for verdict in PAIRS]
    file = tmp_path / "page.html"
    style = styles.STYLES["22"]
    heading = ("중복 후보", "전국")
    shapes = list(PAIRS.values())
    text = page.map_page(
        heading, scripts.find("22"), style=style, rows=rows, shapes=shapes, ground=Ground([], [])
    )
    file.write_text(text, encoding="utf-8")
    opened = browser.new_page(viewport={"width": width, "height": height})
    requested: list[str] = []
    opened.on("request", lambda request: requested.append(request.url))
    opened.goto(file.as_uri())
    opened.wait_for_selector("html[data-idle]", state="attached", timeout=60_000)
    shown = opened.locator("#map").bounding_box()
    legend = opened.locator("#legend").bounding_box()
    picture = Image.open(io.BytesIO(opened.locator("#map").screenshot())).convert("RGB")
    opened.close()
    assert [url for url in requested if url.startswith("http")] == []
    assert legend["x"] >= shown["x"] + shown["width"] or legend["y"] >= shown["y"] + shown["height"]
    for verdict in PAIRS:
        color = np.array([int(style.colors[verdict][i : i + 2], 16) for i in (1, 3, 5)])
        near = (np.abs(np.asarray(picture).astype(int) - color) < 12).all(axis=2)
        assert near.sum() > 10, verdict
