"""Debian packages: those that the scripts name, who installs them, and that no service is started."""

from __future__ import annotations

import ast
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# Chromium's names, programs of .venv/bin, of every Debian, and for containers and machines
ELSEWHERE = {
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "node",
    "granian",
    "runuser",
    "uv",
    "docker",
    "dockerd",
    "debootstrap",
}


def searched_programs() -> Iterator[str]:
    """Names that tests give to shutil.which."""
    for path in (ROOT / "tests").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "shutil.which":
                assert isinstance(node.args[0], ast.Constant), f"{path}: a name that can be read"
                yield node.args[0].value


def test_every_program_that_tests_look_for_is_installed_by_scripts_test() -> None:
    table = re.search(
        r'^TEST_PROGRAMS="(.+)"$', (ROOT / "scripts/setup.d/tests.sh").read_text(), re.M
    )
    assert table
    installed = {pair.split(":")[0] for pair in table[1].split()}
    searched = set(searched_programs())
    assert len(searched) > 5
    assert searched - ELSEWHERE <= installed


class Machine:
    """A PATH with an apt-get that only records its arguments, and a shell with the functions of scripts/."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.policy, self.dropin = folder / "policy-rc.d", folder / "clusters" / "geoshops.conf"
        self.notes = folder / "notes"
        (folder / "bin").mkdir()
        (folder / "scripts").mkdir()
        (folder / "scripts" / "setup.d").symlink_to(ROOT / "scripts" / "setup.d")

    def program(self, name: str, text: str) -> None:
        path = self.folder / "bin" / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)

    def root(self) -> None:
        self.program("id", "echo 0")

    def someone(self) -> None:
        """An ordinary user whom sudo rejects."""
        self.program("id", "echo 1000")
        self.program("sudo", "exit 1")

    def run(self, text: str, **environ: str) -> subprocess.CompletedProcess[str]:
        script = self.folder / "scripts" / "try"
        script.write_text(
            '. "$(dirname -- "$0")/setup.d/common.sh"\n. "$PARTS/apt.sh"\n. "$PARTS/postgres.sh"\n. "$PARTS/tests.sh"\n'
            f"SERVICE_POLICY={self.policy} CLUSTER_POLICY={self.dropin}\napt_refresh() {{ :; }}\n{text}\n"
        )
        return subprocess.run(
            ["sh", str(script)],
            env={"PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}", "HOME": str(self.folder), **environ},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=20,
            check=False,
        )  # fmt: skip


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    made = Machine(tmp_path)
    made.program("dpkg-query", "exit 1")
    made.program(
        "systemctl", f'case $1 in cat) [ "$2" = nginx ] ;; *) echo "$@" >>{made.notes} ;; esac'
    )
    note = f"[ -e {made.policy} ] && sh {made.policy}; echo policy $? >>{made.notes}; cat {made.dropin} >>{made.notes}"
    made.program("apt-get", f'echo "$@" >>{made.notes}; {note} 2>/dev/null; true')
    return made


INSTALL = "apt_need nginx nginx; apt_need libatomic libatomic1; apt_need PostgreSQL postgresql nginx; install_needed"


def test_root_installs_everything_at_once_without_services(machine: Machine) -> None:
    machine.root()
    done = machine.run(INSTALL)
    assert done.returncode == 0, done.stderr
    assert machine.notes.read_text().splitlines() == [
        "install -y -q --no-install-recommends nginx libatomic1 postgresql",
        "policy 101",
        "create_main_cluster = false",
        "disable --quiet nginx",
    ]
    assert not machine.policy.exists() and not machine.dropin.exists()


def test_a_failed_installation_leaves_no_policy(machine: Machine) -> None:
    machine.root()
    machine.program("apt-get", "exit 100")
    done = machine.run(INSTALL)
    assert (
        done.returncode == 1 and "apt could not install nginx libatomic1 postgresql" in done.stderr
    )
    assert not machine.policy.exists() and not machine.dropin.exists()


def test_a_policy_left_by_a_killed_installation_is_removed_by_the_next(machine: Machine) -> None:
    machine.root()
    machine.program("apt-get", "kill -9 $PPID; sleep 1")
    machine.run(INSTALL)
    assert machine.policy.exists()
    machine.program("apt-get", "exit 0")
    assert machine.run(INSTALL).returncode == 0
    assert not machine.policy.exists()


def test_an_administrators_own_policy_stays(machine: Machine) -> None:
    machine.root()
    machine.policy.write_text("#!/bin/sh\nexit 0\n")
    assert machine.run(INSTALL).returncode == 0
    assert machine.policy.read_text() == "#!/bin/sh\nexit 0\n"


@pytest.mark.parametrize("chromium", ["chromium-headless-shell", "chromium"])
def test_someone_without_sudo_is_given_one_line_for_everything(
    machine: Machine, chromium: str
) -> None:
    machine.someone()
    nothing = (
        "have() { false; }; have_program() { false; }; have_libatomic() { false; }; "
        "have_card_fonts() { false; }; have_plpgsql_check() { false; }; installed_major() { echo 15; }; "
        f"package_known() {{ [ {chromium} = chromium-headless-shell ]; }}"
    )
    done = machine.run(
        f"need_all() {{ {nothing}; need_test_packages; }}; need_all\nhave() {{ [ $1 = apt-get ]; }}\ninstall_needed"
    )
    assert done.returncode == 1
    commands = re.findall("Ask an administrator to run: (.+)", done.stderr)
    assert commands == [
        f"apt-get update && apt-get install -y --no-install-recommends {chromium} fonts-nanum fontconfig "
        "fonts-noto-cjk libatomic1 nginx redis-server prometheus pgbouncer haproxy wrk postgresql-15-plpgsql-check"
    ]
    assert not machine.notes.exists()


def test_without_apt_what_is_missing_is_named(machine: Machine) -> None:
    machine.root()
    done = machine.run(
        "apt_available || echo not; apt_need nginx nginx; skip_needed", GEOSHOPS_NO_APT="1"
    )
    assert (done.returncode, done.stdout) == (0, "not\n")
    assert (
        "missing: nginx. " in done.stderr
        and "install -y --no-install-recommends nginx" in done.stderr
    )
