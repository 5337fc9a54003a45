"""Secrets come from the environment or from files, and never reach a log, a response or an error message."""

from __future__ import annotations

import dataclasses
import logging
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from flask.testing import FlaskClient

from geoshops import create_app
from geoshops.cli import main
from geoshops.config import ConfigError, Settings

MARK = "TOPSECRET"
SECRETS = [item for item in dataclasses.fields(Settings) if item.metadata["secret"]]
AROUND = "/shops/brand?userLat=37.5&userLng=127&mapLat=37.5&mapLng=127"
# nothing listens at these addresses, so that every error message about them is produced
URL = f"postgresql://nobody:{MARK}-%s@127.0.0.1:9/none"
STORE = f"redis://:{MARK}-store@127.0.0.1:9/0?socket_connect_timeout=1"


def values() -> dict[str, str]:
    """A marked value for every secret, by the name of its environment variable."""
    marked = {}
    for item in SECRETS:
        env = item.metadata["env"]
        addresses = {"database_url": URL % "app", "owner_database_url": URL % "owner"}
        addresses |= {"reader_database_url": URL % "reader", "read_database_url": URL % "replica"}
        addresses |= {"ratelimit_storage_uri": STORE}
        marked[env] = addresses.get(item.name, f"{MARK}-{item.name}-{'x' * 40}")
    return marked


def as_files(folder: Path) -> dict[str, str]:
    """Writes the secrets to files; returns the NAME_FILE variables that point to them."""
    environment = {}
    for env, value in values().items():
        path = folder / env
        path.write_text(f"{value}\n", encoding="utf-8")
        environment[f"{env}_FILE"] = str(path)
    return environment


def test_every_secret_may_come_from_a_file(tmp_path: Path) -> None:
    assert len(SECRETS) >= 8
    by_file = Settings.from_environment(as_files(tmp_path))
    assert by_file == Settings.from_environment(values())
    assert by_file.idp_client_secret.startswith(MARK)


def test_every_setting_that_is_named_like_a_secret_is_one() -> None:
    suspects = ("secret", "password", "_key", "database_url", "token", "storage_uri")
    known = {item.name for item in SECRETS}
    harmless = {"access_token_minutes", "refresh_token_days", "idp_key_id"}
    named = {f.name for f in dataclasses.fields(Settings) if any(s in f.name for s in suspects)}
    assert named - harmless <= known


def test_settings_do_not_show_their_secrets(tmp_path: Path) -> None:
    settings = Settings.from_environment(as_files(tmp_path))
    assert MARK not in repr(settings) and MARK not in str(settings)
    with pytest.raises(ConfigError) as error:
        dataclasses.replace(settings, secret_key=f"{MARK}-short")
    assert MARK not in str(error.value)


def request_everything(client: FlaskClient) -> str:
    """Bodies of the responses to requests that contain secrets or fail in a part that uses one."""
    bearer = {"Authorization": f"Bearer {MARK}-token", "Cookie": f"session={MARK}-cookie"}
    responses = [
        client.get(AROUND), client.get(AROUND, headers=bearer), client.get("/readyz"),
        client.get("/metrics"), client.get("/member/info", headers=bearer),
        client.get(f"/auth/login/idp?code={MARK}-code&nonce={MARK}-nonce&code_verifier={MARK}-verifier"),
        client.get(f"/auth/login/idp?code={MARK}-code&provider=nobody"),
        client.post("/auth/token", json={"refresh_token": f"{MARK}-refresh", "rotate": True}),
        client.post("/auth/token", data=f'{{"refresh_token": "{MARK}'),
        client.get("/auth/logout", headers=bearer), client.get(f"/none?access_token={MARK}-query"),
    ]  # fmt: skip
    return "".join(response.get_data(as_text=True) for response in responses)


@pytest.mark.parametrize("log_format", ["json", "text"])
def test_no_secret_reaches_a_log_or_a_response(
    tmp_path: Path, capfd: Any, caplog: Any, log_format: str
) -> None:
    caplog.set_level(logging.DEBUG)
    more = {"log_level": "DEBUG", "log_format": log_format, "testing": True}
    provider = {"idp_client_id": "client", "idp_issuer": "http://127.0.0.1:9"}
    settings = Settings.from_environment(as_files(tmp_path), **more, **provider)
    app = create_app(settings)

    @app.get("/breaks")
    def breaks() -> str:
        raise RuntimeError("nobody expected this")

    client = app.test_client()
    bodies = request_everything(client) + client.get("/breaks").get_data(as_text=True)
    shown = capfd.readouterr()
    logged = shown.out + shown.err + caplog.text
    assert "unexpected error" in logged and "the rate-limit store is unreachable" in logged
    assert MARK not in logged
    assert MARK not in bodies
    logging.getLogger("geoshops").handlers.clear()


@pytest.mark.parametrize(
    "words",
    [("recount",), ("db", "status"), ("backup", "file"), ("moderate", "list"), ("doctor",)],
)
def test_no_secret_reaches_the_error_output_of_a_command(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Any, caplog: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    for env, value in values().items():
        monkeypatch.setenv(env, value)
    done = CliRunner().invoke(main, list(words))
    assert done.exit_code != 0
    shown = capfd.readouterr()
    trace = "".join(map(str, (done.exception, *(done.exc_info or ()))))
    assert MARK not in done.output + shown.out + shown.err + caplog.text + trace
