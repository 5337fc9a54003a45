"""A copy of a benchmark database with members, reviews and favorites, and tokens of its members."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from data import PREFIX, Bench, copy_of, cursor_of, row_of, server_url

from geoshops import create_app
from geoshops.web import tokens
from geoshops.web.tokens import Caller

MEMBERS = 2000
REVIEWED = 10_000  # number of reviewed shops, all in the first country
REVIEWS_A_SHOP = 25
FAVORITES_A_MEMBER = 50

# derived from the ids, so the same on every machine
FILL = f"""
INSERT INTO members (id, nickname, nickname_key)
SELECT n, '회원' || n, '회원' || n FROM generate_series(1, {MEMBERS}) n;
INSERT INTO sessions (id, member_id, expires_at, refresh_hash)
SELECT n, n, now() + interval '30 days', sha256('b') FROM generate_series(1, {MEMBERS}) n;
INSERT INTO member_titles (member_id, title_id, awarded_at, is_main)
SELECT m.id, (SELECT min(t.id) FROM titles t), now(), true FROM members m WHERE m.id % 2 = 0;
CREATE TEMP TABLE chosen AS
SELECT id, row_number() OVER (ORDER BY id) AS n FROM shops ORDER BY id LIMIT {REVIEWED};
INSERT INTO reviews (shop_id, member_id, star_rating, content, purity, retouch, item, created_at, modified_at)
SELECT c.id, 1 + (c.n * 7 + k * 131) % {MEMBERS}, 1 + (c.n + k) % 5, '조명이 밝고 소품이 많아요. 다음에 또 올게요 ' || k,
  (ARRAY['GOOD', 'BAD', 'UNSELECTED'])[1 + k % 3], 'GOOD', 'UNSELECTED',
  timestamptz '2026-11-01' - k * interval '1 day 3 hours', timestamptz '2026-11-01' - k * interval '1 day 3 hours'
FROM chosen c CROSS JOIN generate_series(1, {REVIEWS_A_SHOP}) k ORDER BY k, c.n;
INSERT INTO favorites (member_id, shop_id, created_at)
SELECT m.id, c.id, timestamptz '2026-11-01' - k * interval '7 hours'
FROM members m CROSS JOIN generate_series(1, {FAVORITES_A_MEMBER}) k
JOIN chosen c ON c.n = 1 + (m.id * 17 + k * 199) % {REVIEWED} ORDER BY k, m.id;
UPDATE shops s SET review_cnt = r.n, star_rating_sum = r.stars, favorite_cnt = coalesce(f.n, 0)
FROM (SELECT shop_id, count(*) AS n, sum(star_rating) AS stars FROM reviews GROUP BY 1) r
LEFT JOIN (SELECT shop_id, count(*) AS n FROM favorites GROUP BY 1) f USING (shop_id)
WHERE s.id = r.shop_id;
INSERT INTO shop_stats (shop_id, star_1, star_2, star_3, star_4, star_5, purity_good, purity_bad, retouch_good)
SELECT shop_id, count(*) FILTER (WHERE star_rating = 1), count(*) FILTER (WHERE star_rating = 2),
  count(*) FILTER (WHERE star_rating = 3), count(*) FILTER (WHERE star_rating = 4), count(*) FILTER (WHERE star_rating = 5),
  count(*) FILTER (WHERE purity = 'GOOD'), count(*) FILTER (WHERE purity = 'BAD'), count(*)
FROM reviews GROUP BY 1;"""


@dataclass(frozen=True)
class Visited:
    """URL of the copy, ids of the reviewed shops, signing key, and tokens of some members."""

    url: str
    shops: list[int]
    key: str
    tokens: list[str]


def visited(bench: Bench, shops: int) -> Visited:
    """Returns the copy, created on first use."""
    name = f"visited_{shops}"
    # recreated when its sessions have expired
    state = row_of(
        f"{PREFIX}{name}",
        "SELECT (SELECT count(*) FROM reviews), (SELECT min(expires_at) > now() FROM sessions)",
    )
    if state != (REVIEWED * REVIEWS_A_SHOP, True):
        cursor = copy_of(shops, name)
        cursor.execute(f"BEGIN; {FILL} COMMIT")
        cursor.execute("VACUUM (ANALYZE)")
    url, key = server_url(f"{PREFIX}{name}"), secrets.token_urlsafe(48)
    cursor = cursor_of(url)
    cursor.execute("SELECT DISTINCT shop_id FROM reviews ORDER BY 1")
    reviewed = [shop for (shop,) in cursor.fetchall()]
    callers = [Caller(member, member) for member in range(1, 201)]
    return Visited(url, reviewed, key, access_tokens(url, key, callers))


def access_tokens(url: str, key: str, callers: Sequence[Caller]) -> list[str]:
    """Signs access tokens as a service with that key does."""
    app = create_app({"database_url": url, "secret_key": key, "log_level": "ERROR"})
    with app.app_context():
        return [tokens.issue_access(caller) for caller in callers]
