"""geoshops: search photo-booth shops, review them, keep favorites, collect titles. Built on PostGIS."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flask import Blueprint, Flask

    from geoshops.config import Settings


def create_app(config: Settings | Mapping[str, Any] | None = None) -> Flask:
    """Creates the application; `config` overrides settings of the environment, by field name."""
    # imported here, because every program of the package imports this module, but few create the application
    from geoshops.config import ConfigError, Settings
    from geoshops.database import pool, replicas
    from geoshops.web import (
        fast_path,
        middleware,
        pipeline,
        rate_limits,
        service,
        telemetry,
        tokens,
    )

    settings = (
        config if isinstance(config, Settings) else Settings.from_environment(**dict(config or {}))
    )
    if not settings.database_url:
        raise ConfigError("no database: set DATABASE_URL, or run scripts/setup, which creates one")
    limits = rate_limits.limits_of(settings)
    telemetry.start(settings)
    app = service.create(settings)
    database = replicas.database_of(settings)
    pool.init_app(app, database)
    keys = tokens.init_app(app, settings)
    unlimited = _register_features(app, settings)
    steps = pipeline.Pipeline(settings, database, keys, limits)
    service.init_app(app, steps, unlimited=unlimited)
    middleware.wrap(app, fast_path.FastPath(app, steps), settings, limits)
    return app


def _register_features(app: Flask, settings: Settings) -> tuple[Blueprint, ...]:
    """Registers every operation and page; returns the blueprints that have no rate limit."""
    from geoshops import (
        auth,
        favorites,
        members,
        ogc,
        reports,
        reviews,
        search,
        shops,
        tiles,
        titles,
    )
    from geoshops import map as map_page
    from geoshops.web import health, operation

    auth.init_app(app, settings)
    members.init_app(app, auth.unlink)
    api = operation.init_app(app)
    for feature in (auth, members, shops, search, reviews, favorites, titles, reports, tiles, ogc):
        api.register_blueprint(feature.blueprint)
    unlimited = (map_page.blueprint, titles.images, health.blueprint)
    for blueprint in (*unlimited, map_page.pages, map_page.missing):
        app.register_blueprint(blueprint)
    return unlimited
