"""The table of brands as operators keep it; shops whose name now tells a brand get it at once."""

from __future__ import annotations

from typing import Any

from geoshops.operations.audit import write_audit
from geoshops.shops.corrections import NotPossible

LIST = """
SELECT b.id, b.name, p.name AS parent, b.is_representative, b.badge_color,
  ARRAY(SELECT a.alias FROM brand_aliases a WHERE a.brand_id = b.id ORDER BY a.id) AS aliases,
  (SELECT coalesce(jsonb_object_agg(a.alias, a.lang), '{}') FROM brand_aliases a
   WHERE a.brand_id = b.id AND a.lang <> '') AS languages,
  b.shop_cnt
FROM brands b LEFT JOIN brands p ON p.id = b.parent_id
ORDER BY b.is_representative DESC, b.id"""


def listed(cursor: Any) -> list[dict[str, Any]]:
    """All brands."""
    cursor.execute(LIST)
    names = [column.name for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def add(
    cursor: Any, name: str, parent: str | None, representative: bool, color: str | None
) -> None:
    """A new brand."""
    _must_be_free(cursor, name)
    parent_id = brand_id(cursor, parent) if parent else None
    cursor.execute(
        "INSERT INTO brands (name, parent_id, is_representative, badge_color)"
        " VALUES (%s, %s, %s, coalesce(%s, '#52606d')) RETURNING id",
        (name, parent_id, representative, color and color.lower()),
    )
    (added,) = cursor.fetchone()
    _log(cursor, "add", added, {"name": name, "parent": parent, "representative": representative})


def add_alias(cursor: Any, name: str, alias: str, lang: str) -> None:
    """Another name of a brand, in a language."""
    _must_be_free(cursor, alias)
    found = brand_id(cursor, name)
    cursor.execute(
        "INSERT INTO brand_aliases (brand_id, alias, lang) VALUES (%s, %s, %s)",
        (found, alias, lang),
    )
    _log(cursor, "alias", found, {"alias": alias, "lang": lang})


def remove_alias(cursor: Any, name: str, alias: str) -> None:
    """Takes another name away."""
    found = brand_id(cursor, name)
    cursor.execute(
        "DELETE FROM brand_aliases WHERE brand_id = %s AND alias_key = name_key(%s)", (found, alias)
    )
    if not cursor.rowcount:
        raise NotPossible(f"{alias} is no alias of {name}")
    _log(cursor, "remove-alias", found, {"alias": alias})


def set_parent(cursor: Any, name: str, parent: str | None) -> None:
    """Makes a brand a sub-brand, or one of its own."""
    found = brand_id(cursor, name)
    parent_id = brand_id(cursor, parent) if parent else None
    cursor.execute("SELECT %s = ANY (brand_family(%s))", (parent_id, found))
    if cursor.fetchone()[0]:
        raise NotPossible(f"{parent} is {name} itself or one of its sub-brands")
    cursor.execute("UPDATE brands SET parent_id = %s WHERE id = %s", (parent_id, found))
    _log(cursor, "parent", found, {"parent": parent})


def set_representative(cursor: Any, name: str, representative: bool) -> None:
    """Whether a map search without a brand finds it."""
    found = brand_id(cursor, name)
    cursor.execute(
        "UPDATE brands SET is_representative = %s WHERE id = %s", (representative, found)
    )
    _log(cursor, "representative", found, {"representative": representative})


def set_color(cursor: Any, name: str, color: str) -> None:
    """The colour of the badge, #rrggbb."""
    found = brand_id(cursor, name)
    cursor.execute("UPDATE brands SET badge_color = %s WHERE id = %s", (color.lower(), found))
    _log(cursor, "color", found, {"color": color})


def refresh(cursor: Any) -> int:
    """Gives shops the brand that their name tells now; how many that were."""
    cursor.execute("SELECT refresh_shop_brands()")
    return int(cursor.fetchone()[0])


def brand_id(cursor: Any, name: str) -> int:
    """The brand of a name or an alias."""
    cursor.execute("SELECT brand_named(%s)", (name,))
    (found,) = cursor.fetchone()
    if found is None:
        raise NotPossible(f"there is no brand {name}")
    return int(found)


def _must_be_free(cursor: Any, name: str) -> None:
    cursor.execute("SELECT b.name FROM brands b WHERE b.id = brand_named(%s)", (name,))
    row = cursor.fetchone()
    if row:
        raise NotPossible(f"{name} means the brand {row[0]} already")


def _log(cursor: Any, action: str, subject_id: int, detail: dict[str, Any]) -> None:
    reason = "kept by an operator"
    write_audit(
        cursor, action=action, subject="brand", subject_id=subject_id, reason=reason, detail=detail
    )
