"""The contents of the images, and what they must not contain."""

from __future__ import annotations

import pytest

from tests.containers.engine import docker

pytestmark = [pytest.mark.full, pytest.mark.usefixtures("images")]
PYTHONS = {
    "geoshops": "/opt/geoshops/bin/python",
    "geoshops-operator": "/opt/geoshops/bin/python",
    "geoshops-node": "/opt/patroni/bin/python",
}


def run(image: str, *command: str) -> str:
    return docker(
        "run", "--rm", "--network", "none", "--entrypoint", command[0], image, *command[1:]
    )


def has_module(image: str, name: str) -> bool:
    program = f"import importlib.util; print(importlib.util.find_spec({name!r}) is not None)"
    return run(image, PYTHONS[image], "-c", program).strip() == "True"


@pytest.mark.parametrize("image", PYTHONS)
def test_no_image_holds_pip_or_a_compiler(image: str) -> None:
    assert not has_module(image, "pip")
    found = run(image, "sh", "-c", "command -v pip pip3 gcc cc npm node || true")
    assert found == ""


def test_only_the_operators_image_holds_geodata_libraries() -> None:
    assert not has_module("geoshops", "numpy") and not has_module("geoshops", "shapely")
    assert has_module("geoshops-operator", "numpy") and has_module("geoshops-operator", "shapely")


@pytest.mark.parametrize("image", ["geoshops", "geoshops-operator"])
def test_a_command_needs_no_folder_that_the_server_makes(image: str) -> None:
    program = docker(
        "run", "--rm", "--read-only", "--network", "none", image, "geoshops", "settings"
    )
    assert "| `DATABASE_URL` |" in program
