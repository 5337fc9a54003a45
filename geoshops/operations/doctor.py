"""`geoshops doctor`: checks the machine and the settings, and prints a remedy for each fault."""

from __future__ import annotations

import json
import re
import socket
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import click
import psycopg2
import requests
from flask.cli import NoAppException, ScriptInfo

from geoshops.config import ConfigError, Settings
from geoshops.console import as_started
from geoshops.database import migrations
from geoshops.database.deferred_indexes import missing
from geoshops.database.operator_connection import connected
from geoshops.database.pool import libpq_url
from geoshops.database.sql_files import EXTENSIONS
from geoshops.operations.commands import first_line
from geoshops.web import assets

OLDEST_PYTHON = (3, 11)
OLDEST_POSTGRESQL = 140000
OLDEST_POSTGIS = (3, 1)
SERVICE_LIMITS = ["statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"]
READER_LIMITS = ["statement_timeout", "idle_in_transaction_session_timeout"]
# missing limits of roles, with the file that sets them
MISSING_LIMITS = """
WITH wanted (file, role, name) AS (
  SELECT '20_limits.sql', current_user::text, unnest(%(service)s::text[])
  UNION ALL
  SELECT '30_reader_limits.sql', 'geoshops_reader', unnest(%(reader)s::text[])
), kept AS (
  SELECT setrole, split_part(entry, '=', 1) AS name, split_part(entry, '=', 2) AS value
  FROM pg_db_role_setting CROSS JOIN unnest(setconfig) AS entry
  WHERE setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))
)
SELECT wanted.file, wanted.role, wanted.name
FROM wanted JOIN pg_roles ON pg_roles.rolname = wanted.role
WHERE NOT EXISTS (
  SELECT FROM kept WHERE kept.setrole IN (0, pg_roles.oid) AND kept.name = wanted.name AND kept.value <> '0')
ORDER BY 1, 2, 3
"""
# the session's role, the owner of the schema, and whether the role is a member of the owner
OWNERSHIP = """
SELECT r.rolname, r.rolsuper, o.rolname, coalesce(pg_has_role(o.oid, 'MEMBER'), false)
FROM pg_roles r
LEFT JOIN pg_class c ON c.oid = to_regclass('shops')
LEFT JOIN pg_roles o ON o.oid = c.relowner
WHERE r.rolname = current_user
"""
VENDOR_FILES = (
    "maplibre-gl/maplibre-gl.mjs",
    "maplibre-gl/maplibre-gl-worker.mjs",
    "maplibre-gl/maplibre-gl.css",
    "swagger-ui-dist/swagger-ui-bundle.js",
    "swagger-ui-dist/swagger-ui.css",
    "world-atlas/land-110m.json",
)

CARD_FONTS = tuple(
    Path("/usr/share/fonts/opentype/noto", name)
    for name in ("NotoSansCJK-Bold.ttc", "NotoSansCJK-Regular.ttc")
)


@dataclass(frozen=True)
class Finding:
    """Result of one check; `remedy` is empty if and only if it passed."""

    name: str
    detail: str
    remedy: str = ""

    @property
    def ok(self) -> bool:
        """Whether the check passed."""
        return not self.remedy


def examine(
    load_app: Callable[[], object], *, host: str, port: int, workers: int
) -> Iterator[Finding]:
    """Yields all findings; a failure may be the cause of later ones.

    load_app: creates the application, because some settings are only checked together: providers, store of rate limits."""
    yield check_python()
    yield check_packages()
    yield check_front_end()
    yield check_fonts()
    yield check_env_file(Path.cwd() / ".env")
    try:
        settings = Settings.from_environment()
        load_app()
        yield Finding("settings", "complete")
    except (ConfigError, NoAppException, OSError) as error:
        yield Finding("settings", str(error), "set it in the environment, or run scripts/setup")
        try:
            settings = Settings.from_environment(testing=True)
        except ConfigError:
            return
    yield from check_database(settings, workers)
    yield check_port(host, port)


def check_python() -> Finding:
    """Checks the version of Python."""
    version = sys.version.split()[0]
    if sys.version_info < OLDEST_PYTHON:
        return Finding("python", version, "install Python 3.11 or newer, then run scripts/setup")
    return Finding("python", version)


def check_packages() -> Finding:
    """Checks that every package of the base installation is installed."""
    try:
        required = metadata.requires("geoshops") or []
    except metadata.PackageNotFoundError:
        return Finding("packages", "geoshops is not installed", "scripts/setup --python-only")
    names = [_name_of(line) for line in required if "extra ==" not in line]
    missing = [name for name in names if not _installed(name)]
    if missing:
        return Finding("packages", "missing: " + ", ".join(missing), "scripts/setup --python-only")
    return Finding("packages", f"{len(names)} present")


def check_front_end() -> Finding:
    """Checks that the packages of the map page and of /docs are installed."""
    missing = [name for name in VENDOR_FILES if not (assets.VENDOR / name).is_file()]
    if missing:
        return Finding("front end", "missing: " + ", ".join(missing), "scripts/setup")
    return Finding("front end", f"{len(VENDOR_FILES)} files present")


def check_fonts() -> Finding:
    """Checks the fonts of preview pictures. Missing ones are only a notice, because previews then show a default picture."""
    missing = [str(path) for path in CARD_FONTS if not path.is_file()]
    if missing:
        detail = (
            f"missing: {', '.join(missing)}; previews of shops show icons/share.png until a"
            " superuser runs apt-get install fonts-noto-cjk and the service is started again"
        )
        return Finding("fonts", detail)
    return Finding("fonts", f"{len(CARD_FONTS)} present, for previews of shops")


def check_env_file(path: Path) -> Finding:
    """Checks that only the owner can read .env, which contains passwords."""
    if not path.exists():
        return Finding(".env", "none in this folder; settings come from the environment")
    mode = path.stat().st_mode & 0o777
    if mode & 0o077:
        return Finding(".env", f"readable by others (mode {mode:o})", f"chmod 600 {path}")
    return Finding(".env", "readable by its owner only")


def check_database(settings: Settings, workers: int) -> Iterator[Finding]:
    """Checks the service's database: connection, version, encoding, extensions, schema, privileges and limits."""
    if not settings.database_url:
        yield Finding("database", "DATABASE_URL is not set", "run scripts/setup, or set it")
        return
    try:
        connection = psycopg2.connect(libpq_url(settings.database_url), connect_timeout=5)
    except psycopg2.Error as error:
        remedy = "scripts/db start for the private cluster; else check DATABASE_URL and the server"
        yield Finding("database", first_line(error), remedy)
        return
    try:
        connection.autocommit = True
        yield check_postgresql(connection)
        yield check_text(connection)
        yield from check_extensions(connection)
        yield check_role(connection)
        yield check_limits(connection)
        yield check_connections(connection, settings.pool_size * workers)
        yield check_deadlocks(connection)
    finally:
        connection.close()
    yield check_schema(settings)


def check_postgresql(connection: Any) -> Finding:
    """Checks the version of PostgreSQL."""
    version = connection.server_version
    shown = f"PostgreSQL {version // 10000}.{version % 10000}"
    if version < OLDEST_POSTGRESQL:
        return Finding("database", shown, "PostgreSQL 14 or newer is needed")
    return Finding("database", shown)


def check_text(connection: Any) -> Finding:
    """Checks for UTF-8 and a locale that classifies non-ASCII letters: with C, pg_trgm ignores Hangul."""
    encoding, ctype = _row(
        connection,
        "SELECT pg_encoding_to_char(encoding), datctype FROM pg_database"
        " WHERE datname = current_database()",
    )
    if encoding != "UTF8" or ctype in ("C", "POSIX"):
        remedy = (
            "create the database with ENCODING 'UTF8' and LOCALE 'C.UTF-8' (TEMPLATE template0)"
        )
        return Finding("text", f"{encoding}, {ctype}", remedy)
    return Finding("text", f"{encoding}, {ctype}")


def check_extensions(connection: Any) -> Iterator[Finding]:
    """Checks that the extensions exist in this database."""
    cursor = connection.cursor()
    cursor.execute("SELECT extname, extversion FROM pg_extension")
    installed: dict[str, str] = dict(cursor.fetchall())
    missing = [name for name in EXTENSIONS if name not in installed]
    if missing:
        statements = " ".join(f"CREATE EXTENSION {name};" for name in missing)
        yield Finding("extensions", "missing: " + ", ".join(missing), f"as superuser: {statements}")
    else:
        yield Finding("extensions", ", ".join(EXTENSIONS))
    if "postgis" in installed:
        yield _postgis(installed["postgis"])


def check_role(connection: Any) -> Finding:
    """Checks that the service's role cannot change the schema."""
    user, is_superuser, owner, is_owner = _row(connection, OWNERSHIP)
    if is_superuser:
        remedy = (
            "give the service its own role in DATABASE_URL"
            " and the schema's owner in GEOSHOPS_OWNER_DATABASE_URL"
        )
        return Finding("role", f"{user} is a superuser", remedy)
    if owner is None:
        return Finding("role", f"{user}; the schema is not applied yet")
    if is_owner:
        return Finding("role", f"{user}, which also owns the schema")
    return Finding("role", f"{user}; the schema belongs to {owner}")


def check_limits(connection: Any) -> Finding:
    """Checks the limits of the service's and the analysts' role, which belong to the server and are not in backups."""
    *_, is_owner = _row(connection, OWNERSHIP)
    cursor = connection.cursor()
    service = [] if is_owner else SERVICE_LIMITS
    cursor.execute(MISSING_LIMITS, {"service": service, "reader": READER_LIMITS})
    missing = cursor.fetchall()
    if missing:
        detail = ", ".join(f"{name} of {role}" for _, role, name in missing)
        files = " and ".join(f"sql/grants/{file}" for file in dict.fromkeys(m[0] for m in missing))
        return Finding("limits", f"not set: {detail}", f"a superuser runs {files}")
    if is_owner:
        return Finding("limits", "none, because the service uses the schema's owner")
    return Finding("limits", ", ".join(SERVICE_LIMITS))


def check_connections(connection: Any, wanted: int) -> Finding:
    """Checks that the pools of all workers fit into the server's connection limit."""
    (limit,) = _row(
        connection,
        "SELECT current_setting('max_connections')::int"
        " - current_setting('superuser_reserved_connections')::int",
    )
    detail = f"{wanted} of {limit}"
    if wanted > limit:
        return Finding("connections", detail, "lower WEB_CONCURRENCY or GEOSHOPS_POOL_SIZE")
    return Finding("connections", detail)


def check_deadlocks(connection: Any) -> Finding:
    """Checks that deadlock_timeout is less than lock_timeout. Otherwise only a notice, because both end a deadlock."""
    limits = "SELECT array_agg(setting::int ORDER BY name) FROM pg_settings WHERE name IN"
    ((deadlock_ms, lock_ms),) = _row(connection, f"{limits} ('deadlock_timeout', 'lock_timeout')")
    shown = f"detected after {deadlock_ms} ms"
    if 0 < lock_ms <= deadlock_ms:
        shown += (
            f"; lock waits time out earlier, after {lock_ms} ms, so deadlocks cause 503 instead of retries:"
            " a superuser may run ALTER ROLE geoshops_app SET deadlock_timeout = '200ms'"
        )
    return Finding("deadlocks", shown)


def check_schema(settings: Settings) -> Finding:
    """Checks that every file of sql/ is applied in its current version."""
    try:
        states = migrations.status(libpq_url(settings.operator_database_url))
    except psycopg2.Error as error:
        return Finding("schema", first_line(error), "check GEOSHOPS_OWNER_DATABASE_URL")
    odd = [f"{name} {state}" for name, state in states if state != "applied"]
    if not odd:
        with connected(libpq_url(settings.operator_database_url), "doctor") as connection:
            odd = [f"index {name} missing" for name in missing(connection)]
    if odd:
        return Finding("schema", ", ".join(odd[:5]), as_started("db upgrade"))
    return Finding("schema", f"{len(states)} files applied")


def check_port(host: str, port: int) -> Finding:
    """Checks that the service's port is free or used by the service."""
    shown = "127.0.0.1" if host in ("", "0.0.0.0", "::") else host
    with socket.socket(socket.AF_INET6 if ":" in shown else socket.AF_INET) as probe:
        probe.settimeout(2)
        if probe.connect_ex((shown, port)) != 0:
            return Finding("port", f"{port} is free")
    if _is_geoshops(f"http://{shown}:{port}/healthz"):
        return Finding("port", f"{port} is served by geoshops")
    return Finding("port", f"{port} is used by another program", "set PORT to another port")


def _is_geoshops(url: str) -> bool:
    try:
        with requests.Session() as session:
            session.trust_env = False
            return bool(session.get(url, timeout=2).json() == {"status": "ok"})
    except (requests.RequestException, ValueError):
        return False


def _postgis(version: str) -> Finding:
    if tuple(int(part) for part in version.split(".")[:2]) < OLDEST_POSTGIS:
        return Finding("postgis", version, "PostGIS 3.1 or newer is needed")
    return Finding("postgis", version)


def _row(connection: Any, statement: str) -> tuple[Any, ...]:
    cursor = connection.cursor()
    cursor.execute(statement)
    row: tuple[Any, ...] = cursor.fetchone()
    return row


def _name_of(requirement: str) -> str:
    return re.split(r"[<>=!~;\[ (]", requirement, maxsplit=1)[0]


def _installed(name: str) -> bool:
    try:
        metadata.version(name)
    except metadata.PackageNotFoundError:
        return False
    return True


def print_text(findings: list[Finding], say: Callable[[str], None]) -> None:
    """Prints one line per finding, followed by its remedy, if any."""
    for finding in findings:
        say(f"{'ok' if finding.ok else '!!'}  {finding.name:12} {finding.detail}")
        if not finding.ok:
            say(f"    {'':12} remedy: {finding.remedy}")


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--host", envvar="HOST", default="127.0.0.1", show_default=True)
@click.option(
    "--port", envvar="PORT", default=8000, show_default=True, type=click.IntRange(1, 65_535)
)
@click.option(
    "--workers", envvar="WEB_CONCURRENCY", default=2, show_default=True, type=click.IntRange(1)
)
@click.pass_obj
def doctor(info: ScriptInfo, as_json: bool, host: str, port: int, workers: int) -> None:
    """Check this machine and the settings; exit with code 1 if there is a fault."""
    findings = list(examine(info.load_app, host=host, port=port, workers=workers))
    healthy = all(finding.ok for finding in findings)
    if as_json:
        checks = [{**asdict(finding), "ok": finding.ok} for finding in findings]
        click.echo(json.dumps({"ok": healthy, "checks": checks}, ensure_ascii=False))
    else:
        print_text(findings, click.echo)
    sys.exit(0 if healthy else 1)
