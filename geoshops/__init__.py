"""geoshops: find photo-booth shops, review them, keep favorites, collect titles; PostGIS at its heart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flask import Flask

    from geoshops.config import Settings


def create_app(config: Settings | Mapping[str, Any] | None = None) -> Flask:
    """The application; `config` overrides settings of the environment by their field names."""
    # here, because every program of the package imports this module, and few are the application
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
    from geoshops.config import ConfigError, Settings
    from geoshops.database import pool, replicas
    from geoshops.web import (
        error_handlers,
        fast_path,
        health,
        middleware,
        operation,
        rate_limits,
        telemetry,
        tokens,
    )

    settings = (
        config if isinstance(config, Settings) else Settings.from_environment(**dict(config or {}))
    )
    if not settings.database_url:
        raise ConfigError("no database: set DATABASE_URL, or run scripts/setup, which makes one")
    app = middleware.Service(__name__, static_folder=None)
    middleware.init_app(app, settings)
    telemetry.init_app(app, settings)
    error_handlers.init_app(app)
    pool.init_app(app, replicas.database_of(settings))
    tokens.init_app(app, settings)
    rate_limits.init_app(app, settings)
    auth.init_app(app, settings)
    members.init_app(app, auth.unlink)
    rest = operation.init_app(app)
    for feature in (auth, members, shops, search, reviews, favorites, titles, reports, tiles, ogc):
        rest.register_blueprint(feature.blueprint)
    app.register_blueprint(map_page.blueprint)
    app.register_blueprint(titles.images)
    app.register_blueprint(health.blueprint)
    middleware.route_no_head_to_acts(app)
    middleware.wrap(app, fast_path.Direct(app, settings), settings)
    return app
