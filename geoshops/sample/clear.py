"""Deletes the generated rows and all rows that depend on them."""

from __future__ import annotations

from typing import Any

from geoshops.sample.reference import SOURCE
from geoshops.sample.rows import ISSUER

MARK = """
CREATE TEMPORARY TABLE generated_shops ON COMMIT DROP AS
SELECT id FROM shops WHERE source = %(source)s;
CREATE TEMPORARY TABLE generated_members ON COMMIT DROP AS
SELECT member_id AS id FROM member_identities WHERE issuer = %(issuer)s;
ANALYZE generated_shops, generated_members"""
REVIEWS_OF_OTHERS = """
SELECT count(*) FROM reviews r JOIN shops s ON s.id = r.shop_id
WHERE s.source = %(source)s
  AND r.member_id NOT IN (SELECT member_id FROM member_identities WHERE issuer = %(issuer)s)"""
SWEEP = """
DELETE FROM favorites
WHERE shop_id IN (SELECT id FROM generated_shops) OR member_id IN (SELECT id FROM generated_members);
DELETE FROM reviews
WHERE shop_id IN (SELECT id FROM generated_shops) OR member_id IN (SELECT id FROM generated_members);
UPDATE shops SET merged_into_id = NULL WHERE merged_into_id IN (SELECT id FROM generated_shops);
DELETE FROM shops WHERE id IN (SELECT id FROM generated_shops);
DELETE FROM member_titles WHERE member_id IN (SELECT id FROM generated_members);
DELETE FROM sessions WHERE member_id IN (SELECT id FROM generated_members);
DELETE FROM member_identities WHERE member_id IN (SELECT id FROM generated_members);
DELETE FROM members WHERE id IN (SELECT id FROM generated_members)"""


def reviews_of_others(cursor: Any) -> int:
    """Counts reviews of generated shops by real members, which are deleted with the shops."""
    cursor.execute(REVIEWS_OF_OTHERS, {"source": SOURCE, "issuer": ISSUER})
    return int(cursor.fetchone()[0])


def clear(cursor: Any) -> None:
    """Deletes generated shops and members; keeps brands, regions and stations."""
    cursor.execute(MARK, {"source": SOURCE, "issuer": ISSUER})
    cursor.execute(SWEEP)
    # pending constraint checks would keep a large load from dropping the indexes
    cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
