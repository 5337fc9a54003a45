"""Reviews of a shop: rows and the SQL function in pgbench, and the service as shipped."""

from __future__ import annotations

from data import Bench
from detail import of_one_shop

PAGE = 20
ROWS = f"""
SELECT r.id, r.created_at, r.modified_at, r.star_rating, r.content, r.purity, r.retouch, r.item,
  m.id, m.nickname, t.name AS main_title
FROM (SELECT * FROM reviews v WHERE v.shop_id = :s AND v.hidden_at IS NULL
  ORDER BY v.created_at DESC, v.id DESC LIMIT {PAGE}) r
JOIN members m ON m.id = r.member_id
LEFT JOIN member_titles h ON h.member_id = m.id AND h.is_main LEFT JOIN titles t ON t.id = h.title_id
ORDER BY r.created_at DESC, r.id DESC;"""
FUNCTION = f"SELECT shop_reviews_json(:s, 'newest', 'Asia/Seoul', 10000, {PAGE}, 0);"


def main(bench: Bench) -> dict[str, object]:
    """Prints the table and returns the figures."""
    return of_one_shop(
        bench,
        ROWS,
        "shop_reviews_json",
        FUNCTION,
        lambda shop: f"/reviews/shop/{shop}?page=1&size={PAGE}",
    )
