"""geoshops import brands: brands with aliases, languages and the representative mark from CSV."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from geoshops.importing.brands import language
from geoshops.importing.fields import InvalidValue
from tests.importing.conftest import Run
from tests.make import Maker

Summary = Callable[..., dict[str, Any]]
Write = Callable[..., Path]
HEAD = "name,alias,lang,is_representative,parent,badge_color"
ROWS = (
    HEAD,
    "포토이즘박스,Photoism Box,en,,포토이즘,",
    "인생네컷,Life4Cuts,EN,true,,#D6336C",
    "인생네컷,人生四格,zh-hans,,,",
    "인생네컷,인생 네컷,,,,",
    "포토이즘,,,yes,,",
)
STATE = """
SELECT b.name, p.name, b.is_representative, b.badge_color,
  (SELECT json_object_agg(a.alias, a.lang ORDER BY a.id)::text FROM brand_aliases a WHERE a.brand_id = b.id)
FROM brands b LEFT JOIN brands p ON p.id = b.parent_id ORDER BY b.name COLLATE "C" """


def test_brands_are_imported_and_shown_on_the_map(
    summary: Summary, write: Write, make: Maker, client: FlaskClient
) -> None:
    make.shop("인생네컷 강남역점", at=(127.03, 37.5), brand_id=None)
    report = summary("import", "brands", write(*ROWS))
    assert (report["inserted"], report["unchanged"], report["shops_changed"]) == (4, 1, 1)
    assert [(*row[:4], row[4] and json.loads(row[4])) for row in make.rows(STATE)] == [
        ("인생네컷", None, True, "#d6336c", {"Life4Cuts": "en", "人生四格": "zh-Hans"}),
        ("포토이즘", None, True, "#52606d", None),
        ("포토이즘박스", "포토이즘", False, "#52606d", {"Photoism Box": "en"}),
    ]
    search = "/shops/brand?userLat=37.5&userLng=127.03&mapLat=37.5&mapLng=127.03"
    assert len(client.get(search).json or []) == 1
    assert len(client.get(f"{search}&brand=Life4Cuts").json or []) == 1
    assert [b["shop_cnt"] for b in client.get("/brands").json or [] if b["shop_cnt"]] == [1]


def test_a_repeated_import_of_brands_changes_nothing(
    summary: Summary, write: Write, make: Maker
) -> None:
    summary("import", "brands", write(*ROWS))
    before = make.rows("SELECT b.*, xmin::text FROM brands b ORDER BY id")
    logged = make.sql("SELECT count(*) FROM audit_log")
    report = summary("import", "brands", write(*ROWS))
    assert (report["unchanged"], report["inserted"], report["updated"]) == (5, 0, 0)
    assert make.rows("SELECT b.*, xmin::text FROM brands b ORDER BY id") == before
    assert make.sql("SELECT count(*) FROM audit_log") == logged


def test_a_dry_run_of_brands_changes_nothing(summary: Summary, write: Write, make: Maker) -> None:
    report = summary("import", "brands", write(*ROWS), "--dry-run")
    assert (report["inserted"], report["dry_run"]) == (4, True)
    assert make.sql("SELECT count(*) FROM brands") + make.sql("SELECT count(*) FROM audit_log") == 0


def test_different_values_are_updated_and_empty_ones_keep_the_old_value(
    summary: Summary, write: Write, make: Maker
) -> None:
    summary("import", "brands", write(*ROWS))
    report = summary(
        "import", "brands", write(HEAD, "life4cuts,,,false,,", "인생네컷,人生四格,zh-Hant,,,")
    )
    assert (report["updated"], report["inserted"]) == (2, 0)
    assert make.rows("SELECT name, is_representative, badge_color FROM brands WHERE id = brand_named('인생네컷')") == [
        ("인생네컷", False, "#d6336c")
    ]  # fmt: skip
    assert make.rows("SELECT alias, lang FROM brand_aliases WHERE lang LIKE 'zh%%' OR alias = 'Life4Cuts' ORDER BY 1", ) == [
        ("Life4Cuts", "en"), ("人生四格", "zh-Hant"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (" ,Alias,,,,", "[name] blank"),
        ("하루필름,Life4Cuts,,,,", "[alias] Life4Cuts is already an alias of 인생네컷"),
        ("하루필름,Haru,english,,,", "[lang] 'english' must be a language tag such as ko, en, ja or zh-Hans"),
        ("하루필름,,en,,,", "[lang] is the language of an alias, but the row has no alias"),
        ("하루필름,,,maybe,,", "[is_representative] 'maybe' must be true or false"),
        ("하루필름,,,,,red", "[badge_color] 'red' must be a colour such as #52606d"),
        ("하루필름,,,,없는 브랜드,", "[parent] unknown brand 없는 브랜드; add a row for it"),
        ("하루필름,,,,하루필름,", "[parent] 하루필름 is the brand itself"),
        ("하루필름,,,,포토이즘박스,", "[parent] 포토이즘박스 is itself a sub-brand"),
        ("포토이즘,,,,인생네컷,", "[parent] 포토이즘 has sub-brands, so it cannot be a sub-brand"),
        ("인생네컷,,,false,,", "[is_representative] contradicts an earlier row of 인생네컷"),
        (f"{'가' * 101},,,,,", "[name] longer than 100 characters"),
        ("하루필름", "the row has 1 values, the header 6"),
    ],
)  # fmt: skip
def test_invalid_rows_are_listed(
    summary: Summary, write: Write, make: Maker, row: str, reason: str
) -> None:
    report = summary("import", "brands", write(*ROWS, row))
    assert (report["inserted"], report["rejected"]) == (4, 1)
    with Path(report["rejects_file"]).open(encoding="utf-8", newline="") as stream:
        assert [(r["line"], r["reason"]) for r in csv.DictReader(stream)] == [("7", reason)]
    assert make.sql("SELECT count(*) FROM brands") == 3, "a rejected row adds no brand"


def test_a_file_without_a_valid_row_is_rejected(run: Run, write: Write, make: Maker) -> None:
    for rows, message in (((HEAD,), "a header but no rows"), ((HEAD, "가,,,maybe,,"), "maybe"),
                       (("title",), "no column for name"), ((HEAD, "가,,,,가,"), "the brand itself")):  # fmt: skip
        done = run("import", "brands", write(*rows))
        assert done.exit_code == 1
        assert message in done.output or "must be true or false" in done.output
        assert "Nothing was changed." in done.output
    assert make.sql("SELECT count(*) FROM brands") == 0


def test_languages_are_shown_and_changed_by_commands(run: Run, make: Maker) -> None:
    make.brand("인생네컷")
    assert run("brands", "alias", "인생네컷", "人生四格", "--lang", "zh-Hans").exit_code == 0
    assert ": 人生四格 (zh-Hans)" in run("brands", "list").output
    assert json.loads(run("brands", "list", "--json").output)[0]["languages"] == {
        "人生四格": "zh-Hans"
    }
    result = run("brands", "alias", "인생네컷", "Life4Cuts", "--lang", "English")
    assert (result.exit_code, "a language must be a tag such as ko, en" in result.output) == (
        1,
        True,
    )


def test_the_parser_and_every_table_of_names_accept_the_same_language_tags(make: Maker) -> None:
    checks = make.rows(
        "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname LIKE '%%lang_is_a_tag'"
    )
    assert len(checks) == 3 and len({*checks}) == 1
    pattern = re.compile(checks[0][0].split("'")[1])
    for text in ("", "ko", "KOR", "zh_hans", "en-us", "sr-LATN-rs"):
        assert pattern.fullmatch(language(text))
    for text in ("k", "english", "zh-han", "zh-hansx", "en-usa", "en-us-latn", "ko-", "k0"):
        assert not pattern.fullmatch(text)
        with pytest.raises(InvalidValue):
            language(text)


def test_brands_of_real_lists_are_imported(
    summary: Summary, write: Write, shared_data: Path, make: Maker
) -> None:
    text = (shared_data / "nsi_photo_booth_brands.json").read_text(encoding="utf-8")
    items = json.loads(text)["items"]
    rows = [
        f'"{item["tags"]["name"]}","{name}",{key[5:]},true'
        for item in items
        for key, name in item["tags"].items()
        if key in ("name:ko", "name:en", "name:ja")
    ]
    assert rows
    report = summary("import", "brands", write("name,alias,lang,is_representative", *rows))
    assert report["rejected"] == 0
    assert make.sql("SELECT count(*) FROM brand_aliases WHERE lang = 'en'") > 0
