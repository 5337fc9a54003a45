"""Members: profile, nickname, main title, withdrawal, export."""

from geoshops.members.routes import blueprint
from geoshops.members.unlinking import init_app

__all__ = ["blueprint", "init_app"]
