"""`geoshops backup` and `geoshops restore`: pg_dump archives with checksums that a restore verifies.

FILE is an archive of `pg_dump --format=custom`, FILE.json contains the checksums. Both are created from one snapshot,
without blocking writers."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from psycopg2.extensions import make_dsn, parse_dsn

from geoshops import __about__
from geoshops.config import child_environment
from geoshops.database import migrations
from geoshops.database.operator_connection import connected
from geoshops.database.sql_files import EXTENSIONS
from geoshops.operations import checksums
from geoshops.operations.checksums import Say
from geoshops.operations.commands import failing_clearly
from geoshops.operations.connection import operator_url

PROGRESS = re.compile(r'(dumping contents of|processing data for) table "(?:public\.)?([^"]+)"')
# entries that already exist and that the schema's owner cannot create (scripts/setup.d/extensions.sql)
NOT_OURS = re.compile(
    r"^\d+; \d+ \d+ (SCHEMA - public|COMMENT - SCHEMA|EXTENSION|COMMENT - EXTENSION)"
)
FILLED = "SELECT count(*) FROM pg_class c WHERE $OURS AND c.relkind IN ('r', 'v')"
INSTALLED_EXTENSIONS = "SELECT extname FROM pg_extension WHERE extname <> 'plpgsql' ORDER BY 1"
FILE = click.argument("file", type=click.Path(dir_okay=False, path_type=Path))


class BackupError(click.ClickException):
    """A backup or restore failed; an incomplete file never has the name of a complete one."""


@contextmanager
def _cursor(url: str) -> Iterator[Any]:
    with connected(url, "backup", autocommit=True) as connection:
        yield connection.cursor()


def save(url: str, file: Path, say: Say) -> None:
    """Writes FILE and FILE.json; both get their names when both are complete."""
    part, listed = Path(f"{file}.part"), Path(f"{file}.json.part")
    try:
        _touch_private(part)
        _touch_private(listed)
        about = _dump(url, part, say)
        listed.write_text(json.dumps({**about, "sha256": _sha256(part)}, indent=1))
        listed.replace(f"{file}.json")
        part.replace(file)
    finally:
        part.unlink(missing_ok=True)
        listed.unlink(missing_ok=True)


def _dump(url: str, part: Path, say: Say) -> dict[str, Any]:
    """Dumps one snapshot and returns its checksums."""
    ours = ("--schema=public", "--exclude-table-data=spatial_ref_sys")
    options = ("--format=custom", "--no-owner", *ours)
    with _cursor(url) as cursor:
        cursor.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        cursor.execute(
            "SELECT pg_export_snapshot(), current_setting('server_version_num')::int / 10000"
        )
        snapshot, major = cursor.fetchone()
        about = {"geoshops": __about__.VERSION, "server": major}
        content: dict[str, Any] = {"sequences": checksums.sequences(cursor)}
        target = ("--snapshot", snapshot, "--file", str(part), *options)
        _run(_program("pg_dump", major), url, target, say)
        content.update(checksums.fingerprint(cursor, say))
        cursor.execute(INSTALLED_EXTENSIONS)
        content["extensions"] = [name for (name,) in cursor.fetchall()]
    return {**about, **content}


def load(url: str, file: Path, say: Say, *, replace: bool, jobs: int) -> dict[str, Any]:
    """Restores FILE into an empty database, or replaces the schema, and verifies everything."""
    wanted = _manifest(file)
    with _cursor(url) as cursor:
        major = _check_target(cursor, wanted, replace)
    program = _program("pg_restore", major)
    if replace:
        migrations.reset(url)
    with tempfile.NamedTemporaryFile("w", suffix=".list") as chosen:
        chosen.write(_entries(program, file))
        chosen.flush()
        whole = ("--single-transaction",) if jobs == 1 else (f"--jobs={jobs}",)
        options = ("--no-owner", "--exit-on-error", *whole, "--use-list", chosen.name, str(file))
        _run(program, url, options, say)
    with _cursor(url) as cursor:
        differing = verify(cursor, wanted, say)
        if differing:
            raise BackupError("the restored database differs:\n" + "\n".join(differing[:50]))
        cursor.execute("VACUUM (ANALYZE)")
    migrations.grant(url)
    return wanted


def verify(cursor: Any, wanted: dict[str, Any], say: Say) -> list[str]:
    """The differences between the database and the checksums of a backup, one line each."""
    lines = checksums.differences(wanted, checksums.fingerprint(cursor, say))
    found = checksums.sequences(cursor)
    for name, value in wanted["sequences"].items():
        # a sequence advances while a backup runs, so only a lower value is an error
        if found.get(name, -1) < value:
            lines.append(f"sequence {name}: {found.get(name)} is behind {value}")
    return lines


def _manifest(file: Path) -> dict[str, Any]:
    listed = Path(f"{file}.json")
    if not file.exists() or not listed.exists():
        raise BackupError(f"{file} and {listed} must both exist: the second contains the checksums")
    wanted: dict[str, Any] = json.loads(listed.read_text(encoding="utf-8"))
    if _sha256(file) != wanted["sha256"]:
        raise BackupError(f"{file} does not match {listed}: it is damaged or was replaced")
    return wanted


def _check_target(cursor: Any, wanted: dict[str, Any], replace: bool) -> int:
    cursor.execute("SELECT current_setting('server_version_num')::int / 10000")
    (major,) = cursor.fetchone()
    if major < wanted["server"]:
        raise BackupError(
            f"the backup is from PostgreSQL {wanted['server']}, but this server is {major}"
        )
    cursor.execute("SELECT rolname FROM pg_roles")
    roles = {name for (name,) in cursor.fetchall()}
    named = {grant.rpartition(" to ")[2].strip('"') for grant in wanted["grants"]} - {"PUBLIC"}
    if named - roles:
        raise BackupError(
            f"roles are missing: {', '.join(sorted(named - roles))}; run roles.sql first"
        )
    cursor.execute(INSTALLED_EXTENSIONS)
    installed = {name for (name,) in cursor.fetchall()}
    missing = set(EXTENSIONS) & set(wanted["extensions"]) - installed
    if missing:
        raise BackupError(
            f"extensions are missing: {', '.join(sorted(missing))}; run extensions.sql first"
        )
    cursor.execute(checksums.of_ours(FILLED))
    if cursor.fetchone()[0] and not replace:
        raise BackupError(
            "the database is not empty; --replace deletes its contents. Nothing was changed"
        )
    return int(major)


def _entries(program: str, file: Path) -> str:
    listed = subprocess.run(
        [program, "--list", str(file)], capture_output=True, text=True, check=True
    )
    return "".join(line for line in listed.stdout.splitlines(True) if not NOT_OURS.match(line))


def _program(name: str, major: int) -> str:
    """The newest installed version of a PostgreSQL client program; it must not be older than the server."""
    by_version = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), reverse=True)
    for path in [*map(str, by_version), shutil.which(name)]:
        if path and _major_of(path) >= major:
            return path
    raise BackupError(f"{name} {major} or newer is required: install postgresql-client-{major}")


def _major_of(program: str) -> int:
    printed = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
    version = re.search(r"\) (\d+)", printed.stdout)
    return int(version[1]) if version else 0


def _run(program: str, url: str, options: tuple[str, ...], say: Say) -> None:
    # the password is passed in the environment, because all users of the machine can read command lines
    parts = parse_dsn(url)
    environment = child_environment(PGPASSWORD=parts.pop("password", ""), LC_ALL="C")
    command = [program, "--verbose", "--dbname", make_dsn(**parts), *options]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as child:
        printed = []
        for line in child.stderr or ():
            printed.append(line)
            if match := PROGRESS.search(line):
                say(f"{match[1].split()[0]} {match[2]}")
    if child.returncode:
        errors = [line for line in printed if "error:" in line] or printed
        raise BackupError(f"{Path(program).name} failed: {''.join(errors[-5:]).strip()}")


def _touch_private(path: Path) -> None:
    # the file contains personal data
    path.unlink(missing_ok=True)
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def _sha256(path: Path) -> str:
    with path.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _say(line: str) -> None:
    click.echo(line, err=True)


@click.command(cls=click.Command)
@FILE
@click.option("--force", is_flag=True, help="Overwrite FILE.")
@failing_clearly
def backup(file: Path, force: bool) -> None:
    """Save the database to FILE, with checksums of every table in FILE.json.

    Readers and writers are not blocked; the backup is a snapshot of its start time."""
    if file.exists() and not force:
        raise BackupError(f"{file} exists; --force overwrites it")
    save(operator_url(), file, _say)
    click.echo(f"saved: {file} and {file}.json")


@click.command(cls=click.Command)
@FILE
@click.option("--replace", is_flag=True, help="Delete the database's contents first.")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@click.option("--jobs", default=1, show_default=True, type=click.IntRange(1, 16),
              help="Number of processes; with more than one, a failure leaves an incomplete database.")  # fmt: skip
@failing_clearly
def restore(file: Path, replace: bool, yes: bool, jobs: int) -> None:
    """Restore FILE and compare every table, index, constraint, function and grant with FILE.json.

    Stop the service first if it uses the database."""
    if replace and not yes:
        click.confirm(
            "This deletes every shop, member and review of the database. Continue?", abort=True
        )
    wanted = load(operator_url(), file, _say, replace=replace, jobs=jobs)
    rows = sum(int(text.split()[0]) for text in wanted["tables"].values())
    click.echo(f"restored and verified: {len(wanted['tables'])} tables, {rows} rows")
