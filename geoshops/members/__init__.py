"""Members: profile, nickname, main title, withdrawal, export."""

from geoshops.members.routes import blueprint

__all__ = ["blueprint"]
