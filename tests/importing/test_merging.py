"""geoshops shops merge for many pairs: from a file, or all certain ones."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from geoshops.shops import corrections
from tests.importing.conftest import Run
from tests.make import GANGNAM, Maker

Write = Callable[..., Path]
METRE = 1 / 111_000
REASON = ("--reason", "the same door")


def north(metres: float) -> tuple[float, float]:
    return (GANGNAM[0], GANGNAM[1] + metres * METRE)


def merged(make: Maker) -> dict[int, int | None]:
    return dict(make.rows("SELECT id, merged_into_id FROM shops ORDER BY id"))


def ok(run: Run, *args: object) -> str:
    result = run("shops", *args)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_pairs_of_a_file_are_merged_once(run: Run, make: Maker, write: Write) -> None:
    """The last pair contains a shop that an earlier pair merges."""
    make.brand()
    a, b, c, d = (make.shop(f"인생네컷 {n}호점") for n in range(4))
    path = write(
        "into_id,note,duplicate_id", f"{a},x,{b}", f"{c},,{d}", f"{b},,{c}", encoding="utf-8-sig"
    )
    dry = ok(run, "merge", "--from", path, *REASON, "--dry-run")
    assert f"{b} 인생네컷 1호점 → {a} 인생네컷 0호점" in dry
    assert "dry run: 3 shops would be merged, 0 pairs are already merged" in dry
    assert set(merged(make).values()) == {None}
    assert "3 shops merged, 0 pairs were already merged" in ok(
        run, "merge", "--from", path, *REASON
    )
    assert merged(make) == {a: None, b: a, c: a, d: a}
    assert make.sql("SELECT shop_cnt FROM brands") == 1
    assert "0 shops merged, 3 pairs were already merged" in ok(
        run, "merge", "--from", path, *REASON
    )
    assert make.rows(
        "SELECT action, subject_id, reason, detail ->> 'into' FROM audit_log ORDER BY id"
    ) == [
        ("merge", b, "the same door", str(a)),
        ("merge", d, "the same door", str(c)),
        ("merge", c, "the same door", str(a)),
    ]


def test_an_interrupted_run_is_continued(run: Run, make: Maker, write: Write) -> None:
    make.brand()
    a, b, c = (make.shop(f"인생네컷 {n}호점") for n in range(3))
    ok(run, "merge", b, a, *REASON)
    path = write("duplicate_id,into_id", f"{b},{a}", f"{c},{a}")
    assert "1 shops merged, 1 pairs were already merged" in ok(
        run, "merge", "--from", path, *REASON
    )
    assert merged(make) == {a: None, b: a, c: a}


def test_ctrl_c_keeps_the_pairs_already_merged(
    run: Run, make: Maker, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    make.brand()
    a, b, c = (make.shop(f"인생네컷 {n}호점") for n in range(3))
    merge = corrections.merge

    def interrupted(cursor: Any, duplicate_id: int, *args: Any) -> None:
        if duplicate_id == c:
            raise KeyboardInterrupt
        merge(cursor, duplicate_id, *args)

    monkeypatch.setattr(corrections, "merge", interrupted)
    path = write("duplicate_id,into_id", f"{b},{a}", f"{c},{a}")
    result = run("shops", "merge", "--from", path, *REASON)
    assert result.exit_code == 3
    assert "Changes committed before are kept" in result.output
    assert merged(make) == {a: None, b: a, c: None}
    assert make.sql("SELECT shop_cnt FROM brands") == 2


def test_errors_in_a_file_are_listed_before_anything_is_merged(
    run: Run, make: Maker, write: Write
) -> None:
    make.brand()
    a, b, c = (make.shop(f"인생네컷 {n}호점") for n in range(3))
    path = write("duplicate_id,into_id", f"{b},{a}", f"{b},{c}", f"{a},999", f"{c},{c}")
    result = run("shops", "merge", "--from", path, *REASON)
    assert result.exit_code == 1
    assert f"line 3: shop {b} is already merged into {a}" in result.output
    assert "line 4: no shop with id 999" in result.output
    assert f"line 5: shop {c} cannot be merged into itself" in result.output
    assert "Nothing was changed" in result.output
    assert set(merged(make).values()) == {None}


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (("duplicate,into", "1,2"), "has no column duplicate_id, into_id"),
        (("duplicate_id,into_id", "1,zwei"), "line 2: [into_id] 'zwei' is not a shop id"),
        (("duplicate_id,into_id", "1"), "line 2: [into_id] '' is not a shop id"),
        (("duplicate_id,into_id", f"1,{2**63}"), "line 2: [into_id]"),
    ],
)
def test_a_file_that_holds_no_pairs_is_rejected(
    run: Run, write: Write, lines: tuple[str, ...], expected: str
) -> None:
    result = run("shops", "merge", "--from", write(*lines), *REASON)
    assert result.exit_code == 1
    assert expected in result.output


@pytest.mark.parametrize(
    "args", [(), ("1",), ("1", "2", "--all-certain"), ("--all-certain", "--from", "pairs.csv")]
)
def test_exactly_one_source_of_pairs_is_required(run: Run, args: tuple[str, ...]) -> None:
    assert run("shops", "merge", *args, *REASON).exit_code == 2


def test_certain_duplicates_are_merged_and_others_are_left(
    run: Run, make: Maker, write: Write
) -> None:
    make.brand()
    kept = make.shop("인생네컷 강남역점")
    same = make.shop("인생네컷강남역점", at=north(15))
    third = make.shop("인생네컷 강남역점", at=north(10))
    apart = make.shop("인생네컷 강남역점", at=north(5))
    similar = make.shop("인생네컷 강남역 2점", at=north(3))
    far = make.shop("인생네컷 강남역점", at=north(38))
    rival = make.shop("인생네컷 강남역점", brand_id=make.brand("하루필름"))
    for other in (kept, same, third):
        ok(run, "keep-apart", apart, other, *REASON)
    assert "2 shops would be merged" in ok(run, "merge", "--all-certain", *REASON, "--dry-run")
    assert set(merged(make).values()) == {None}
    assert "2 shops merged" in ok(run, "merge", "--all-certain", *REASON)
    assert merged(make) == {
        kept: None, same: kept, third: kept, apart: None, similar: None, far: None, rival: None,
    }  # fmt: skip
    assert "0 shops merged" in ok(run, "merge", "--all-certain", *REASON)
    assert make.sql("SELECT count(*) FROM audit_log WHERE action = 'merge'") == 2


def test_candidates_as_csv_can_be_merged(run: Run, make: Maker, tmp_path: Path) -> None:
    make.brand()
    kept, duplicate = (
        make.shop('Life4Cuts Gangnam, "Station"'),
        make.shop("Life4Cuts Gangnam Station", at=north(30)),
    )
    path = tmp_path / "pairs.csv"
    path.write_text(ok(run, "duplicates", "--csv"), encoding="utf-8")
    assert "1 shops merged" in ok(run, "merge", "--from", path, *REASON)
    assert merged(make) == {kept: None, duplicate: kept}


def test_a_list_that_was_imported_twice_is_merged_by_one_command(
    run: Run, make: Maker, write: Write
) -> None:
    """Reviews are moved, every shop has one audit entry, and the next import of either layout closes nothing."""
    make.brand()
    lines = [f"인생네컷 {n}호점,{n}로,127.{n:03},37.5" for n in range(200)]
    path = write("name,road_address,lon,lat", *lines)
    options = ("--source", "own", "--on-missing", "close")
    assert run("import", "shops", path, *options).exit_code == 0
    make.sql(
        "INSERT INTO shops (place_name, brand_id, geog, source, source_id)"
        " SELECT place_name, brand_id, geog, source, 'second-' || id FROM shops"
    )
    review = make.review(make.member(), make.sql("SELECT max(id) FROM shops"))
    assert "200 shops merged" in ok(run, "merge", "--all-certain", *REASON)
    assert make.sql("SELECT count(DISTINCT subject_id) FROM audit_log") == 200
    assert make.sql("SELECT shop_id FROM reviews WHERE id = %s", review) <= 200
    assert run("import", "shops", path, *options).exit_code == 0
    assert make.sql("SELECT count(*) FROM shops WHERE status = 'OPEN'") == 200


def test_a_duplicate_of_a_merged_shop_is_merged_into_the_one_that_stays(
    run: Run, make: Maker
) -> None:
    make.brand()
    stays, gone, duplicate = (make.shop(f"인생네컷 {n}호점") for n in range(3))
    run("shops", "merge", str(gone), str(stays), *REASON)
    result = run("shops", "merge", str(duplicate), str(gone), *REASON)
    assert f"shop {duplicate} is merged into {stays}" in result.output
    assert merged(make) == {stays: None, gone: stays, duplicate: stays}


def test_the_error_of_a_single_pair_names_no_line(run: Run, make: Maker) -> None:
    make.brand()
    result = run("shops", "merge", str(make.shop()), "999", *REASON)
    assert (result.exit_code, "Error: no shop with id 999" in result.output) == (1, True)
