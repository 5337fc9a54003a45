"""Tests generated members, reviews and favorites: deterministic, in the right period, without duplicates."""

from __future__ import annotations

import re
from collections import Counter
from datetime import date

import pytest

from geoshops.sample.clock import DAY_S
from geoshops.sample.country import Country, Entry, Size
from geoshops.sample.ground import Ground

SIZE = Size(1500, 20_000, 300)
TODAY = date(2026, 6, 1)
NOWHERE = Ground([])


@pytest.fixture(scope="module")
def country() -> Country:
    return Country(1, SIZE, TODAY, NOWHERE)


@pytest.fixture(scope="module")
def entries(country) -> list[Entry]:
    return list(country.entries())


def test_the_same_seed_gives_the_same_country(entries):
    assert list(Country(1, SIZE, TODAY, NOWHERE).entries()) == entries
    assert list(Country(2, SIZE, TODAY, NOWHERE).entries()) != entries


def test_more_reviews_do_not_move_a_booth(entries):
    more = Country(1, SIZE._replace(reviews=30_000), TODAY, NOWHERE).entries()
    assert [e.shop for e in more] == [e.shop for e in entries]


def test_the_numbers_of_rows_are_as_requested(country, entries):
    assert len(entries) == 1500
    assert sum(len(e.reviews) for e in entries) == 20_000
    assert len(country.roster.members) == 300
    assert sum(len(e.favorites) for e in entries) > 3_000


def test_nothing_happens_before_a_booth_opens_or_after_it_closes(country, entries):
    for e in entries:
        end = (country.clock.days if e.shop.closed < 0 else e.shop.closed) * DAY_S
        for created in [r.created for r in e.reviews] + [f.created for f in e.favorites]:
            assert e.shop.opened * DAY_S <= created < end
        assert all(r.created <= r.modified < end for r in e.reviews)


def test_no_member_writes_before_joining(country, entries):
    joined = [m.joined for m in country.roster.members]
    for e in entries:
        assert all(joined[r.member] <= r.created for r in e.reviews)
        assert all(joined[f.member] <= f.created for f in e.favorites)


def test_nicknames_keep_the_rule_and_are_unique(country):
    nicknames = [m.nickname for m in country.roster.members]
    assert len(set(nicknames)) == 300
    assert all(re.fullmatch(r"[\w]{2,20}", nickname) for nickname in nicknames)


def test_no_two_reviews_of_a_booth_look_the_same(entries):
    for e in entries:
        texts = [r.content for r in e.reviews]
        assert len(texts) == len(set(texts))


def test_texts_vary_and_fit_a_review(entries):
    texts = Counter(r.content for e in entries for r in e.reviews)
    assert len(texts) > 15_000
    assert all(re.search("[가-힣]", text) and len(text) <= 4000 for text in texts)


def test_a_crowded_booth_still_has_no_two_equal_reviews():
    (entry,) = Country(1, Size(1, 20_000, 20), TODAY, NOWHERE).entries()
    assert len({r.content for r in entry.reviews}) == len(entry.reviews) == 20_000


def test_a_member_holds_a_booth_as_a_favorite_once(entries):
    for e in entries:
        assert len({f.member for f in e.favorites}) == len(e.favorites)


def test_ratings_follow_the_booth_and_facets_are_known(entries):
    stars = Counter(r.stars for e in entries for r in e.reviews)
    assert sorted(stars) == [1, 2, 3, 4, 5]
    votes = Counter(v for e in entries for r in e.reviews for v in r.votes)
    assert sorted(votes) == ["BAD", "GOOD", "UNSELECTED"]
    means = [
        sum(r.stars for r in e.reviews) / len(e.reviews) for e in entries if len(e.reviews) > 30
    ]
    assert max(means) - min(means) > 1


def test_evenings_are_busy_and_some_are_owls(entries):
    hours = Counter(r.created % DAY_S // 3600 for e in entries for r in e.reviews)
    assert hours[19] > 5 * hours[8]
    assert sum(hours[h] for h in range(5)) > 500
