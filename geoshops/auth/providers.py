"""The configured identity providers, and the pool of threads that calls them."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import cast

from flask import Flask, current_app

from geoshops.auth.outbound import Calls, Pool
from geoshops.auth.presets import clients, presets
from geoshops.auth.provider import Identity, Provider
from geoshops.auth.sealing import CannotOpen, Sealer
from geoshops.config import Settings
from geoshops.errors import ApiError

# reported to clients; the provider itself enforces its own limit
EXPIRES_IN_S = 600


@dataclass(frozen=True)
class Start:
    """What a front end needs to begin a sign-in; it keeps everything but the URL secret."""

    authorize_url: str
    state: str
    nonce: str
    code_verifier: str
    expires_in_s: int = EXPIRES_IN_S


class Providers:
    """Signs in and unlinks users, by provider name."""

    def __init__(self, settings: Settings) -> None:
        self.pool = Pool(settings.idp_concurrency)
        self.sealer = Sealer(settings)
        self.clients = clients(settings)
        self.by_name = {
            name: Provider(name, client, presets()[client.preset])
            for name, client in self.clients.items()
        }

    def start(self, *, provider: str | None, redirect_uri: str | None, own_page: str) -> Start:
        """Creates the secrets of a sign-in and its authorization URL."""
        chosen = self._named(provider)
        address = self._redirect(chosen, redirect_uri, own_page)
        state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))

        def work(calls: Calls) -> str:
            return chosen.authorize_url(
                calls, redirect_uri=address, state=state, nonce=nonce, code_verifier=verifier
            )

        return Start(self.pool.run(work), state, nonce, verifier)

    def identify(
        self,
        *,
        provider: str | None,
        code: str,
        redirect_uri: str | None,
        code_verifier: str | None,
        nonce: str | None,
        state: str | None,
        own_page: str,
    ) -> Identity:
        """Exchanges an authorization code for an identity."""
        chosen = self._named(provider)
        address = self._redirect(chosen, redirect_uri, own_page)

        def work(calls: Calls) -> Identity:
            grant = chosen.exchange_code(
                calls,
                code=code,
                redirect_uri=address,
                code_verifier=code_verifier,
                state=state,
                nonce=nonce,
            )
            return chosen.fetch_profile(calls, grant)

        return self.pool.run(work)

    def unlink(self, *, provider: str, subject: str, sealed_token: bytes | None) -> None:
        """Unlinks a user at the provider; raises ApiError (106) if that fails."""
        chosen = self._named(provider)
        try:
            token = self.sealer.open(sealed_token) if chosen.unlinks_by_token else None
        except CannotOpen:
            raise ApiError("unlink_token_sealed") from None
        self.pool.run(lambda calls: chosen.unlink(calls, subject=subject, token=token))

    def _named(self, name: str | None) -> Provider:
        wanted = name if name is not None else next(iter(self.by_name), "")
        if wanted not in self.by_name:
            raise ApiError("provider_not_allowed")
        return self.by_name[wanted]

    def _redirect(self, chosen: Provider, requested: str | None, own_page: str) -> str:
        allowed = chosen.client.redirect_uris or (own_page,)
        if requested is not None and requested not in allowed:
            raise ApiError("redirect_not_allowed")
        return requested or allowed[0]


def init_app(app: Flask, settings: Settings) -> None:
    """Registers the configured providers with the application."""
    app.extensions["geoshops.providers"] = Providers(settings)


def providers() -> Providers:
    """The providers of the current application."""
    return cast(Providers, current_app.extensions["geoshops.providers"])


def unlink(*, provider: str, subject: str, sealed_token: bytes | None) -> None:
    """`Providers.unlink` of the current application."""
    providers().unlink(provider=provider, subject=subject, sealed_token=sealed_token)
