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
        api,
        auth,
        db,
        direct,
        errors,
        favorites,
        frame,
        health,
        limits,
        members,
        observe,
        ogc,
        replicas,
        reports,
        reviews,
        search,
        shops,
        tiles,
        titles,
        tokens,
    )
    from geoshops import map as map_page
    from geoshops.config import ConfigError, Settings

    settings = (
        config if isinstance(config, Settings) else Settings.from_environment(**dict(config or {}))
    )
    if not settings.database_url:
        raise ConfigError("no database: set DATABASE_URL, or run scripts/setup, which makes one")
    app = frame.Service(__name__, static_folder=None)
    frame.init_app(app, settings)
    observe.init_app(app, settings)
    errors.init_app(app)
    db.init_app(app, replicas.database_of(settings))
    tokens.init_app(app, settings)
    limits.init_app(app, settings)
    auth.init_app(app, settings)
    rest = api.init_app(app)
    for feature in (auth, members, shops, search, reviews, favorites, titles, reports, tiles, ogc):
        rest.register_blueprint(feature.blueprint)
    app.register_blueprint(map_page.blueprint)
    app.register_blueprint(titles.images)
    app.register_blueprint(health.blueprint)
    frame.route_no_head_to_acts(app)
    frame.wrap(app, direct.Direct(app, settings), settings)
    return app
