"""The containers have no more than they need: no root, no writable root, no capabilities."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

import pytest
import yaml

from geoshops.config import Settings
from tests.conftest import ROOT

COMPOSE: Any = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
DOCKERFILE = (ROOT / "scripts" / "deploy" / "Dockerfile").read_text(encoding="utf-8")
PRODUCTION = (ROOT / "scripts" / "deploy" / "production.yml").read_text(encoding="utf-8")
NAMES = {f.metadata["env"] for f in dataclasses.fields(Settings)}
SECRETS = {f.metadata["env"] for f in dataclasses.fields(Settings) if f.metadata["secret"]}
# the volumes have their own; those of a checkout's .env name the cluster that scripts/setup made
OWN = {
    "DATABASE_URL",
    "GEOSHOPS_OWNER_DATABASE_URL",
    "GEOSHOPS_READER_DATABASE_URL",
    "READ_DATABASE_URL",
    "GEOSHOPS_SECRET_KEY",
}
OURS = [name for name, service in COMPOSE["services"].items() if service["image"] == "geoshops"]


@pytest.mark.parametrize("name", OURS)
def test_a_container_of_ours_may_do_nothing_but_serve(name: str) -> None:
    service = COMPOSE["services"][name]
    assert service["read_only"] is True and service["tmpfs"] == ["/tmp"]
    assert service["cap_drop"] == ["ALL"] and "cap_add" not in service
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["user"].split(":")[0] not in ("0", "root")
    assert service["pids_limit"] <= 512 and "mem_limit" in service
    assert not service.get("privileged") and "network_mode" not in service


def test_no_container_may_gain_privileges() -> None:
    assert OURS
    for name, service in COMPOSE["services"].items():
        assert "no-new-privileges:true" in service["security_opt"], name


def test_secrets_are_files_that_only_their_users_mount() -> None:
    for name in OURS:
        service = COMPOSE["services"][name]
        environment = service.get("environment", {})
        plain = [key for key, value in environment.items() if key in SECRETS and value is not None]
        assert plain == [], "secrets come by NAME_FILE, or from the operator"
        mounted = {volume.split(":")[0] for volume in service["volumes"]}
        assert all(volume.endswith(":ro") for volume in service["volumes"])
        assert "db-secrets" not in mounted
    assert "owner-secrets" not in str(COMPOSE["services"]["api"])


@pytest.mark.parametrize("name", OURS)
def test_every_setting_comes_from_the_environment_or_env(name: str) -> None:
    service = COMPOSE["services"][name]
    environment = service["environment"]
    assert "env_file" not in service, "it would hand on a checkout's own database and port"
    assert {key for key in environment if key in NAMES} == NAMES - OWN - {"GEOSHOPS_TESTING"}
    # without a value it is absent where nobody gives one: an empty one would not be a number
    assert {environment[key] for key in environment if key in NAMES} == {None}
    assert environment["DATABASE_URL_FILE"] and environment["GEOSHOPS_SECRET_KEY_FILE"]


def test_the_production_front_refuses_as_the_service_does() -> None:
    # safe_load does not know the tag that takes a list of another file away
    production: Any = yaml.safe_load(re.sub(r"!reset ", "", PRODUCTION))
    environment = production["services"]["front-settings"]["environment"]
    assert {"GEOSHOPS_CORS_ORIGINS", "GEOSHOPS_MAX_BODY_BYTES"} <= set(environment)


def test_only_the_service_has_a_port_and_only_on_this_machine() -> None:
    ports = {n: s["ports"] for n, s in COMPOSE["services"].items() if "ports" in s}
    assert all(port.startswith("127.0.0.1:") for found in ports.values() for port in found)
    assert "db" not in ports


def test_the_image_ends_as_nobody_without_compilers() -> None:
    last = DOCKERFILE.split("\nFROM ")[-1]
    assert "\nUSER 10001" in last and "HEALTHCHECK" in last
    assert not [word for word in ("apt-get", "npm", "gcc", "build-essential") if word in last]
    assert [
        line for line in DOCKERFILE.splitlines() if line.startswith("FROM") and ":latest" in line
    ] == []
