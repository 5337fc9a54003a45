"""The query for a member's data export."""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    ScalarSelect,
    Select,
    Text,
    bindparam,
    cast,
    func,
    literal_column,
    select,
)
from sqlalchemy.dialects.postgresql import JSON, aggregate_order_by

from geoshops.database.models import (
    Brand,
    Favorite,
    IdempotencyKey,
    Member,
    MemberIdentity,
    MemberSession,
    MemberTitle,
    Report,
    Review,
    Shop,
    Title,
)
from geoshops.database.statements import compiled
from geoshops.web.sessions import SESSION_IS_LIVE

ZONE: BindParameter[str] = bindparam("zone")


def _json(**members: ColumnElement[Any] | Any) -> ColumnElement[Any]:
    pairs = (part for name, value in members.items() for part in (name, value))
    return func.json_build_object(*pairs)


def _date(moment: Any) -> ColumnElement[Any]:
    return cast(func.date_array(moment, ZONE), JSON)


def _array(item: Any, *order: Any, rows: Select[Any]) -> ScalarSelect[Any]:
    """The rows as a JSON array in this order."""
    array = func.json_agg(aggregate_order_by(item, *order))
    return rows.with_only_columns(func.coalesce(array, literal_column("'[]'"))).scalar_subquery()


def _own(model: Any) -> Select[Any]:
    return select(model).where(model.member_id == Member.id).correlate(Member)


IDENTITIES = _array(
    _json(
        provider=MemberIdentity.provider,
        issuer=MemberIdentity.issuer,
        subject=MemberIdentity.subject,
        create_date=_date(MemberIdentity.created_at),
    ),
    *(MemberIdentity.issuer, MemberIdentity.subject),
    rows=_own(MemberIdentity),
)
SESSIONS = _array(
    _json(
        id=MemberSession.id,
        device=MemberSession.device,
        create_date=_date(MemberSession.created_at),
        last_used_date=_date(MemberSession.last_used_at),
        is_current=MemberSession.id == bindparam("session"),
    ),
    MemberSession.id,
    rows=_own(MemberSession),
)
REVIEWS = _array(
    _json(
        review_info=cast(func.review_info_json(literal_column("reviews"), ZONE), JSON),
        shop_info=_json(
            id=Shop.id, brand=func.coalesce(Brand.name, ""), place_name=Shop.place_name
        ),
        is_hidden=Review.hidden_at.is_not(None),
    ),
    *(Review.created_at, Review.id),
    rows=_own(Review)
    .join(Shop, Shop.id == Review.shop_id)
    .outerjoin(Brand, Brand.id == Shop.brand_id),
)
FAVORITES = _array(
    _json(
        id=Favorite.id,
        shop_id=Favorite.shop_id,
        place_name=Shop.place_name,
        create_date=_date(Favorite.created_at),
    ),
    *(Favorite.created_at, Favorite.id),
    rows=_own(Favorite).join(Shop, Shop.id == Favorite.shop_id),
)
TITLES = _array(
    _json(
        id=MemberTitle.title_id,
        name=Title.name,
        is_main=MemberTitle.is_main,
        award_date=_date(MemberTitle.awarded_at),
    ),
    MemberTitle.title_id,
    rows=_own(MemberTitle).join(Title, Title.id == MemberTitle.title_id),
)
REPORTS = _array(
    cast(func.report_json(Report.id, ZONE), JSON),
    *(Report.created_at, Report.id),
    rows=_own(Report),
)
KEYS = _array(
    _json(key=IdempotencyKey.key, create_date=_date(IdempotencyKey.created_at)),
    *(IdempotencyKey.created_at, IdempotencyKey.key),
    rows=_own(IdempotencyKey),
)
EXPORT = compiled(
    select(
        cast(
            _json(
                member=cast(func.member_json(Member.id), JSON),
                create_date=_date(Member.created_at),
                identities=IDENTITIES,
                sessions=SESSIONS,
                reviews=REVIEWS,
                favorites=FAVORITES,
                member_titles=TITLES,
                reports=REPORTS,
                idempotency_keys=KEYS,
            ),
            Text,
        )
    ).where(Member.id == bindparam("member"), SESSION_IS_LIVE)
)
