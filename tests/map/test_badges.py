"""Tests badges: letters that distinguish brands."""

from __future__ import annotations

import re

import pytest
from flask.testing import FlaskClient

from geoshops.map.badges import initials
from tests.make import Maker


@pytest.mark.parametrize(
    ("name", "parent", "namesake", "letters"),
    [
        ("인생네컷", None, False, "인생"),
        ("포토이즘", None, True, "이즘"),
        ("포토그레이", None, True, "그레"),
        ("포토이즘박스", "포토이즘", True, "박스"),
        ("포토", None, True, "포토"),
        ("photo booth", "photo", False, "bo"),
    ],
)
def test_letters_skip_what_other_brands_share(
    name: str, parent: str | None, namesake: bool, letters: str
) -> None:
    assert initials(name, parent, namesake=namesake) == letters


def test_brands_with_the_same_first_letters_have_different_badges(
    client: FlaskClient, make: Maker
) -> None:
    names = ["포토이즘", "포토그레이", "포토시그니처", "인생네컷"]
    badges = [client.get(f"/brands/{make.brand(name)}.svg") for name in names]
    drawn = [client.get(badge.request.path).text for badge in badges]
    letters = [re.findall(">([^<]+)</text>", svg)[0] for svg in drawn]
    assert letters == ["이즘", "그레", "시그", "인생"]
