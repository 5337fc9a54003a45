"""Settings of the service, read from the environment."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, MutableMapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

MIN_SECRET_BYTES = 32
LOG_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
WORDS = {**dict.fromkeys(("1", "true", "yes", "on"), True), **dict.fromkeys(("0", "false", "no", "off"), False)}  # fmt: skip
DATABASE_URLS = ("database_url", "owner_database_url", "reader_database_url", "read_database_url")
MAY_BE_ZERO = ("reviews_per_shop", "trusted_proxies", "pool_timeout_s")


class ConfigError(Exception):
    """A setting is invalid."""


def setting(env: str, default: object, meaning: str, *, secret: bool = False) -> Any:
    """Returns a dataclass field with its environment name and its one-line meaning."""
    about = {"env": env, "meaning": meaning, "secret": secret}
    return field(default=default, metadata=about, repr=not secret)


@dataclass(frozen=True)
class Settings:
    """All settings. Secrets may also be given as NAME_FILE, the path of a file that contains the value."""

    database_url: str = setting(
        "DATABASE_URL", "", "Database of the service as a libpq URL", secret=True
    )
    owner_database_url: str = setting(
        "GEOSHOPS_OWNER_DATABASE_URL",
        "",
        "The same database as its owner, for migrations and operators' commands; DATABASE_URL if empty",
        secret=True,
    )
    reader_database_url: str = setting(
        "GEOSHOPS_READER_DATABASE_URL",
        "",
        "The same database as the analysts' read-only role",
        secret=True,
    )
    read_database_url: str = setting(
        "READ_DATABASE_URL",
        "",
        "Replicas for queries of GET requests, one host or several; DATABASE_URL if empty",
        secret=True,
    )
    read_your_writes: bool = setting(
        "GEOSHOPS_READ_YOUR_WRITES",
        True,
        "A request with a token sees every earlier write; if false, within 2 s",
    )
    secret_key: str = setting(
        "GEOSHOPS_SECRET_KEY", "", "Key that signs the tokens, at least 32 bytes", secret=True
    )
    previous_secret_key: str = setting(
        "GEOSHOPS_PREVIOUS_SECRET_KEY",
        "",
        "Second key whose tokens are accepted, for rotation: first the new one, then the old one",
        secret=True,
    )
    public_url: str = setting(
        "GEOSHOPS_PUBLIC_URL",
        "",
        "Origin of image URLs and page links; the request's origin if empty",
    )
    timezone: str = setting(
        "GEOSHOPS_TIMEZONE", "Asia/Seoul", "Time zone of date arrays, opening hours and titles"
    )
    pool_size: int = setting(
        "GEOSHOPS_POOL_SIZE", 5, "Database connections per worker; equal to its threads"
    )
    pool_timeout_s: float = setting(
        "GEOSHOPS_POOL_TIMEOUT_S",
        0.3,
        "Maximum wait for a database connection; then the response is 503",
    )
    connect_timeout_s: int = setting(
        "GEOSHOPS_CONNECT_TIMEOUT_S", 1, "Maximum time to open a database connection"
    )
    access_token_minutes: int = setting(
        "GEOSHOPS_ACCESS_TOKEN_MINUTES", 30, "Lifetime of an access token"
    )
    refresh_token_days: int = setting(
        "GEOSHOPS_REFRESH_TOKEN_DAYS", 30, "Lifetime of a refresh token"
    )
    session_days: int = setting("GEOSHOPS_SESSION_DAYS", 180, "Maximum lifetime of a session")
    reviews_per_shop: int = setting(
        "GEOSHOPS_REVIEWS_PER_SHOP",
        0,
        "Maximum number of reviews of one shop by one member; 0 for no limit",
    )
    idp: str = setting(
        "GEOSHOPS_IDP",
        "oidc",
        "Preset of the identity provider: oidc, kakao, naver, google or apple",
    )
    idp_issuer: str = setting(
        "GEOSHOPS_IDP_ISSUER", "", "Issuer of the identity provider; only the preset oidc needs it"
    )
    idp_discovery_url: str = setting(
        "GEOSHOPS_IDP_DISCOVERY_URL",
        "",
        "URL of the provider's metadata, if not below the issuer",
    )
    idp_authorize_url: str = setting(
        "GEOSHOPS_IDP_AUTHORIZE_URL",
        "",
        "Sign-in page of the provider as browsers reach it; from its metadata if empty",
    )
    idp_client_id: str = setting(
        "GEOSHOPS_IDP_CLIENT_ID", "", "Client id at the provider; sign-in is disabled if empty"
    )
    idp_client_secret: str = setting(
        "GEOSHOPS_IDP_CLIENT_SECRET",
        "",
        "Client secret at the provider; for Apple the private key in PEM",
        secret=True,
    )
    idp_team_id: str = setting("GEOSHOPS_IDP_TEAM_ID", "", "Apple only: team id")
    idp_key_id: str = setting("GEOSHOPS_IDP_KEY_ID", "", "Apple only: id of the private key")
    idp_admin_key: str = setting(
        "GEOSHOPS_IDP_ADMIN_KEY",
        "",
        "Kakao only: admin key, which unlinks withdrawn members",
        secret=True,
    )
    idp_scope: str = setting(
        "GEOSHOPS_IDP_SCOPE", "", "Requested scopes, space-separated; the preset's if empty"
    )
    idp_redirect_uris: tuple[str, ...] = setting(
        "GEOSHOPS_IDP_REDIRECT_URIS",
        (),
        "Allowed redirect URIs, space-separated; the first is the default; the service's start page if empty",
    )
    idp_more: str = setting(
        "GEOSHOPS_IDP_MORE",
        "",
        "Path of a TOML file with more providers: one table each, keys are the settings without GEOSHOPS_IDP_ in lower case",
    )
    idp_concurrency: int = setting(
        "GEOSHOPS_IDP_CONCURRENCY",
        2,
        "Concurrent calls to the provider per worker; fewer than its threads, so that a slow provider does not block other requests",
    )
    max_body_bytes: int = setting(
        "GEOSHOPS_MAX_BODY_BYTES", 65536, "Maximum size of a request body; larger ones get 413"
    )
    cors_origins: tuple[str, ...] = setting(
        "GEOSHOPS_CORS_ORIGINS",
        (),
        "Other origins whose pages may call the API, space-separated",
    )
    trusted_proxies: int = setting(
        "GEOSHOPS_TRUSTED_PROXIES", 0, "Number of trusted proxies that set X-Forwarded-*"
    )
    ratelimit_storage_uri: str = setting(
        "GEOSHOPS_RATELIMIT_STORAGE_URI",
        "",
        "Store of the rate limits, redis://host:6379 or memory:// (per worker); no limits if empty",
        secret=True,
    )
    log_level: str = setting("GEOSHOPS_LOG_LEVEL", "INFO", "Lowest level to log")
    log_format: str = setting("GEOSHOPS_LOG_FORMAT", "json", "json or text")
    map_style_url: str = setting(
        "GEOSHOPS_MAP_STYLE_URL",
        "https://tiles.openfreemap.org/styles/positron",
        "URL of an online map style, whose streets browsers load; off for none",
    )
    map_style_origins: tuple[str, ...] = setting(
        "GEOSHOPS_MAP_STYLE_ORIGINS",
        (),
        "Other origins of that style's tiles and sprites, space-separated",
    )
    basemap_file: str = setting(
        "GEOSHOPS_BASEMAP_FILE",
        "",
        "Path of a PMTiles file with streets, served and used instead of an online style",
    )
    testing: bool = setting("GEOSHOPS_TESTING", False, "For tests: start without a secret key")

    @classmethod
    def from_environment(
        cls, environ: Mapping[str, str] = os.environ, **overrides: Any
    ) -> Settings:
        """Reads all settings; raises ConfigError, which names the invalid variable."""
        values: dict[str, object] = {}
        for item in fields(cls):
            text = _text_of(item.metadata["env"], environ, secret=item.metadata["secret"])
            if text is not None:
                values[item.name] = _convert(item.metadata["env"], text, item.default)
        return cls(**cast(dict[str, Any], {**values, **overrides}))

    def __post_init__(self) -> None:
        if not self.testing and len(self.secret_key.encode()) < MIN_SECRET_BYTES:
            raise ConfigError(
                f"GEOSHOPS_SECRET_KEY must have at least {MIN_SECRET_BYTES} bytes; "
                'generate one with: python -c "import secrets; print(secrets.token_urlsafe(48))"'
            )
        if self.log_format not in ("json", "text"):
            raise ConfigError("GEOSHOPS_LOG_FORMAT must be json or text")
        if self.map_style_url not in ("", "off"):
            _check_origin("GEOSHOPS_MAP_STYLE_URL", self.map_style_url)
        for origin in self.map_style_origins:
            _check_origin("GEOSHOPS_MAP_STYLE_ORIGINS", origin)
        if self.basemap_file and not Path(self.basemap_file).is_file():
            raise ConfigError(f"GEOSHOPS_BASEMAP_FILE: {self.basemap_file} is not a file")
        if not _is_timezone(self.timezone):
            raise ConfigError(f"GEOSHOPS_TIMEZONE must be a time zone name, not {self.timezone!r}")
        if self.log_level not in LOG_LEVELS:
            raise ConfigError(f"GEOSHOPS_LOG_LEVEL must be one of {', '.join(LOG_LEVELS)}")
        for item in fields(self):
            env, value = item.metadata["env"], getattr(self, item.name)
            if item.name in DATABASE_URLS:
                _check_url(env, value)
            least = 0 if item.name in MAY_BE_ZERO else 1
            if isinstance(value, int | float) and item.type != "bool" and value < least:
                raise ConfigError(f"{env} must be at least {least}, not {value}")

    @property
    def online_map_style(self) -> str:
        """URL of the style that browsers load; empty if they load none."""
        return "" if self.basemap_file or self.map_style_url == "off" else self.map_style_url

    @property
    def map_origins(self) -> tuple[str, ...]:
        """Origins of the online style, its tiles and sprites."""
        if not self.online_map_style:
            return ()
        urls = map(urlsplit, (self.online_map_style, *self.map_style_origins))
        return tuple(dict.fromkeys(f"{url.scheme}://{url.netloc}" for url in urls))

    @property
    def operator_database_url(self) -> str:
        """The owner's URL if set, otherwise the service's."""
        return self.owner_database_url or self.database_url


def _check_origin(name: str, url: str) -> None:
    # both go into the page's policy, in which these characters separate sources and directives
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc or set(url) & set(" ;,'\""):
        raise ConfigError(f"{name} must be an http or https URL, not {url!r}")


def _is_timezone(name: str) -> bool:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        # without a time zone database, leave the check to PostgreSQL
        return not available_timezones()
    return True


def keep_to_the_given_database(environ: MutableMapping[str, str] = os.environ) -> None:
    """If DATABASE_URL is given, keeps a .env that is read later from setting URLs of another database."""
    if "DATABASE_URL" in environ:
        environ.setdefault("GEOSHOPS_OWNER_DATABASE_URL", "")
        environ.setdefault("GEOSHOPS_READER_DATABASE_URL", "")
        environ.setdefault("READ_DATABASE_URL", "")


def child_environment(**more: str) -> dict[str, str]:
    """Returns the environment for a child process, with additional variables."""
    return {**os.environ, **more}


def _text_of(env: str, environ: Mapping[str, str], *, secret: bool) -> str | None:
    if secret and f"{env}_FILE" in environ:
        try:
            return Path(environ[f"{env}_FILE"]).read_text(encoding="utf-8").strip()
        except OSError as error:
            raise ConfigError(f"{env}_FILE: {error}") from None
    return environ.get(env)


def _convert(env: str, text: str, default: object) -> object:
    if isinstance(default, tuple):
        return tuple(text.split())
    if isinstance(default, bool):
        return _yes_or_no(env, text)
    if isinstance(default, int | float):
        return _number(env, text, type(default))
    return text


def _yes_or_no(env: str, text: str) -> bool:
    word = text.strip().lower()
    if word not in WORDS:
        raise ConfigError(f"{env} must be one of {', '.join(WORDS)}, not {text!r}")
    return WORDS[word]


def _number(env: str, text: str, kind: type[int] | type[float]) -> int | float:
    try:
        number = kind(text)
    except ValueError:
        raise ConfigError(f"{env} must be a number, not {text!r}") from None
    # nan passes every range check, and inf would disable a timeout
    if isinstance(number, float) and not math.isfinite(number):
        raise ConfigError(f"{env} must be a finite number, not {text!r}")
    return number


def _check_url(env: str, url: str) -> None:
    # the message omits the URL, which may contain a password
    if url and not (url.startswith("postgres") and "://" in url):
        raise ConfigError(f"{env} must be a libpq URL, such as postgresql://user@host/database")


def settings_table() -> Iterator[str]:
    """Yields the rows of the table in docs/settings.md."""
    for item in fields(Settings):
        default = item.default
        shown = " ".join(default) if isinstance(default, tuple) else str(default)
        env, meaning = item.metadata["env"], item.metadata["meaning"]
        yield f"| `{env}` | {f'`{shown}`' if shown else ''} | {meaning} |"
