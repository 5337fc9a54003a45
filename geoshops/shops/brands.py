"""Operators' changes of brands, which also reassign shops by the brand in their name."""

from __future__ import annotations

from typing import Any

from sqlalchemy import delete, func, insert, literal, select, update
from sqlalchemy.orm import aliased

from geoshops.database.models import Brand, BrandAlias
from geoshops.database.statements import execute, fetch_dicts
from geoshops.operations.audit import write_audit
from geoshops.shops.corrections import NotPossible, id_of_brand

PARENT = aliased(Brand)
ALIASES = (
    select(BrandAlias.alias)
    .where(BrandAlias.brand_id == Brand.id)
    .order_by(BrandAlias.id)
    .scalar_subquery()
)
LANGUAGES = (
    select(func.coalesce(func.jsonb_object_agg(BrandAlias.alias, BrandAlias.lang), "{}"))
    .where(BrandAlias.brand_id == Brand.id, BrandAlias.lang != "")
    .scalar_subquery()
)
LIST = (
    select(
        Brand.id,
        Brand.name,
        PARENT.name.label("parent"),
        Brand.is_representative,
        Brand.badge_color,
        func.array(ALIASES).label("aliases"),
        LANGUAGES.label("languages"),
        Brand.shop_cnt,
    )
    .outerjoin(PARENT, PARENT.id == Brand.parent_id)
    .order_by(Brand.is_representative.desc(), Brand.id)
)


def listed(cursor: Any) -> list[dict[str, Any]]:
    """All brands."""
    return fetch_dicts(cursor, LIST)


def add(
    cursor: Any, name: str, parent: str | None, representative: bool, color: str | None
) -> None:
    """Adds a brand."""
    _must_be_free(cursor, name)
    parent_id = id_of_brand(cursor, parent) if parent else None
    brand = {"name": name, "parent_id": parent_id, "is_representative": representative}
    if color:
        brand["badge_color"] = color.lower()
    (added,) = execute(cursor, insert(Brand).values(brand).returning(Brand.id)).fetchone()
    _log(cursor, "add", added, {"name": name, "parent": parent, "representative": representative})


def add_alias(cursor: Any, name: str, alias: str, lang: str) -> None:
    """Adds an alias of a brand, in a language."""
    _must_be_free(cursor, alias)
    brand_id = id_of_brand(cursor, name)
    execute(cursor, insert(BrandAlias).values(brand_id=brand_id, alias=alias, lang=lang))
    _log(cursor, "alias", brand_id, {"alias": alias, "lang": lang})


def remove_alias(cursor: Any, name: str, alias: str) -> None:
    """Removes an alias."""
    brand_id = id_of_brand(cursor, name)
    removed = delete(BrandAlias).where(
        BrandAlias.brand_id == brand_id, BrandAlias.alias_key == func.name_key(alias)
    )
    if not execute(cursor, removed).rowcount:
        raise NotPossible(f"{alias} is not an alias of {name}")
    _log(cursor, "remove-alias", brand_id, {"alias": alias})


def set_parent(cursor: Any, name: str, parent: str | None) -> None:
    """Makes a brand a sub-brand of another, or independent."""
    brand_id = id_of_brand(cursor, name)
    parent_id = id_of_brand(cursor, parent) if parent else None
    family = select(literal(parent_id) == func.any(func.brand_family(brand_id)))
    if execute(cursor, family).fetchone()[0]:
        raise NotPossible(
            f"{parent} cannot be the parent: it is {name} itself or one of its sub-brands"
        )
    _update(cursor, brand_id, parent_id=parent_id)
    _log(cursor, "parent", brand_id, {"parent": parent})


def set_representative(cursor: Any, name: str, representative: bool) -> None:
    """Sets whether map searches without a brand include this one."""
    brand_id = id_of_brand(cursor, name)
    _update(cursor, brand_id, is_representative=representative)
    _log(cursor, "representative", brand_id, {"representative": representative})


def set_color(cursor: Any, name: str, color: str) -> None:
    """Sets the colour of the badge, #rrggbb."""
    brand_id = id_of_brand(cursor, name)
    _update(cursor, brand_id, badge_color=color.lower())
    _log(cursor, "color", brand_id, {"color": color})


def refresh(cursor: Any) -> int:
    """Sets the brand of shops whose name contains one; returns their number."""
    return int(execute(cursor, select(func.refresh_shop_brands())).fetchone()[0])


def _update(cursor: Any, brand_id: int, **values: object) -> None:
    execute(cursor, update(Brand).where(Brand.id == brand_id).values(values))


def _must_be_free(cursor: Any, name: str) -> None:
    taken = select(Brand.name).where(Brand.id == func.brand_named(name))
    row = execute(cursor, taken).fetchone()
    if row:
        raise NotPossible(f"{name} is already a name of {row[0]}")


def _log(cursor: Any, action: str, subject_id: int, detail: dict[str, Any]) -> None:
    reason = "changed by an operator"
    write_audit(
        cursor, action=action, subject="brand", subject_id=subject_id, reason=reason, detail=detail
    )
