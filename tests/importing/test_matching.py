"""Shops whose key changed between two imports are recognised: changed columns, a changed key, a merge."""

from __future__ import annotations

import csv
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg2
import pytest

from tests.importing.conftest import Run
from tests.importing.test_large_loads import wait_for_a_blocked_session
from tests.make import Maker

Summary = Callable[..., dict[str, Any]]
Write = Callable[..., Path]
FIRST = "name,lot_address,lon,lat"
OWN = ("--source", "own", "--on-missing", "close")
LICENCES = "개방자치단체코드,관리번호,사업장명,소재지전체주소,도로명전체주소,좌표정보(x),좌표정보(y),영업상태명"
AS_BEFORE = ("--mapping", "localdata", "--map", "관리번호=source_id")
# a metre in degrees of latitude
METRE = 1 / 111_000


def keys(make: Maker) -> dict[int, str]:
    """The key of every shop, by shop id."""
    return dict(make.rows("SELECT id, source_id FROM shops ORDER BY id"))


def booths(numbers: range) -> list[str]:
    return [f"인생네컷 {n}호점,서울 강남구 역삼동 {n},127.{n:03},37.5" for n in numbers]


def licence(office: int, number: str, name: str, x: float, y: float = 444844.0) -> str:
    return f"{office},{number},{name},서울 영등포구 도림동 {number},,{x},{y},영업/정상"


def test_a_list_in_another_layout_matches_its_own_shops(
    summary: Summary, write: Write, make: Maker
) -> None:
    summary("import", "shops", write(FIRST, *booths(range(40))), *OWN)
    before = keys(make)
    other = [
        f"127.{n:03}04;37.49997;인생네컷  {n} 호점;서울 강남구 테헤란로 {n}" for n in range(40)
    ]
    path = write("lon;lat;place_name;road_address", *other)
    report = summary("import", "shops", path, *OWN)
    assert (report["inserted"], report["rekeyed"], report["closed_missing"]) == (0, 40, 0)
    assert keys(make).keys() == before.keys()
    assert keys(make)[min(before)] == "인생네컷0호점|서울강남구테헤란로0"
    again = summary("import", "shops", path, *OWN)
    assert (again["unchanged"], again["rekeyed"]) == (40, 0)


def test_a_dry_run_counts_matches_and_keeps_the_keys(
    summary: Summary, write: Write, make: Maker
) -> None:
    summary("import", "shops", write(FIRST, *booths(range(3))), *OWN)
    before = keys(make)
    path = write("name,lon,lat", *(f"인생네컷 {n}호점,127.{n:03},37.5" for n in range(3)))
    report = summary("import", "shops", path, *OWN, "--dry-run")
    assert (report["inserted"], report["rekeyed"]) == (0, 3)
    assert keys(make) == before


def test_shops_of_one_name_are_matched_by_the_nearest_position(
    summary: Summary, write: Write, make: Maker
) -> None:
    """Two shops of a chain, 60 m apart, and a list in which both are some metres further north."""
    places = (37.5, 37.5 + 60 * METRE)
    lines = [f"포토이즘,서울 {n},127,{place}" for n, place in enumerate(places)]
    summary("import", "shops", write(FIRST, *lines), *OWN)
    ids = [shop for shop, _ in sorted(keys(make).items(), key=lambda shop: shop[1])]
    north = [f"포토이즘,서울 새 {n},127,{place + 20 * METRE}" for n, place in enumerate(places)]
    assert summary("import", "shops", write(FIRST, *reversed(north)), *OWN)["rekeyed"] == 2
    assert keys(make) == {ids[0]: "포토이즘|서울새0", ids[1]: "포토이즘|서울새1"}


@pytest.mark.parametrize(
    ("line", "rekeyed"),
    [
        (f"포토이즘 홍대점,서울,127,{37.5 + 95 * METRE}", 1),
        (f"포토이즘 홍대점,서울,127,{37.5 + 105 * METRE}", 0),
        ("포토이즘 신촌점,서울,127,37.5", 0),
    ],
)
def test_another_name_or_a_distance_of_100_m_is_another_shop(
    summary: Summary, write: Write, make: Maker, line: str, rekeyed: int
) -> None:
    summary("import", "shops", write(FIRST, "포토이즘 홍대점,마포,127,37.5"), "--source", "own")
    report = summary("import", "shops", write(FIRST, line), "--source", "own")
    assert (report["rekeyed"], report["inserted"]) == (rekeyed, 1 - rekeyed)


def test_ids_of_a_source_take_precedence(summary: Summary, write: Write, make: Maker) -> None:
    """A list to which ids are added keeps its shops; another id at the same place is another shop."""
    summary("import", "shops", write(FIRST, *booths(range(3))), "--source", "own")
    before = set(keys(make))
    lines = [f"A-{n},{line}" for n, line in enumerate(booths(range(3)))]
    report = summary("import", "shops", write(f"source_id,{FIRST}", *lines), "--source", "own")
    assert (report["inserted"], report["rekeyed"]) == (0, 3)
    assert set(keys(make)) == before
    other = write(f"source_id,{FIRST}", *(line.replace("A-", "B-") for line in lines))
    assert summary("import", "shops", other, "--source", "own")["inserted"] == 3


def test_a_shop_with_a_name_set_by_hand_is_matched_by_the_name_of_its_key(
    run: Run, summary: Summary, write: Write, make: Maker
) -> None:
    summary("import", "shops", write(FIRST, *booths(range(1))), "--source", "own")
    (shop,) = keys(make)
    run("shops", "set", shop, "place_name=우리집", "--reason", "owner called")
    path = write("name,lon,lat", "인생네컷 0호점,127,37.5")
    assert summary("import", "shops", path, "--source", "own")["rekeyed"] == 1
    assert make.rows("SELECT id, place_name FROM shops") == [(shop, "우리집")]


def test_the_row_of_a_merged_shop_lists_the_shop_that_stays(
    run: Run, summary: Summary, write: Write, make: Maker
) -> None:
    lines = [f"{n},가게 {n},127.{n:03},37.5" for n in range(4)]
    head = "source_id,name,lon,lat"
    summary("import", "shops", write(head, *lines), *OWN)
    kept, duplicate, *_ = keys(make)
    run("shops", "merge", duplicate, kept, "--reason", "same door")
    without = write(head, *(line.replace("가게 1", "새 가게") for line in lines[1:]))
    report = summary("import", "shops", without, *OWN)
    assert (report["closed_missing"], report["inserted"], report["updated"]) == (0, 0, 1)
    assert make.rows("SELECT id, source_id, place_name, status FROM shops ORDER BY id LIMIT 2") == [
        (kept, "0", "새 가게", "OPEN"),
        (duplicate, "1", "가게 1", "CLOSED"),
    ]


def test_new_keys_and_a_review_under_way_cannot_deadlock(
    summary: Summary, write: Write, make: Maker, database_url: str
) -> None:
    """A review refers to the shop, which shares its key, and then counts itself."""
    summary("import", "shops", write(FIRST, *booths(range(1))), "--source", "own")
    (shop,) = keys(make)
    with closing(psycopg2.connect(database_url)) as member:
        cursor = member.cursor()
        cursor.execute("SELECT FROM shops WHERE id = %s FOR KEY SHARE", (shop,))

        def count() -> None:
            wait_for_a_blocked_session(make)
            cursor.execute("UPDATE shops SET favorite_cnt = 1 WHERE id = %s", (shop,))
            member.commit()

        thread = threading.Thread(target=count)
        thread.start()
        path = write("name,lon,lat", "인생네컷 0호점,127,37.5001")
        assert summary("import", "shops", path, "--source", "own")["rekeyed"] == 1
        thread.join()
    assert make.rows("SELECT favorite_cnt, source_id FROM shops") == [(1, "인생네컷0호점|")]


def test_licence_numbers_are_unique_within_their_municipality_only(
    summary: Summary, write: Write, make: Maker
) -> None:
    lines = [licence(3000000 + n, "2018-00001", f"사진관 {n}", 191647 + n) for n in range(30)]
    report = summary("import", "shops", write(LICENCES, *lines), "--mapping", "localdata")
    assert (report["inserted"], report["rejected"]) == (30, 0)
    assert make.sql("SELECT min(source_id) FROM shops") == "3000000|2018-00001"


def test_a_register_imported_by_its_number_alone_keeps_its_shops(
    summary: Summary, write: Write, make: Maker
) -> None:
    """The first row of each number was imported; since then one shop was renamed, one moved, and one was replaced."""
    old = [licence(3000000, f"2018-{n}", f"사진관 {n}", 191647 + n) for n in range(20)]
    summary("import", "shops", write(LICENCES, *old), *AS_BEFORE)
    before = keys(make)
    assert set(before.values()) == {f"2018-{n}" for n in range(20)}
    now = [
        licence(3000000, "2018-0", "새 이름", 191647),
        licence(3000000, "2018-1", "사진관 1", 194647),
        *old[2:19],
        licence(3090000, "2018-19", "먼 사진관", 199647, 454844),
        licence(3090000, "2018-2", "사진관 2", 199647, 454844),
    ]
    path = write(LICENCES, *now)
    report = summary("import", "shops", path, "--mapping", "localdata", "--on-missing", "close")
    assert (report["rekeyed"], report["inserted"], report["closed_missing"]) == (19, 2, 1)
    shops = dict(make.rows("SELECT source_id, id FROM shops"))
    assert {k: shops[f"3000000|{k}"] for i, k in before.items() if k != "2018-19"} == {
        k: i for i, k in before.items() if k != "2018-19"
    }
    assert make.rows("SELECT source_id, place_name FROM shops WHERE status = 'CLOSED'") == [
        ("2018-19", "사진관 19")
    ]
    again = summary("import", "shops", path, "--mapping", "localdata", "--on-missing", "close")
    assert (again["unchanged"], again["rekeyed"], again["closed_missing"]) == (21, 0, 0)


def test_a_rejected_row_lists_the_shop_of_its_former_key(
    summary: Summary, write: Write, make: Maker
) -> None:
    lines = [licence(3000000, f"2018-{n}", f"사진관 {n}", 191647 + n) for n in range(3)]
    summary("import", "shops", write(LICENCES, *lines), *AS_BEFORE)
    broken = write(LICENCES, *lines[:2], lines[2].replace("191649", ""))
    report = summary("import", "shops", broken, "--mapping", "localdata", "--on-missing", "close")
    assert (report["rejected"], report["closed_missing"]) == (1, 0)


def test_a_register_without_the_municipality_is_rejected(
    run: Run, summary: Summary, write: Write, make: Maker
) -> None:
    lines = [licence(3000000, "1", "사진관", 191647).partition(",")[2]]
    path = write(LICENCES.partition(",")[2], *lines)
    result = run("import", "shops", path, "--mapping", "localdata")
    assert result.exit_code == 1
    assert "no column 개방자치단체코드" in result.output
    assert "--map 관리번호=source_id" in result.output
    assert summary("import", "shops", path, *AS_BEFORE)["inserted"] == 1


def test_a_key_that_repeats_with_another_name_is_reported_before_writing(
    run: Run, write: Write, make: Maker
) -> None:
    lines = ["1,가,127,37.5", "2,나,127,37.5", "1,다,127,37.5", "2,나,127,37.5"]
    result = run("import", "shops", write("source_id,name,lon,lat", *lines), "--source", "own")
    assert result.exit_code == 0, result.output
    assert result.output.index("1 keys have several names") < result.output.index("4 read")
    assert "'1' is '가' in line 2 and '다' in line 4" in result.output
    assert "'나'" not in result.output


@pytest.mark.parametrize("options", [(), ("--dry-run",)])
def test_a_column_that_is_no_key_rejects_the_file(
    run: Run, write: Write, make: Maker, options: tuple[str, ...]
) -> None:
    lines = [f"{n % 20},가게 {n},127.{n:03},37.5" for n in range(40)]
    path = write("source_id,name,lon,lat", *lines)
    result = run("import", "shops", path, "--source", "own", *options)
    assert result.exit_code == 1
    assert "20 keys have several names" in result.output
    assert "--map OFFICE=source_id --map NUMBER=source_id" in result.output
    assert make.sql("SELECT count(*) FROM shops") == 0


def test_the_real_register_keeps_its_shops_when_numbers_repeat_between_municipalities(
    summary: Summary, run: Run, shared_data: Path, tmp_path: Path, make: Maker
) -> None:
    """Numbers without the code of the municipality, as in other registers."""
    path = tmp_path / "register.csv"
    source = shared_data / "localdata_animal_hospital_202307_cp949_epsg5174.csv"
    with source.open(encoding="cp949", newline="") as given, path.open("w", newline="") as made:
        rows = csv.DictReader(given)
        writer = csv.DictWriter(made, rows.fieldnames or ())
        writer.writeheader()
        for row in rows:
            row["관리번호"] = row["관리번호"].removeprefix(row["개방자치단체코드"])
            writer.writerow(row)
    rejected = run("import", "shops", path, *AS_BEFORE)
    assert rejected.exit_code == 1
    assert "keys have several names" in rejected.output
    options = ("--mapping", "localdata", "--on-missing", "close")
    whole = summary("import", "shops", path, *options)
    make.sql(
        "DELETE FROM shops WHERE id NOT IN (SELECT min(id) FROM shops GROUP BY split_part(source_id, '|', 2))"
    )
    make.sql("UPDATE shops SET source_id = split_part(source_id, '|', 2)")
    names = dict(make.rows("SELECT id, place_name FROM shops"))
    report = summary("import", "shops", path, *options)
    assert report["rekeyed"] == len(names) < whole["inserted"]
    assert (report["inserted"], report["closed_missing"]) == (whole["inserted"] - len(names), 0)
    assert names.items() <= dict(make.rows("SELECT id, place_name FROM shops")).items()


def test_real_lists_of_booths_close_reopen_change_their_layout_and_merge(
    summary: Summary, run: Run, shared_data: Path, tmp_path: Path, make: Maker
) -> None:
    folder = shared_data / "photobooths_kr_chalkak"
    long, short = folder / "dontlxxkup_geocoded.csv", folder / "photoheim_geocoded.csv"
    options = ("--mapping", "booths", "--source", "one", "--rejects", tmp_path / "rejected.csv")
    assert summary("import", "shops", long, *options, "--on-missing", "close")["inserted"] == 35
    rejected = run("import", "shops", short, *options, "--on-missing", "close")
    assert rejected.exit_code == 1
    assert "this would close 35 of the 35 open shops of source one" in rejected.output
    closed = summary("import", "shops", short, *options, "--on-missing", "close", "--allow-shrink")
    assert closed["closed_missing"] == 35
    assert summary("import", "shops", long, *options)["reopened"] == 35
    ids = set(keys(make))
    path = tmp_path / "other.csv"
    with long.open(encoding="utf-8", newline="") as given, path.open("w", newline="") as made:
        writer = csv.writer(made, delimiter=";")
        writer.writerow(["x", "y", "name", "lot_address"])
        for row in csv.DictReader(given):
            writer.writerow(
                [row["longitude"][:8], row["latitude"][:7], row["name"], row["address"]]
            )
    other = summary("import", "shops", path, "--source", "one")
    assert (other["inserted"], other["rekeyed"], set(keys(make))) == (0, 35, ids)
    again = summary("import", "shops", long, "--mapping", "booths", "--source", "two", *options[4:])
    assert again["inserted"] == 35
    make.sql(
        "UPDATE shops SET brand_id = (SELECT min(id) FROM brands) WHERE source IN ('one', 'two')"
    )
    merged = run("shops", "merge", "--all-certain", "--reason", "two sources")
    assert "35 shops merged" in merged.output
