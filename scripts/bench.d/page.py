"""Time until the first booths in the list and on the map, on the line of a phone, on a first and a repeat visit.

A local server stands in for the host of streets, so that its requests count too."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from data import PREFIX, Bench, server_cursor, server_url
from load import ROOT, free_port, stop

from geoshops.web import assets

SEED = ["seed", "--yes", "--shops", "5000", "--reviews", "20000", "--members", "300"]
TODAY = "2026-11-20"
NAME = f"{PREFIX}page"
VISITS, QUICK = 5, 2
# 1.6 Mbit/s down, 0.75 Mbit/s up, 150 ms: what Lighthouse calls a slow fourth-generation line
SLOW_LINE = {
    "offline": False,
    "latency": 150,
    "downloadThroughput": 1_600_000 / 8,
    "uploadThroughput": 750_000 / 8,
}
PHONE = {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 2, "is_mobile": True}
DESK = {"viewport": {"width": 1280, "height": 800}}
FIGURES = """() => {
  const entries = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")];
  const booths = performance.getEntriesByName("booths")[0].startTime;
  return {
    list_ms: performance.getEntriesByName("list")[0].startTime, map_ms: booths,
    kilobytes: entries.filter((e) => e.startTime < booths).reduce((sum, e) => sum + e.transferSize, 0) / 1000,
  };
}"""
# when the first booths were on the map, in milliseconds since 1970 as the browser's requests have it
BOOTHS = "() => performance.timeOrigin + performance.getEntriesByName('booths')[0].startTime"


def database_url() -> str:
    """Returns the URL of a database with sample data, created on first use."""
    cursor = server_cursor()
    cursor.execute("SELECT 1 FROM pg_database WHERE datname = %s", (NAME,))
    geoshops = str(ROOT / ".venv" / "bin" / "geoshops")
    environment = {**os.environ, "DATABASE_URL": server_url(NAME), "FLASK_SKIP_DOTENV": "1"}
    commands = [["db", "upgrade"]]
    if not cursor.fetchone():
        cursor.execute(f"CREATE DATABASE {NAME}")
        commands.append([*SEED, "--today", TODAY])
    for command in commands:
        subprocess.run([geoshops, *command], env=environment, check=True, stdout=sys.stderr)
    return server_url(NAME)


@contextmanager
def streets() -> Iterator[str]:
    """A host of streets without content: a style, its TileJSON and empty tiles; yields the style's address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            origin = f"http://127.0.0.1:{server.server_port}"
            line = {"id": "road", "type": "line", "source": "osm", "source-layer": "transportation"}
            bodies = {
                "/style.json": {
                    "version": 8,
                    "sources": {"osm": {"type": "vector", "url": f"{origin}/planet"}},
                    "layers": [line],
                },
                "/planet": {"tiles": [f"{origin}/tiles/{{z}}/{{x}}/{{y}}.pbf"], "maxzoom": 14},
            }
            self.send_response(200)
            self.send_header("Access-Control-Allow-Origin", "*")
            self.send_header("Cache-Control", "max-age=86400")
            self.end_headers()
            self.wfile.write(json.dumps(bodies[self.path]).encode() if self.path in bodies else b"")

        def log_message(self, *_: object) -> None:
            """Logs nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/style.json"
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def production(url: str, style_url: str = "off") -> Iterator[str]:
    """The service with nginx, and with streets of a style if one is given; yields its address."""
    if not assets.modules()[0].startswith(assets.BUILT):
        raise SystemExit("the page changed after it was bundled: run scripts/setup first")
    port = free_port()
    with tempfile.TemporaryDirectory() as folder, Path(folder, "log").open("w") as log:
        # nginx' workers are another user
        Path(folder).chmod(0o755)
        environment = {
            "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin", "DATABASE_URL": url, "HOST": "127.0.0.1",
            "PORT": str(port), "GEOSHOPS_SECRET_KEY": secrets.token_urlsafe(48), "GEOSHOPS_SCHEDULER": "off",
            "PROMETHEUS_MULTIPROC_DIR": folder, "GEOSHOPS_RUN_DIR": f"{folder}/nginx", "HOME": folder,
            "GEOSHOPS_RATELIMIT_STORAGE_URI": "", "GEOSHOPS_MAP_STYLE_URL": style_url,
        }  # fmt: skip
        process = subprocess.Popen(
            [str(ROOT / "scripts" / "serve"), "--production"],
            env=environment,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        try:
            _wait(f"http://127.0.0.1:{port}/readyz")
            yield f"http://127.0.0.1:{port}"
        finally:
            stop(process)


def _wait(url: str) -> None:
    limit = time.perf_counter() + 30
    while time.perf_counter() < limit:
        with suppress(OSError), urllib.request.urlopen(url, timeout=10):
            return
        time.sleep(0.1)
    raise SystemExit("the service did not start within 30 s")


def chromium() -> str:
    """The browser's program."""
    path = os.environ.get("GEOSHOPS_CHROMIUM") or shutil.which("chromium")
    if not path:
        raise SystemExit("Chromium is missing: apt-get install chromium")
    return path


def flags() -> list[str]:
    """The browser's options: a map needs a drawing unit, and root has no sandbox."""
    return ["--enable-unsafe-swiftshader", *(["--no-sandbox"] if os.geteuid() == 0 else [])]


def visit(context: Any, address: str) -> dict[str, float]:
    """Opens the page on the slow line in a new tab; returns the figures. Each request counts, also one that a cache answers."""
    page = context.new_page()
    sent: list[Any] = []

    def note(request: Any) -> None:
        # the worker's own copy of a request that it passes on is no other one
        if not request.service_worker:
            sent.append(request)

    context.on("request", note)
    line = context.new_cdp_session(page)
    line.send("Network.enable")
    line.send("Network.emulateNetworkConditions", SLOW_LINE)
    page.goto(f"{address}/", wait_until="commit")
    # not wait_for_function, which the page's policy forbids
    while not page.evaluate("() => performance.getEntriesByName('booths').length"):
        page.wait_for_timeout(100)
    figures: dict[str, float] = page.evaluate(FIGURES)
    page.wait_for_selector("html[data-idle]", state="attached", timeout=60_000)
    page.wait_for_timeout(1000)
    limit = page.evaluate(BOOTHS)
    context.remove_listener("request", note)
    urls = [r.url for r in sent if 0 < r.timing["startTime"] < limit]
    page.close()
    return {**figures, "requests": sum(not url.startswith("data:") for url in urls)}


def median(visits: list[dict[str, float]]) -> dict[str, int]:
    """The median of each figure."""
    return {name: round(statistics.median(v[name] for v in visits)) for name in visits[0]}


def main(bench: Bench) -> dict[str, object]:
    """Measures desktop and phone; the second visit of a profile is the repeat visit."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        raise SystemExit("Playwright is missing: scripts/setup --extras test") from None
    found: dict[str, object] = {}
    with (
        streets() as style_url,
        production(database_url(), style_url) as address,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=chromium(), args=flags())
        for name, screen in (("desk", DESK), ("phone", PHONE)):
            first, again = [], []
            for _ in range(bench.rounds or (QUICK if bench.quick else VISITS)):
                context = browser.new_context(locale="ko-KR", **screen)
                first.append(visit(context, address))
                again.append(visit(context, address))
                context.close()
            found[name] = {"first": median(first), "repeat": median(again)}
            print(f"{name}: {found[name]}", file=sys.stderr)
        browser.close()
    return found
