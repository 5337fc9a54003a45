"""Tests hostile keywords: they get a response, and the database work for each is bounded."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from flask import Flask
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from geoshops import create_app
from geoshops.messages import LANGUAGES
from tests.make import Maker
from tests.search.conftest import SEOUL_CITY_HALL
from tests.search.country import Country

REPORTED = ["life four cuts hongdae", "hongik university station", "self photo studio near gangnam"]
GENERATED = [
    "vudchs vudchs dkaskaehd rnswkehd 76 dhsmfdmlvlffma vhgkdtl dlstodspzjt dlsrPehdskgPtjrrjflwja",
    "포토이즘박스 대흥동점 포토이즘 원주 단양 하루필름 인천터미널점 busan 순창 남악로 논현 의령군 종로3가 251",
    "fourqnvudtnwjdrntlalseofhvhxhdlwmaqkrtmcnscjsaudwjacheaptofhawnddkdfhrlagotldhsmfmdlvlffmawnrwjsnig",
    "anwlrotkwlsrhks 구컷상329위군모노러드덕장 팔달남면대로천연제151 gmdejr dlstodspzjt rudwntl dnjswn tksskaehd",
    "뼤양구 하루ᅵᆯ름 경안점 플레이ᄎ인더박스 stdio road 긤포공항 haul 하루피름 셀ᄂ픽스 쏭안구",
    "포토이즘박스 تدحخزؠثخسآا 枕嫵韈以渽線哾痜鋰棏緛畔 ；＾ｄＣ＞ＱＴＮｂ４２Ｉ حإثنطؾقشةرل 痦倶鳦坓摼嶌繂恋",
    "강남인생네컷홍대포토이즘신촌하루필름성수포토그레이중구강남구마포구종로구" * 2,
    "1 2 3 4 5 6 7 8 9 10 11 12",
    "ㄱ ㄴ ㄷ ㄹ ㅁ ㅂ ㅅ ㅇ ㅈ ㅊ ㅋ ㅌ",
    "포토 인생 하루 강남 점 로 길 구 시 동 필름 네컷",
    "Hongik hongik hongik hongik hongik hongik hongik hongik hongik hongik hongik hongik",
    "가" * 100,
    "포토그레이 신평점 361 무지개사진관 서울 북촌점 포남동",
    "돈룩업 서울 잠실돜점 인생네쾃 신촌르ᅩ best 안ᄌ양시",
    "TOG 늘 산 령 2 용 p 점 서부동 통구 름 오늘의",
    "371wlscjsdlstodspzjtdyddlstlaktksgkqvhrn",
    "389 포토이즘컬러드 포토이즘박스 창천동점 322 photo 미사",
    "당 스 비 명 명동",
    "업",
]
HOSTILE = [*REPORTED, *(keyword[:100] for keyword in GENERATED)]
DICTIONARIES = ["brands", "brand_aliases", "regions", "region_aliases", "stations"]
READS = """
SELECT coalesce(sum(seq_tup_read), 0), coalesce(sum(idx_scan), 0), coalesce(sum(idx_tup_fetch), 0)
FROM pg_stat_xact_user_tables"""
SEARCH = """
SELECT shops_by_keyword(%s, 127.0276, 37.4979, NULL, 'distance', '', 300, 300, 0)"""
SUGGEST = "SELECT shops_suggest(%s, 127.0276, 37.4979)"


@pytest.mark.parametrize("keyword", HOSTILE)
def test_a_hostile_keyword_gets_a_response(app: Flask, land: Country, keyword: str) -> None:
    client = app.test_client()
    at = {"userLng": SEOUL_CITY_HALL[0], "userLat": SEOUL_CITY_HALL[1]}
    for path, name in (("/shops", "keyword"), ("/shops/suggest", "q")):
        response = client.get(path, query_string={name: keyword, **at})
        assert response.status_code == 200, response.text
        assert isinstance(response.json, list)


def test_keyword_searches_leave_connections_to_radius_searches(
    connection: Any, service_url: str, land: Country
) -> None:
    app = create_app({"database_url": service_url, "testing": True, "pool_size": 3})
    center = {"mapLng": SEOUL_CITY_HALL[0], "mapLat": SEOUL_CITY_HALL[1]}
    at = {"userLng": SEOUL_CITY_HALL[0], "userLat": SEOUL_CITY_HALL[1]}

    def status(path: str, **query: object) -> int:
        return app.test_client().get(path, query_string={**query, **at}).status_code

    blocker = connection.cursor()
    # only keyword searches read stations
    blocker.execute("BEGIN; LOCK TABLE stations IN ACCESS EXCLUSIVE MODE")
    try:
        with ThreadPoolExecutor(6) as clients:
            waiting = [clients.submit(status, "/shops", keyword="강남") for _ in range(6)]
            while not blocked(blocker):
                assert not any(search.done() for search in waiting)
            assert [status("/shops/brand", radius="1000", **center) for _ in range(5)] == [200] * 5
    finally:
        blocker.execute("ROLLBACK")


def blocked(cursor: Any) -> bool:
    cursor.execute("SELECT count(*) >= 2 FROM pg_locks WHERE NOT granted")
    return bool(cursor.fetchone()[0])


def reads(connection: Any, statement: str, keyword: str) -> tuple[int, int, int]:
    """Rows read without an index, look-ups in indexes, and rows read by them, of one statement."""
    cursor = connection.cursor()
    counts = []
    for query in (READS, statement, READS):
        cursor.execute(query, (keyword,) if query == statement else None)
        counts.append(cursor.fetchone())
    before, _, after = counts
    return tuple(int(y - x) for x, y in zip(before, after, strict=True))  # type: ignore[return-value]


@pytest.fixture
def dictionaries_analysed(connection: Any, land: Country) -> None:
    """Current statistics: autovacuum may have left those of empty tables, with which small tables are read whole."""
    connection.cursor().execute(f"ANALYZE {', '.join(DICTIONARIES)}")


@pytest.mark.parametrize("statement", [SEARCH, SUGGEST])
@pytest.mark.parametrize("keyword", HOSTILE)
def test_the_look_ups_for_a_hostile_keyword_are_bounded(
    connection: Any, dictionaries_analysed: None, keyword: str, statement: str
) -> None:
    rows_without_index, look_ups, rows = reads(connection, statement, keyword)
    assert look_ups <= 10_000
    assert rows <= 2_000
    # of tables that fit a page
    assert rows_without_index <= 2_000


@pytest.fixture
def dictionaries_analysed_empty(connection: Any, land: Country) -> Iterator[None]:
    """The statistics that autovacuum leaves when it runs just before a load."""
    cursor = connection.cursor()
    cursor.execute(
        "UPDATE pg_class SET reltuples = 0, relpages = 1 WHERE oid = ANY (%s::regclass[])",
        (DICTIONARIES,),
    )
    yield
    cursor.execute(f"ANALYZE {', '.join(DICTIONARIES)}")


@pytest.mark.parametrize("statement", [SEARCH, SUGGEST])
@pytest.mark.parametrize("keyword", ["인생네컷, 서울숲", "서울강남", *REPORTED])
def test_statistics_of_empty_dictionaries_do_not_make_look_ups_compute_terms(
    connection: Any, dictionaries_analysed_empty: None, keyword: str, statement: str
) -> None:
    cursor = connection.cursor()
    # in one transaction, after which the counts would be gone
    cursor.execute("BEGIN")
    cursor.execute("SET LOCAL track_functions = 'pl'")
    cursor.execute(statement, (keyword,))
    cursor.execute(
        "SELECT count(*) FROM pg_stat_xact_user_functions WHERE funcname = 'search_terms'"
    )
    computed = cursor.fetchone()
    cursor.execute("ROLLBACK")
    assert computed == (0,)


def test_no_index_that_is_looked_up_key_by_key_keeps_a_pending_list(make: Maker) -> None:
    indexes = make.rows(
        "SELECT c.relname, 'fastupdate=off' = ANY (coalesce(c.reloptions, '{}')) FROM pg_class c JOIN pg_am a ON a.oid = c.relam"
        " WHERE a.amname = 'gin' AND c.relname ~ '_(terms|spellings|words|sounds)_idx$' ORDER BY 1"
    )
    assert indexes == [
        (name, True)
        for name in (
            "brand_aliases_spellings_idx", "brand_aliases_terms_idx", "brands_sounds_idx", "brands_spellings_idx", "brands_terms_idx",
            "region_aliases_spellings_idx", "region_aliases_terms_idx", "regions_spellings_idx", "regions_terms_idx",
            "shops_sounds_idx", "shops_words_idx", "station_aliases_spellings_idx", "stations_spellings_idx", "stations_terms_idx",
        )
    ]  # fmt: skip


FOREIGN = [
    "カ" * 100,
    "明" * 100,
    "ｱｲｳﾞﾊﾟ" * 20,
    "שלום gangnam עולם",
    "مرحبا 江南",
    "e\u0301o\u0308" * 25,
    "ＧＡＮＧＮＡＭ ｓｔａｔｉｏｎ",
    "👩‍👩‍👧 弘大 👍🏽",
    "gangnam " * 12,
    "a b c d e f g h i j k l m n o p q r s t u v w x y z",
    "강남江南gangnamカンナム" * 5,
    "\u202egangnam\u202c",
]


@pytest.mark.parametrize("statement", [SEARCH, SUGGEST])
@pytest.mark.parametrize("keyword", FOREIGN)
def test_keywords_in_any_script_get_a_response(
    connection: Any, keyword: str, statement: str
) -> None:
    cursor = connection.cursor()
    cursor.execute(statement, (keyword,))
    assert cursor.fetchone()[0]


# first and last characters of the scripts that users and attackers type
RANGES = (
    ("\uac00", "\ud7a3"), ("\u1100", "\u11ff"), ("\u3131", "\u318e"), ("a", "z"), ("A", "Z"), ("0", "9"), ("\u00c0", "\u017f"),
    ("\u3041", "\u30ff"), ("\uff65", "\uffdc"), ("\uff01", "\uff5e"), ("\u4e00", "\u9fff"), ("\U00020000", "\U000200ff"),
    ("\u0590", "\u05ff"), ("\u0600", "\u06ff"), ("\u0e00", "\u0e7f"), ("\u0300", "\u036f"), ("\u200b", "\u202e"),
    ("\u2066", "\u2069"), ("\U0001f300", "\U0001faff"), ("\ufe00", "\ufe0f"), ("\U000e0000", "\U000e01ef"),
)  # fmt: skip
LETTERS = st.one_of(
    *(st.characters(min_codepoint=ord(a), max_codepoint=ord(z)) for a, z in RANGES),
    st.characters(exclude_categories=["Cs"]),
    st.sampled_from(" 역駅站-·・_%\\'\"\x00\n"),
)
NAMES = st.sampled_from(
    ["강남", "인생네컷", "gangnam", "カンナム", "江南", "홍대", "서울", "photo"]
)
TYPED = st.lists(st.one_of(NAMES, st.text(LETTERS, max_size=8)), min_size=1, max_size=12).map(
    "".join
)


def test_no_text_makes_a_search_or_a_suggestion_fail(app: Flask, land: Country) -> None:
    client = app.test_client()

    @settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
    @given(typed=TYPED, lang=st.sampled_from([None, *LANGUAGES]))
    @example(typed="\u0301" * 50, lang="ja")
    @example(typed="\u1100" * 100, lang="en")
    @example(typed="ﾊﾟ゛゜ーﾞ", lang="zh-Hant")
    def check(typed: str, lang: str | None) -> None:
        at = {"userLng": SEOUL_CITY_HALL[0], "userLat": SEOUL_CITY_HALL[1], "lang": lang}
        for path, more in (("/shops", {"explain": "true"}), ("/shops/suggest", {})):
            query = {"keyword": typed, **at, **more}
            response = client.get(path, query_string={k: v for k, v in query.items() if v})
            assert response.status_code in (200, 400), (path, response.text)
            assert "error_code" in response.json or response.status_code == 200

    check()


def test_the_parts_of_a_keyword_that_may_be_names_are_few(make: Maker) -> None:
    make.sql("INSERT INTO regions (level, name) VALUES ('sido', '가가가가가가가가가가가가도')")
    for keyword in FOREIGN:
        starts = "ARRAY(SELECT i = 1 OR i > length(w) FROM generate_series(1, length(w) + 1) i)"
        spans = (
            f"SELECT count(*) FROM (SELECT array_to_string(keyword_words(%s), '') AS w) k"
            f" CROSS JOIN LATERAL (SELECT * FROM latin_spans(w, {starts}) UNION ALL SELECT * FROM cjk_spans(w, {starts})) s"
        )
        assert make.sql(spans, keyword) <= 1000, keyword
