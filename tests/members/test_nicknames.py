"""Nicknames: allowed characters, uniqueness, changes, and the default nickname of a new member."""

from __future__ import annotations

import json

import pytest

from geoshops import nicknames
from geoshops.messages import LANGUAGES
from geoshops.web.fields import is_blank
from tests.members.conftest import Person, code

GOOD = [
    ("ab", "ab"), ("네컷러버", "네컷러버"), ("  네컷   러버 ", "네컷 러버"), ("네컷\u3000러버", "네컷 러버"),
    ("a_b-c.d", "a_b-c.d"), ("x" * 20, "x" * 20), ("가" * 20, "가" * 20), ("がくせい", "がくせい"),
    ("Ünïcode", "Ünïcode"), ("हिन्दी", "हिन्दी"), ("مصور", "مصور"), ("123", "123"), ("𠮷野家", "𠮷野家"),
    (("\u1112\u1161\u11ab" * 2), "한한"), ("e\u0301e\u0301", "éé"),
]  # fmt: skip
BAD = [
    "a", "x" * 21, "가" * 21, "😀😀", "a😀", "<b>x</b>", "a\u200bb", "\u202eabc", "a'b", 'a"b', "a/b", "a@b",
    "--", "..", "_ _", "\u3164\u3164", "a\u3164", "\u0301a", "x" * 150, "a&b", "a%00b", "a,b",
]  # fmt: skip


@pytest.mark.parametrize(("sent", "stored"), GOOD)
def test_valid_nicknames_are_stored_normalised(minji: Person, sent: str, stored: str) -> None:
    response = minji.patch("/member/nickname", {"nickname": sent})
    assert (response.status_code, response.json["nickname"]) == (200, stored)
    assert minji.get("/member/info").json["nickname"] == stored
    assert response.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("sent", BAD)
def test_invalid_nicknames_are_002_on_check_and_on_change(minji: Person, sent: str) -> None:
    assert code(minji.patch("/member/nickname", {"nickname": sent})) == (400, "002")
    assert code(minji.get("/member/nickname", nickname=sent)) == (400, "002")
    assert minji.get("/member/info").json["nickname"] == "민지"


# Default_Ignorable_Code_Point of Unicode's DerivedCoreProperties.txt
IGNORABLE = [
    (0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F),
    (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164), (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A),
    (0xE0000, 0xE0FFF),
]  # fmt: skip


def test_invisible_characters_are_not_allowed_in_nicknames_and_count_as_blank() -> None:
    for first, last in IGNORABLE:
        for character in map(chr, range(first, last + 1)):
            assert not nicknames.is_allowed(f"행복한{character}고양이"), hex(ord(character))
            assert is_blank(f" {character}"), hex(ord(character))


@pytest.mark.parametrize("invisible", "\ufe0f\u034f\u180b\u17b4\U000e0100\ufe00\U000e0041")
def test_nicknames_with_invisible_characters_are_rejected(minji: Person, invisible: str) -> None:
    for name in ("민지", *nicknames.WITHDRAWN.values()):
        sent = name + invisible
        assert code(minji.patch("/member/nickname", {"nickname": sent})) == (400, "002")
        assert code(minji.get("/member/nickname", nickname=sent)) == (400, "002")


@pytest.mark.parametrize(
    ("body", "error_code"),
    [
        (b"", "001"), (b"[]", "001"), (b"{}", "003"), (b'"x"', "001"), (b"{", "001"), (b"\xed\xa0\x80", "001"),
        (b"[" * 60000, "001"), (b'{"nick": "x"}', "003"), (b'{"nickname": null}', "002"),
        (b'{"nickname": ""}', "002"), (b'{"nickname": " \\u3000\\u200b"}', "002"),
        (b'{"nickname": 12}', "002"), (b'{"nickname": true}', "002"), (b'{"nickname": ["ab"]}', "002"),
        (b'{"nickname": {"a": "b"}}', "002"), (b'{"nickname": "a\\u0000b"}', "002"),
        (b'{"nickname": "ab\\ud800"}', "002"), (b'{"nickname": "a\\nb"}', "002"),
        (b'{"nickname": "a\\tb"}', "002"),
    ],
)  # fmt: skip
def test_invalid_bodies_are_rejected(minji: Person, body: bytes, error_code: str) -> None:
    response = minji.http.patch(
        "/member/nickname", data=body, content_type="application/json", headers=minji.bearer
    )
    assert code(response) == (400, error_code)


def test_large_bodies_are_413_and_forms_415(minji: Person) -> None:
    for data, kind, status in (
        (b"x" * 30_000_000, "application/json", 413),
        (b"nickname=ab", "application/x-www-form-urlencoded", 415),
    ):
        response = minji.http.patch(
            "/member/nickname", data=data, content_type=kind, headers=minji.bearer
        )
        assert response.status_code == status


def test_extra_fields_have_no_effect(minji: Person, junho: Person) -> None:
    body = {"nickname": "새이름", "id": junho.id, "member_id": junho.id, "main_member_title": "x"}
    assert minji.patch("/member/nickname", body).json["id"] == minji.id
    assert junho.get("/member/info").json["nickname"] == "준호"
    assert minji.get("/member/info").json["main_member_title"] == ""


def test_only_unused_nicknames_are_available(minji: Person, junho: Person) -> None:
    for nickname, available in (
        ("새이름", True),
        ("준호", False),
        ("민지", False),
        (" 준호 ", False),
    ):
        response = minji.get("/member/nickname", nickname=nickname)
        assert response.status_code == 200
        assert json.loads(response.data) is available, nickname


@pytest.mark.parametrize("other", ["ABC", "abc", "ＡＢＣ", "ⓐⓑⓒ", "aBc"])
def test_nicknames_are_unique_by_their_folded_form(
    minji: Person, junho: Person, other: str
) -> None:
    assert minji.patch("/member/nickname", {"nickname": "Abc"}).status_code == 200
    expected = (409, "409") if nicknames.is_allowed(other) else (400, "002")
    response = junho.patch("/member/nickname", {"nickname": other})
    assert code(response) == expected
    if expected[0] == 409:
        assert response.json["error_message"] == "[nickname] is already taken"


def test_a_member_may_send_their_own_nickname_again_in_any_case(minji: Person) -> None:
    assert minji.patch("/member/nickname", {"nickname": "민지"}).status_code == 200
    recased = minji.patch("/member/nickname", {"nickname": "Minji"})
    assert minji.patch("/member/nickname", {"nickname": "MINJI"}).json["nickname"] == "MINJI"
    assert recased.json["nickname"] == "Minji"


def test_the_name_of_withdrawn_members_is_reserved(minji: Person) -> None:
    for name in (*nicknames.WITHDRAWN.values(), "former MEMBER"):
        assert minji.get("/member/nickname", nickname=name).json is False
        assert code(minji.patch("/member/nickname", {"nickname": name})) == (409, "409")


def test_an_ended_session_is_reported_before_an_invalid_nickname(minji: Person) -> None:
    minji.make.sql("UPDATE sessions SET ended_at = now()")
    for nickname in ("탈퇴한 회원", "민지"):
        response = minji.patch("/member/nickname", {"nickname": nickname})
        assert code(response) == (401, "101")
        assert "invalid_token" in response.headers["WWW-Authenticate"]


def test_python_and_sql_show_the_same_name_for_withdrawn_members(minji: Person) -> None:
    query = "SELECT nickname_in(ROW(1, NULL, NULL, now(), now())::members, %s)"
    assert {lang: minji.make.sql(query, lang) for lang in LANGUAGES} == nicknames.WITHDRAWN
    assert minji.make.sql(query, None) == nicknames.WITHDRAWN["ko"]


def test_a_repeated_or_missing_parameter_is_rejected(minji: Person) -> None:
    assert code(
        minji.http.get("/member/nickname?nickname=ab&nickname=cd", headers=minji.bearer)
    ) == (400, "002")
    assert code(minji.get("/member/nickname")) == (400, "003")


@pytest.mark.parametrize(
    "provider_name",
    ["김민지", "", None, "😀😀", "x" * 300, "<script>alert(1)</script>", "\u0000\ud800", " - ", "\u0301\u0301", "\u3164", "한 " * 40],
)  # fmt: skip
def test_default_nicknames_are_valid_and_unique(provider_name: str | None) -> None:
    names = nicknames.candidates(provider_name)
    assert len(set(names)) > 8
    assert all(nicknames.is_allowed(name) and nicknames.normalised(name) == name for name in names)
    assert all(name[-4:].isdigit() for name in names)


def test_default_nickname_omits_invisible_characters() -> None:
    provider_name = "葛\U000e0100城 마음\u2764\ufe0f 홍\u3164길동"
    assert nicknames.candidates(provider_name)[0][:-4] == "葛城 마음 홍 길동"


def test_default_nickname_is_the_providers_name_with_four_digits() -> None:
    assert nicknames.candidates("김민지")[0][:3] == "김민지"
    assert len(nicknames.candidates("김민지")[0]) == 7
