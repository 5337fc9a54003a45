"""scripts/db throwaway: a cluster for tests starts, responds, and is removed completely."""

import os
import subprocess
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

import psycopg2
import pytest

ROOT = Path(__file__).resolve().parents[2]


def throwaway(*args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(ROOT / "scripts" / "db"), "throwaway", *args],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=120,
        check=False,
    )


def test_it_has_postgis_and_vanishes() -> None:
    started = throwaway("start")
    assert started.returncode == 0, started.stderr
    url = started.stdout.strip()
    try:
        connection = psycopg2.connect(url)
        cursor = connection.cursor()
        cursor.execute("CREATE EXTENSION postgis")
        cursor.execute("SHOW data_directory")
        folder = Path(cursor.fetchone()[0]).parent
        cursor.execute("SELECT datcollate FROM pg_database WHERE datname = 'postgres'")
        assert cursor.fetchone()[0] == "C.UTF-8"
        connection.close()
        assert urlsplit(url).hostname == "127.0.0.1"
        assert folder.is_dir()
    finally:
        stopped = throwaway("stop", url)
    assert stopped.returncode == 0, stopped.stderr
    assert not folder.exists()


def test_stop_rejects_a_folder_that_is_not_ours(tmp_path: Path) -> None:
    (tmp_path / "keep").write_text("mine")
    assert throwaway("stop", str(tmp_path)).returncode == 1
    assert (tmp_path / "keep").exists()


@pytest.fixture
def apart(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A separate temporary folder, because other tests start clusters, which remove leftovers."""
    with tempfile.TemporaryDirectory(prefix="geoshops-apart-") as folder:
        Path(folder).chmod(0o755)  # the cluster may run as another user
        monkeypatch.setenv("TMPDIR", folder)
        yield


def left_behind() -> str:
    """The URL of a cluster whose owner has ended."""
    with subprocess.Popen(["true"]) as gone:
        gone.wait()
    left = throwaway("start", "--for", str(gone.pid))
    assert left.returncode == 0, left.stderr
    return left.stdout.strip()


def assert_gone(url: str) -> None:
    assert throwaway("stop", url).returncode == 1, "it no longer exists"
    with pytest.raises(psycopg2.OperationalError):
        psycopg2.connect(url)


@pytest.mark.usefixtures("apart")
def test_what_a_killed_run_left_is_removed_by_the_next() -> None:
    left = left_behind()
    following = throwaway("start")
    assert throwaway("stop", following.stdout.strip()).returncode == 0
    assert_gone(left)


@pytest.mark.usefixtures("apart")
def test_several_starts_at_once_remove_it_once() -> None:
    left = left_behind()
    with ThreadPoolExecutor() as several:
        started = list(several.map(throwaway, ["start"] * 3))
    try:
        assert [start.returncode for start in started] == [0, 0, 0], [s.stderr for s in started]
        assert sum("left behind by" in start.stderr for start in started) == 1
        assert_gone(left)
    finally:
        for start in started:
            throwaway("stop", start.stdout.strip())


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can write where others chose")
@pytest.mark.usefixtures("apart")
def test_root_touches_nothing_that_another_user_put_there(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.write_text("mine")
    folder = Path(os.environ["TMPDIR"]) / "geoshops-test.theirs"
    folder.mkdir()
    (folder / "owner").symlink_to(kept)
    os.chown(folder, 65534, 65534)
    started = throwaway("start")
    assert throwaway("stop", started.stdout.strip()).returncode == 0
    assert (kept.read_text(), folder.is_dir()) == ("mine", True)
