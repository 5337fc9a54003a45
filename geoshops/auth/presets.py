"""Identity providers as data: the presets, and the clients that the settings configure."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import Any

from geoshops.config import ConfigError, Settings

PRESETS = Path(__file__).with_name("presets.json")


@dataclass(frozen=True)
class Preset:
    """How a provider differs from plain OpenID Connect by discovery."""

    issuer: str = ""
    other_issuers: tuple[str, ...] = ()
    authorize_url: str = ""
    token_url: str = ""
    jwks_url: str = ""
    profile_url: str = ""
    profile_subject: tuple[str, ...] = ("sub",)
    profile_nicknames: tuple[tuple[str, ...], ...] = (
        ("nickname",),
        ("name",),
        ("preferred_username",),
    )
    profile_ok: Mapping[str, str] = field(default_factory=dict)
    scopes: tuple[str, ...] = ()
    scope_separator: str = " "
    pkce: bool = False
    authorize_extras: Mapping[str, str] = field(default_factory=dict)
    state_in_token: bool = False
    client_secret: str = "plain"
    # error codes, besides invalid_grant, for an invalid authorization code
    code_errors: tuple[str, ...] = ()
    # descriptions that mean a misconfigured client despite such a code
    client_errors: tuple[str, ...] = ()
    # error codes of a 400 revocation response for a token that is already invalid
    gone_errors: tuple[str, ...] = ("invalid_token", "invalid_grant")
    unlink: str = "revoke"
    unlink_url: str = ""

    @property
    def discovers(self) -> bool:
        """True when the endpoints come from the provider's metadata."""
        return not self.token_url


@dataclass(frozen=True)
class Client:
    """An OAuth client as configured; fields are named as the settings, without GEOSHOPS_IDP_."""

    preset: str
    client_id: str
    client_secret: str = ""
    issuer: str = ""
    discovery_url: str = ""
    authorize_url: str = ""
    team_id: str = ""
    key_id: str = ""
    admin_key: str = ""
    scope: str = ""
    redirect_uris: tuple[str, ...] = ()
    endpoints: Mapping[str, str] = field(default_factory=dict)


@cache
def presets() -> dict[str, Preset]:
    """Every preset by its name."""
    raw = json.loads(PRESETS.read_text(encoding="utf-8"))
    return {name: Preset(**_tuples(values)) for name, values in raw.items()}


def clients(settings: Settings) -> dict[str, Client]:
    """The configured clients by provider name, the default first."""
    configured = {}
    if settings.idp_client_id:
        configured[settings.idp] = _checked(settings.idp, _of_settings(settings))
    if settings.idp_more:
        tables = _tables(settings.idp_more)
        configured |= {
            name: _checked(name, _of_table(name, table)) for name, table in tables.items()
        }
    return configured


def _tables(path: str) -> dict[str, Any]:
    try:
        return tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(f"GEOSHOPS_IDP_MORE: {error}") from None


def _of_settings(settings: Settings) -> Client:
    names = (item.name for item in fields(Client) if item.name not in ("preset", "endpoints"))
    return Client(preset=settings.idp, **{name: getattr(settings, f"idp_{name}") for name in names})


def _of_table(name: str, table: Any) -> Client:
    # If redirect_uris were a string, `in` would match substrings and so accept parts of an allowed URI.
    kinds = {"redirect_uris": list, "endpoints": dict}
    values = {"preset": name, **table} if isinstance(table, dict) else {}
    for key, value in values.items():
        if not isinstance(value, kinds.get(key, str)):
            raise ConfigError(f"GEOSHOPS_IDP_MORE, {name}.{key} has the wrong type")
    try:
        return Client(**_tuples(values))
    except TypeError as error:
        raise ConfigError(f"GEOSHOPS_IDP_MORE, table {name}: {error}") from None


def _checked(name: str, client: Client) -> Client:
    if client.preset not in presets():
        raise ConfigError(f"provider {name}: preset must be one of {', '.join(presets())}")
    if client.preset == "oidc" and not client.issuer:
        raise ConfigError(f"provider {name}: the preset oidc needs an issuer")
    if client.preset == "apple" and not (client.team_id and client.key_id):
        raise ConfigError(f"provider {name}: the preset apple needs a team id and a key id")
    return client


def _tuples(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: _tuple(value) for key, value in values.items()}


def _tuple(value: Any) -> Any:
    return tuple(_tuple(item) for item in value) if isinstance(value, list) else value
