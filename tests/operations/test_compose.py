"""The Compose files and Dockerfiles: least privilege, secrets, settings, ports, and build stages of the containers."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from geoshops.config import Settings
from tests.conftest import ROOT
from tests.containers.engine import STAND_INS, base_images

DEPLOY = ROOT / "scripts" / "deploy"
COMPOSE: Any = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
DOCKERFILE = (ROOT / "scripts" / "deploy" / "Dockerfile").read_text(encoding="utf-8")
PRODUCTION = (ROOT / "scripts" / "deploy" / "production.yml").read_text(encoding="utf-8")
NAMES = {f.metadata["env"] for f in dataclasses.fields(Settings)}
SECRETS = {f.metadata["env"] for f in dataclasses.fields(Settings) if f.metadata["secret"]}
# containers get these from secret files on volumes; a checkout's .env has the values for the cluster of scripts/setup
OWN = {
    "DATABASE_URL",
    "GEOSHOPS_OWNER_DATABASE_URL",
    "GEOSHOPS_READER_DATABASE_URL",
    "READ_DATABASE_URL",
    "GEOSHOPS_SECRET_KEY",
}
IMAGES = ("geoshops", "geoshops-operator")
OURS = [name for name, service in COMPOSE["services"].items() if service["image"] in IMAGES]


@pytest.mark.parametrize("name", OURS)
def test_a_container_of_the_service_has_no_privileges(name: str) -> None:
    service = COMPOSE["services"][name]
    assert service["read_only"] is True and service["tmpfs"] == ["/tmp"]
    assert service["cap_drop"] == ["ALL"] and "cap_add" not in service
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["user"].split(":")[0] not in ("0", "root")
    assert service["pids_limit"] <= 512 and "mem_limit" in service
    assert not service.get("privileged") and "network_mode" not in service


def test_no_container_can_gain_privileges() -> None:
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
    for name in ("api", "psql", "analyst"):
        assert "owner-secrets" not in str(COMPOSE["services"][name])
    assert "app-secrets" not in str(COMPOSE["services"]["psql"])


def test_the_operators_basemap_file_is_mounted_where_its_setting_points() -> None:
    services = [COMPOSE["services"][name] for name in OURS]
    nginx = yaml.safe_load(PRODUCTION.replace("!reset", ""))["services"]
    services += [nginx["nginx-config"], nginx["nginx"]]
    for service in services:
        assert (
            "${GEOSHOPS_BASEMAP_FILE:-/dev/null}:/basemap/streets.pmtiles:ro" in service["volumes"]
        )
    # the last one runs the plain nginx image, which reads no settings of the service
    for service in services[:-1]:
        path = service["environment"]["GEOSHOPS_BASEMAP_FILE"]
        assert path == "${GEOSHOPS_BASEMAP_FILE:+/basemap/streets.pmtiles}"


@pytest.mark.parametrize("name", OURS)
def test_every_setting_comes_from_the_environment_or_the_env_file(name: str) -> None:
    service = COMPOSE["services"][name]
    environment = service["environment"]
    assert "env_file" not in service, (
        "it would pass a checkout's own database and port to the container"
    )
    assert {key for key in environment if key in NAMES} == NAMES - OWN - {"GEOSHOPS_TESTING"}
    # a null value passes the variable only if it is set; an empty string would be an invalid number
    plain = NAMES - {"GEOSHOPS_BASEMAP_FILE"}
    assert {environment[key] for key in environment if key in plain} == {None}
    assert environment["DATABASE_URL_FILE"] and environment["GEOSHOPS_SECRET_KEY_FILE"]


def test_production_nginx_gets_the_cors_and_body_size_settings() -> None:
    # safe_load does not know the !reset tag, which removes a list that another Compose file defines
    production: Any = yaml.safe_load(re.sub(r"!reset ", "", PRODUCTION))
    environment = production["services"]["nginx-config"]["environment"]
    assert {"GEOSHOPS_CORS_ORIGINS", "GEOSHOPS_MAX_BODY_BYTES"} <= set(environment)


def test_only_the_service_has_a_port_and_only_on_this_machine() -> None:
    ports = {n: s["ports"] for n, s in COMPOSE["services"].items() if "ports" in s}
    assert all(port.startswith("127.0.0.1:") for published in ports.values() for port in published)
    assert "db" not in ports


def test_the_image_runs_unprivileged_and_contains_no_compilers() -> None:
    service, operator = (stages()[name] for name in ("service", "operator"))
    assert "\nUSER 10001" in service and "HEALTHCHECK" in service
    assert operator.startswith("FROM service ")
    for stage in (service, operator):
        assert not [word for word in ("apt-get", "npm", "pip", "gcc", "build-") if word in stage]
    for name in ("Dockerfile", "Dockerfile.db", "Dockerfile.node"):
        text = (DEPLOY / name).read_text(encoding="utf-8")
        assert [
            line for line in text.splitlines() if line.startswith("FROM") and ":latest" in line
        ] == []


def stages() -> dict[str, str]:
    """The text of each build stage of the Dockerfile, by stage name."""
    texts = re.split(r"^(?=FROM )", DOCKERFILE, flags=re.MULTILINE)[1:]
    return {stage.splitlines()[0].rpartition(" ")[2]: stage for stage in texts}


def test_packages_are_installed_before_the_source_is_copied() -> None:
    packages, build = stages()["packages"], stages()["build"]
    assert "pip" in packages and not [
        line for line in packages.splitlines() if "COPY geoshops" in line
    ]
    assert build.startswith("FROM packages ") and "--no-deps" in build


def test_a_changed_page_does_not_reinstall_the_npm_packages() -> None:
    copied, installed = stages()["front-end"].split("RUN scripts/setup --front-end-only")[:2]
    assert "package-lock.json" in copied and "static" not in copied
    assert "static/js" in installed and "static/css" in installed


def test_the_requirements_of_the_image_are_those_of_setup_cfg() -> None:
    listed = subprocess.run(
        [sys.executable, DEPLOY / "requirements.py", "base", "redis"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    assert [line for line in listed if line.startswith("flask>=")]
    assert [line for line in listed if line.startswith("redis>=")]
    assert not [line for line in listed if line.startswith(("shapely", "numpy"))]


def test_only_the_server_has_the_metrics_folder_variable() -> None:
    # a geoshops command fails if the variable is set but the folder is missing
    assert "PROMETHEUS_MULTIPROC_DIR" not in DOCKERFILE + json.dumps(COMPOSE) + PRODUCTION
    script = (DEPLOY / "start.sh").read_text(encoding="utf-8")
    assert script.index("PROMETHEUS_MULTIPROC_DIR=") < script.index("mkdir -p")


def test_a_pooler_outlives_its_node() -> None:
    for number in "123":
        pooler = COMPOSE["services"][f"pgbouncer{number}"]
        assert "network_mode" not in pooler
        assert pooler["command"] == ["pgbouncer", f"node{number}"]


def test_every_node_holds_the_lock_that_its_watcher_waits_for() -> None:
    nodes = [f"node{number}" for number in "123"]
    assert COMPOSE["services"]["watch-nodes"]["command"] == ["watch", *nodes]
    for name in (*nodes, "watch-nodes"):
        assert "locks:/locks" in COMPOSE["services"][name]["volumes"]


def test_no_container_leaves_a_volume_of_the_database_image_behind() -> None:
    # `docker compose run --rm psql` removes its anonymous volume
    for name, service in COMPOSE["services"].items():
        if service["image"] in ("geoshops-db", "geoshops-node") and name != "psql":
            places = [*service.get("tmpfs", []), *(v.split(":")[1] for v in service["volumes"])]
            assert "/var/lib/postgresql/data" in places, name


def test_the_balancer_checks_the_pooler_and_the_role_of_its_node() -> None:
    balancer = (DEPLOY / "haproxy.cfg").read_text(encoding="utf-8")
    for name in ("writer", "reader"):
        backend = balancer.split(f"\nbackend {name}\n")[1].split("\n\n")[0]
        # without an explicit port, a health check uses the client port
        servers = re.findall(r"server (node\d) (pgbouncer\d):6432 check (.*)", backend)
        assert [(node[-1], pooler[-1]) for node, pooler, _ in servers] == [(n, n) for n in "123"]
        assert not [more for *_, more in servers if "port" in more]
        assert "expect string N" in backend and "Host: %[srv_name]" in backend


def test_the_store_of_limits_is_reached_by_the_service_only() -> None:
    production: Any = yaml.safe_load(re.sub(r"!reset ", "", PRODUCTION))
    redis = production["services"]["redis"]
    assert redis["command"][1:3] == ["--protected-mode", "no"]
    assert redis["networks"] == ["limits"] and production["networks"]["limits"]["internal"] is True
    sharing = [n for n, s in production["services"].items() if "limits" in s.get("networks", [])]
    assert sorted(sharing) == ["api", "redis"]


@pytest.mark.parametrize(
    ("issuer", "is_off"),
    [
        ("http://127.0.0.1:9400", True),
        ("http://localhost:9400", True),
        ("http://[::1]:9400", True),
        ("https://id.example", False),
        ("", False),
    ],
)
def test_a_provider_on_the_loopback_of_the_host_leaves_sign_in_off(
    issuer: str, is_off: bool, tmp_path: Path
) -> None:
    granian = tmp_path / "granian"
    granian.write_text('#!/bin/sh\necho "client: ${GEOSHOPS_IDP_CLIENT_ID-none}"\n')
    granian.chmod(0o755)
    started = subprocess.run(
        ["sh", str(DEPLOY / "start.sh")],
        env={
            "TMPDIR": str(tmp_path),
            "PATH": f"{tmp_path}:{os.environ['PATH']}", "HOST": "127.0.0.1", "PORT": "1",
            "GEOSHOPS_IDP_ISSUER": issuer, "GEOSHOPS_IDP_CLIENT_ID": "geoshops",
        },
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert started.stdout.strip() == f"client: {'none' if is_off else 'geoshops'}"
    assert ("sign-in is off" in started.stderr) is is_off


def test_secrets_are_made_once_on_a_read_only_root(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("db", "owner", "app", "reader")]
    for folder in folders:
        folder.mkdir()
    tmp_path.chmod(0o555)
    make = ["sh", str(DEPLOY / "secrets.sh"), str(tmp_path)]
    subprocess.run(make, check=True)
    before = {path: path.read_text() for path in tmp_path.rglob("*") if path.is_file()}
    subprocess.run(make, check=True)
    assert before == {path: path.read_text() for path in before}
    assert all(path.stat().st_mode & 0o444 == 0o444 for path in before)
    assert tmp_path.stat().st_mode & 0o777 == 0o555, "the mount point lies on a read-only root"
    reader = (tmp_path / "reader" / "database_url").read_text()
    assert reader.startswith("postgresql://geoshops_reader:") and reader.endswith(
        "@db:5432/geoshops"
    )


def test_every_base_image_has_a_replacement_for_tests() -> None:
    named = base_images()
    assert {"debian:trixie-slim", "postgres:17-trixie", "haproxy:3.0"} <= named
    script = STAND_INS.read_text(encoding="utf-8")
    built = set(re.findall(r"^  image (\S+)", script, re.MULTILINE)) | {"debian:trixie-slim"}
    assert built == named
