"""geoshops import region-names: names of regions in other languages, found by Korean name and position."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.make import Maker

Summary = Callable[..., dict[str, Any]]
ALIASES = """
SELECT r.name, array_agg(a.alias || ' ' || a.lang || ' ' || a.kind ORDER BY a.alias)
FROM region_aliases a JOIN regions r ON r.id = a.region_id GROUP BY r.id ORDER BY r.id"""


def place(make: Maker, region: int, lon: float, lat: float) -> None:
    make.sql(
        "UPDATE regions SET center = ST_MakePoint(%s, %s)::geography WHERE id = %s",
        lon,
        lat,
        region,
    )


def test_names_go_to_the_region_at_the_position(
    summary: Summary, write: Callable[..., Path], make: Maker
) -> None:
    seoul, gyeonggi = (make.region(n, level="sido") for n in ("서울특별시", "경기도"))
    busan = make.region("부산광역시", level="sido")
    for parent, lon, lat in ((seoul, 126.99, 37.56), (busan, 129.03, 35.10)):
        place(make, make.region("중구", parent=parent), lon, lat)
    for name in ("수원시 팔달구", "수원시 영통구"):
        place(make, make.region(name, parent=gyeonggi), 127.0, 37.3)
    path = write(
        "name,name_en,name_ja,name_zh,level,lon,lat",
        "중구,Jung-gu,チュン区|中区,中區,sigungu,126.99,37.56",
        "수원시,,水原,水原市,sigungu,127.0,37.3",
        "없는구,,無,無,sigungu,127.0,37.3",
    )
    report = summary("import", "region-names", path)
    assert (report["inserted"], report["rejected"]) == (2, 1)
    assert make.rows(ALIASES) == [
        ("중구", ["Jung-gu en english", "チュン区 ja foreign", "中区 ja foreign", "中區 zh-Hant foreign"]),
        ("수원시 팔달구", ["水原 ja foreign", "水原市 zh-Hans foreign"]),
        ("수원시 영통구", ["水原 ja foreign", "水原市 zh-Hans foreign"]),
    ]  # fmt: skip
    assert summary("import", "region-names", path)["unchanged"] == 2
