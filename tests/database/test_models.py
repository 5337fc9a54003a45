"""models.py matches sql/schema: alembic compares them in both directions."""

from __future__ import annotations

from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from geoalchemy2 import alembic_helpers
from sqlalchemy import create_engine, text

from geoshops.database.models import Base

RUNNERS_OWN = {"schema_history"}
# alembic does not compare the expressions of generated columns
pytestmark = pytest.mark.filterwarnings("ignore:Computed default on")


def include(item: Any, name: str, kind: str, reflected: bool, other: Any) -> bool:
    if kind == "table" and name in RUNNERS_OWN:
        return False
    return bool(alembic_helpers.include_object(item, name, kind, reflected, other))


def differences(url: str, *statements: str) -> list[Any]:
    """Differences after the statements, which are rolled back."""
    engine = create_engine(url.replace("postgresql://", "postgresql+psycopg2://", 1))
    with engine.connect() as connection:
        for statement in statements:
            connection.execute(text(statement))
        options = {"include_object": include, "compare_type": True, "compare_server_default": True}
        context = MigrationContext.configure(connection, opts=options)
        compared = compare_metadata(context, Base.metadata)
        connection.rollback()
    engine.dispose()
    return [item for item in compared if not is_only_a_comment(item)]


def is_only_a_comment(item: Any) -> bool:
    """Ignores comments, which are only in sql/schema."""
    kind = item[0][0] if isinstance(item, list) else item[0]
    return str(kind) in ("modify_comment", "add_table_comment", "remove_table_comment")


def test_models_and_schema_are_the_same(database_url: str) -> None:
    assert differences(database_url) == []


@pytest.mark.parametrize(
    "change",
    [
        "ALTER TABLE favorites ADD COLUMN note text",
        "ALTER TABLE reviews DROP COLUMN item CASCADE",
        "DROP INDEX shops_geog_idx",
        "ALTER TABLE stations DROP COLUMN geog CASCADE, ADD COLUMN geog geography(PointZ, 4326)",
        "DROP TABLE region_parts CASCADE",
        "ALTER TABLE brands ALTER COLUMN badge_color SET DEFAULT '#000000'",
    ],
)
def test_the_comparison_can_fail(database_url: str, change: str) -> None:
    assert differences(database_url, change) != []
