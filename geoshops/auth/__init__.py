"""Sign-in through an identity provider, the service's own tokens, sessions."""

from geoshops.auth.providers import init_app, unlink
from geoshops.auth.routes import blueprint

__all__ = ["blueprint", "init_app", "unlink"]
