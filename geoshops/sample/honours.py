"""Derives votes, member titles, shop titles and statistics with the SQL functions of the service."""

from __future__ import annotations

from datetime import date
from typing import Any

from geoshops.sample.reference import SOURCE
from geoshops.sample.rows import ISSUER

ZONE = "Asia/Seoul"
FILL_STATS = """
INSERT INTO shop_stats (
  shop_id, star_1, star_2, star_3, star_4, star_5,
  purity_good, purity_bad, retouch_good, retouch_bad, item_good, item_bad)
SELECT c.shop_id, c.star_1, c.star_2, c.star_3, c.star_4, c.star_5,
  c.purity_good, c.purity_bad, c.retouch_good, c.retouch_bad, c.item_good, c.item_bad
FROM counted_shops c JOIN shops s ON s.id = c.shop_id
WHERE s.source = %(source)s AND c.review_cnt > 0"""
AWARD = """
SELECT award_titles(i.member_id, NULL, %(moment)s, %(zone)s)
FROM member_identities i WHERE i.issuer = %(issuer)s ORDER BY i.member_id"""
WELCOME = """
UPDATE member_titles t SET awarded_at = m.created_at
FROM members m JOIN member_identities i ON i.member_id = m.id
WHERE t.member_id = m.id AND t.title_id = 1 AND i.issuer = %(issuer)s"""
# Three in four members have a main title, which varies by member.
CHOOSE_MAIN = """
UPDATE member_titles t SET is_main = true
FROM (
  SELECT DISTINCT ON (h.member_id) h.member_id, h.title_id
  FROM member_titles h
  JOIN member_identities i ON i.member_id = h.member_id
  CROSS JOIN LATERAL (SELECT split_part(i.subject, '-', 2)::bigint AS number) n
  WHERE i.issuer = %(issuer)s AND n.number %% 4 > 0
  ORDER BY h.member_id, (h.title_id * 5 + n.number * 3) %% 17, h.title_id
) chosen
WHERE t.member_id = chosen.member_id AND t.title_id = chosen.title_id"""


def honour(cursor: Any, today: date) -> None:
    """Counts votes, awards titles and runs ANALYZE."""
    values = {
        "source": SOURCE,
        "issuer": ISSUER,
        "zone": ZONE,
        "moment": f"{today.isoformat()} 00:00:00+09",
    }
    cursor.execute(FILL_STATS, values)
    # Without statistics the planner would scan whole tables for the rules of the titles.
    cursor.execute("ANALYZE")
    # The statistics of the empty title table would make the planner scan it for every award.
    cursor.execute("SET enable_seqscan = off")
    cursor.execute(AWARD, values)
    cursor.execute("RESET enable_seqscan")
    for statement in (WELCOME, CHOOSE_MAIN):
        cursor.execute(statement, values)
    cursor.execute("SELECT refresh_shop_titles(%(moment)s)", values)
    cursor.execute("SELECT refresh_tile_grid(now())")
