"""Repeated imports: missing shops, shrunk files, and Ctrl-C."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import psycopg2
import psycopg2.extensions
import pytest

from geoshops.console import EXIT_INCOMPLETE
from geoshops.importing.transaction import importing_into
from tests.importing.conftest import Run
from tests.make import Maker

Summary = Callable[..., dict[str, Any]]
Write = Callable[..., Path]
HEAD = "id,name,lon,lat,status,opened,closed"
OPTIONS = (
    "--source", "own", "--map", "id=source_id", "--map", "opened=opened_on", "--map", "closed=closed_on",
)  # fmt: skip


def rows(*numbers: int) -> list[str]:
    return [HEAD, *(f"{n},가게 {n},127.{n:03},37.5,영업,2020-01-01," for n in numbers)]


def test_missing_shops_stay_open_unless_on_missing_is_close(
    summary: Summary, write: Write, make: Maker
) -> None:
    summary("import", "shops", write(*rows(*range(20))), *OPTIONS)
    other = make.shop("다른 가게", source="other", source_id="1")
    fewer = write(*rows(*range(15)))
    assert summary("import", "shops", fewer, *OPTIONS)["closed_missing"] == 0
    make.sql("UPDATE shops SET overrides = '{\"status\": \"OPEN\"}' WHERE source_id = '19'")
    report = summary(
        "import", "shops", fewer, *OPTIONS, "--on-missing", "close", "--as-of", "2026-05-01"
    )
    assert (report["closed_missing"], report["unchanged"]) == (4, 15)
    closed = make.rows(
        "SELECT source_id, closed_on::text FROM shops WHERE status = 'CLOSED' ORDER BY 1"
    )
    assert closed == [(str(n), "2026-05-01") for n in range(15, 19)]
    assert make.sql("SELECT status FROM shops WHERE id = %s", other) == "OPEN"
    back = summary("import", "shops", write(*rows(*range(20))), *OPTIONS)
    assert back["updated"] == 4


def test_an_import_that_would_close_more_than_a_fifth_is_rejected(
    run: Run, summary: Summary, write: Write, make: Maker
) -> None:
    summary("import", "shops", write(*rows(*range(20))), *OPTIONS)
    before = make.rows("SELECT shops.*, xmin::text FROM shops ORDER BY id")
    fifteen = write(*rows(*range(15)), name="fifteen.csv")
    message = "this would close 5 of the 20 open shops of source own: 5 that the file does not list"
    for options in ((), ("--dry-run",)):
        result = run("import", "shops", fifteen, *OPTIONS, "--on-missing", "close", *options)
        assert result.exit_code == 1
        assert message in result.output
        assert "--allow-shrink" in result.output
    assert "5 shops closed because the file no longer lists them" in result.output, (
        "the dry run counts all"
    )
    assert make.rows("SELECT shops.*, xmin::text FROM shops ORDER BY id") == before
    assert summary("import", "shops", fifteen, *OPTIONS)["unchanged"] == 15
    report = summary(
        "import", "shops", fifteen, *OPTIONS, "--on-missing", "close", "--allow-shrink"
    )
    assert report["closed_missing"] == 5


def test_a_file_of_the_same_size_may_not_close_the_shops_of_another(
    run: Run, summary: Summary, write: Write, make: Maker
) -> None:
    """The size of a file does not limit the number of shops that it closes: five lists with one source."""
    for n in range(5):
        path = write(*rows(*range(n * 20, n * 20 + 20 + n)), name=f"{n}.csv")
        result = run("import", "shops", path, *OPTIONS, "--on-missing", "close")
        assert result.exit_code == (1 if n else 0), result.output
        assert n == 0 or "would close 20 of the 20 open shops" in result.output
    assert make.rows("SELECT status, count(*) FROM shops GROUP BY 1") == [("OPEN", 20)]


def test_closings_that_the_file_states_count_too(
    run: Run, summary: Summary, write: Write, make: Maker
) -> None:
    lines = rows(*range(20))
    summary("import", "shops", write(*lines), *OPTIONS)
    closed = [line.replace("영업", "폐업") for line in lines[:6]]
    result = run("import", "shops", write(*closed, *lines[6:-1]), *OPTIONS, "--on-missing", "close")
    assert result.exit_code == 1
    assert "would close 6 of the 20" in result.output
    assert "1 that the file does not list and 5 that are closed in the file" in result.output
    report = summary("import", "shops", write(*closed[:5], *lines[5:]), *OPTIONS)
    assert (report["closed_stated"], report["closed_missing"]) == (4, 0)


PLAIN = "source_id,name,lon,lat"


def plain(*numbers: int) -> list[str]:
    """Rows of a list without a status."""
    return [PLAIN, *(f"{n},가게 {n},127.{n:03},37.5" for n in numbers)]


def test_a_shop_that_an_import_closed_reopens_when_it_is_listed_again(
    summary: Summary, write: Write, make: Maker
) -> None:
    own = ("--source", "own", "--on-missing", "close")
    summary("import", "shops", write(*plain(*range(30))), *own)
    assert summary("import", "shops", write(*plain(*range(26))), *own)["closed_missing"] == 4
    assert make.rows("SELECT DISTINCT closed_by FROM shops WHERE status = 'CLOSED'") == [
        ("IMPORT",)
    ]
    report = summary("import", "shops", write(*plain(*range(30))), *own)
    assert (report["reopened"], report["updated"], report["unchanged"]) == (4, 4, 26)
    assert make.rows("SELECT DISTINCT status, closed_on, closed_by FROM shops") == [
        ("OPEN", None, None)
    ]


def test_only_what_an_import_closed_reopens(
    run: Run, summary: Summary, write: Write, make: Maker
) -> None:
    """1 was closed manually, 2 was closed and its day then changed manually, 3 is merged, 4 is closed in the source."""
    own = ("--source", "own", "--on-missing", "close")
    stated = write("source_id,name,lon,lat,status", "4,가게 4,127.004,37.5,CLOSED")
    summary("import", "shops", stated, "--source", "own")
    summary("import", "shops", write(*plain(*range(40))), "--source", "own")
    ids = dict(make.rows("SELECT source_id, id FROM shops"))
    run("shops", "close", ids["1"], "--reason", "door is shut")
    run("shops", "merge", ids["3"], ids["5"], "--reason", "same door")
    assert summary("import", "shops", write(*plain(*range(3, 40))), *own)["closed_missing"] == 2, (
        "0 and 2"
    )
    run("shops", "set", ids["2"], "closed_on=2020-01-01", "--reason", "long ago")
    report = summary("import", "shops", write(*plain(*range(40))), *own)
    assert report["reopened"] == 1
    assert make.rows(
        "SELECT source_id, closed_by FROM shops WHERE status = 'CLOSED' ORDER BY source_id"
    ) == [("1", "OPERATOR"), ("2", "OPERATOR"), ("3", "OPERATOR"), ("4", "SOURCE")]
    run("shops", "set", ids["1"], "--release", "status", "--reason", "open again")
    assert summary("import", "shops", write(*plain(*range(40))), *own)["reopened"] == 1
    assert make.sql("SELECT status FROM shops WHERE source_id = '1'") == "OPEN"


def test_rows_rejected_this_time_are_closed_only_when_the_file_misses_them(
    summary: Summary, write: Write, make: Maker
) -> None:
    summary("import", "shops", write(*rows(1, 2, 3)), *OPTIONS)
    broken = [
        line.replace("37.5", "abc") if line.startswith("3,") else line for line in rows(1, 2, 3)
    ]
    summary("import", "shops", write(*broken), *OPTIONS, "--on-missing", "close")
    assert make.sql("SELECT status FROM shops WHERE source_id = '3'") == "OPEN"


def test_status_and_dates_are_imported(summary: Summary, write: Write, make: Maker) -> None:
    path = write(
        HEAD,
        "1,가,127,37.5,폐업,2020-01-01,20211231",
        "2,나,127,37.5,휴업,2020.1.5,",
        "3,다,127,37.5,closed,,2021/03/04",
        "4,라,127,37.5,CLOSED,2022-01-01,2021-01-01",
        "5,마,127,37.5,뭐지,,",
        "6,바,127,37.5,OPEN,2021-02-30,",
        "7,사,127,37.5,,,",
    )
    report = summary("import", "shops", path, *OPTIONS)
    assert report["reasons"] == {
        "[closed_on] before opened_on": 1,
        "[status] … must be OPEN, TEMP_CLOSED or CLOSED": 1,
    }
    assert [d["reason"] for d in report["dropped"]] == ["[opened_on] … must be a date such as ………"]
    assert make.rows(
        "SELECT source_id, status, opened_on::text, closed_on::text FROM shops ORDER BY 1"
    ) == [
        ("1", "CLOSED", "2020-01-01", "2021-12-31"),
        ("2", "TEMP_CLOSED", "2020-01-05", None),
        ("3", "CLOSED", None, "2021-03-04"),
        ("6", "OPEN", None, None),
        ("7", "OPEN", None, None),
    ]


def test_verified_on_moves_forward_without_a_change(
    summary: Summary, write: Write, make: Maker
) -> None:
    path = write(*rows(1))
    for day in ("2026-01-01", "2026-02-01", "2026-01-15"):
        summary("import", "shops", path, *OPTIONS, "--as-of", day)
    assert make.rows("SELECT verified_on::text, modified_at = created_at FROM shops") == [
        ("2026-02-01", True)
    ]


def test_opening_hours_and_brands_are_imported(
    run: Run, summary: Summary, write: Write, make: Maker
) -> None:
    path = write(
        "name;lon;lat;brand;opening_hours",
        '가;127;37.5;새 브랜드;[{"day":1,"open":"10:00","close":"22:00"}]',
        '나;127;37.5;새브랜드;[{"day":9,"open":"10:00","close":"22:00"}]',
        "다;127;37.5;;nonsense",
    )
    report = summary("import", "shops", path, "--source", "own", "--add-brands")
    assert (report["inserted"], report["rejected"], report["brands_added"]) == (3, 0, ["새 브랜드"])
    assert [(d["values"], d["lines"]) for d in report["dropped"]] == [(2, [3, 4])]
    many = [f"가게 {n};127;37.5;브랜드 {n};" for n in range(101)]
    result = run(
        "import", "shops", write("name;lon;lat;brand;opening_hours", *many), "--source", "own",
        "--add-brands",
    )  # fmt: skip
    assert result.exit_code == 1
    assert "101 unknown brands" in result.output


def test_invalid_hours_are_dropped_without_the_row(
    summary: Summary, write: Write, make: Maker
) -> None:
    days = ["1.0", '"9"', "NaN", "Infinity", "1e400", '"\\u0000"', '"\\ud800"', "null", "[1]"]
    path = write(
        "name;lon;lat;opening_hours",
        *(
            f'가게 {n};127;37.5;[{{"day":{day},"open":"10:00","close":"22:00"}}]'
            for n, day in enumerate(days)
        ),
        '끝없는 가게;127;37.5;[{"day":1,"open":null,"close":"22:00"}]',
        '겹친 가게;127;37.5;[[{"day":1,"open":"10:00","close":"22:00"}]]',
    )
    report = summary("import", "shops", path, "--source", "own")
    assert (report["inserted"], report["rejected"]) == (11, 0)
    assert make.rows(
        "SELECT opening_hours::text, open_minutes::text FROM shops WHERE opening_hours <> '[]'"
    ) == [('[{"day": 1, "open": "10:00", "close": "22:00"}]', "{[600,1320)}")]
    (dropped,) = report["dropped"]
    assert (dropped["values"], dropped["lines"]) == (10, [*range(3, 13)])
    assert dropped["reason"].startswith("[opening_hours] must be JSON such as")


def test_the_list_of_rejects_disappears_with_the_rejects(
    summary: Summary, write: Write, tmp_path: Path, make: Maker
) -> None:
    bad = write(*rows(1), "2,나,abc,37.5,영업,,")
    report = summary("import", "shops", bad, *OPTIONS)
    assert Path(report["rejects_file"]).exists()
    assert summary("import", "shops", write(*rows(1)), *OPTIONS)["rejects_file"] is None
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.csv"]
    notes = tmp_path / "in.csv.rejected.csv"
    notes.write_text("notes of my own")
    summary("import", "shops", write(*rows(1)), *OPTIONS)
    assert notes.read_text() == "notes of my own"


def test_a_list_of_rejects_that_cannot_be_written_stops_the_import(
    run: Run, write: Write, make: Maker, tmp_path: Path
) -> None:
    bad = write(*rows(1), "2,나,abc,37.5,영업,,")
    result = run("import", "shops", bad, *OPTIONS, "--rejects", tmp_path / "no" / "such" / "folder")
    assert result.exit_code == 1
    assert make.sql("SELECT count(*) FROM shops") == 0


def test_ctrl_c_during_the_commit_does_not_undo_it(
    run: Run, write: Write, make: Maker, monkeypatch: pytest.MonkeyPatch, without_cancelling: None
) -> None:
    class Interrupted(psycopg2.extensions.connection):
        def commit(self) -> None:
            signal.raise_signal(signal.SIGINT)
            super().commit()
            signal.raise_signal(signal.SIGINT)

    connect = partial(psycopg2.connect, connection_factory=Interrupted)
    monkeypatch.setattr("psycopg2.connect", connect)
    result = run("import", "shops", write(*rows(1, 2)), *OPTIONS)
    # the third Ctrl-C interrupts the follow-up work after the commit
    assert result.exit_code == EXIT_INCOMPLETE
    assert "interrupted during the commit: the import is complete" in result.output
    assert make.sql("SELECT count(*) FROM shops") == 2
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_ctrl_c_cancels_a_long_statement(database_url: str) -> None:
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt), importing_into(database_url) as connection:
        timer.start()
        connection.cursor().execute("SELECT pg_sleep(20)")
    assert time.monotonic() - started < 10


@pytest.mark.parametrize("round_", range(4))
def test_ctrl_c_at_any_moment_changes_nothing_or_reports_the_change(
    make: Maker, database_url: str, tmp_path: Path, round_: int
) -> None:
    path = tmp_path / "in.csv"
    lines = [f"{n},가게 {n},{127 + n / 1e6:.6f},37.5" for n in range(20_000)]
    path.write_text("\n".join(["source_id,name,lon,lat", *lines, "x,y,z,37"]), encoding="utf-8")
    command = [
        sys.executable,
        "-c",
        "from geoshops.cli import main; main()",
        "import",
        "shops",
        str(path),
        "--source",
        "own",
    ]
    environment = {**os.environ, "DATABASE_URL": database_url}
    environment.pop("GEOSHOPS_OWNER_DATABASE_URL", None)
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    time.sleep(random.Random(round_).uniform(1.0, 4.0))
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    count = make.sql("SELECT count(*) FROM shops")
    leftovers = sorted(p.name for p in tmp_path.iterdir())
    # a Ctrl-C while the finished process exits changes its exit code, but not its output
    complete = "20001 read" in out or "the import is complete" in err
    assert count == (20_000 if complete else 0), (out, err)
    assert leftovers == ["in.csv", "in.csv.rejected.csv"][: 1 + complete]
    if not complete:
        assert process.returncode != 0
