"""nginx: its own responses have the contract's form, and proxied requests and responses stay complete."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import requests

from geoshops.errors import ApiError
from geoshops.operations import nginx
from geoshops.web import assets
from tests.conftest import ROOT, SECRET_KEY
from tests.make import Maker
from tests.operations.nginx.conftest import Production, producing
from tests.server import free_port, wait_until

# (raw request, expected status): malformed requests that HTTP clients cannot send
MALFORMED = [
    (b"GET / HTTP/1.1\r\n\r\n", 400),
    (b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
    (b"G\x00T / HTTP/1.1\r\nHost: x\r\n\r\n", 400),
    (b"GET / HTTP/9.9\r\nHost: x\r\n\r\n", 400),
    (b"GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n", 400),
    (b"GET / HTTP/1.1\r\nHost: x\r\nA: " + b"a" * 70_000 + b"\r\n\r\n", 400),
    (b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n", 400),
    (b"POST /auth/token HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n{}{}{}", 400),
    (b"POST /auth/token HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", 400),
    (b"POST /auth/token HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: odd\r\n\r\n0\r\n\r\n", 400),
    (b"POST /auth/token HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n", 400),
    (b"POST /auth/token HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n{}", 413),
    (b"TRACE / HTTP/1.1\r\nHost: x\r\n\r\n", 405),
    (b"CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n", 400),
]  # fmt: skip


def send(port: int, raw: bytes, *, shut: bool = True) -> tuple[int, dict[str, str], bytes]:
    """Sends raw bytes; returns status, headers (in lower case) and body of the response.

    `shut` closes the client's sending side; nginx then aborts a request that it has already passed to a worker."""
    with socket.create_connection(("127.0.0.1", port), 10) as peer:
        peer.sendall(raw)
        if shut:
            peer.shutdown(socket.SHUT_WR)
        response = b""
        # unread request data makes nginx reset the connection after its response
        with suppress(ConnectionResetError):
            while more := peer.recv(65536):
                response += more
    head, _, body = response.partition(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    headers = dict(line.lower().split(": ", 1) for line in lines[1:])
    return int(lines[0].split()[1]), headers, body


@pytest.mark.parametrize(("raw", "status"), MALFORMED, ids=[str(n) for n in range(len(MALFORMED))])
def test_malformed_requests_get_the_contracts_error(
    production: Production, raw: bytes, status: int
) -> None:
    code, headers, body = send(production.port, raw)
    assert code == status
    assert headers["content-type"] == "application/json"
    assert headers["cache-control"] == "no-store"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-request-id"]
    assert "nginx/" not in headers["server"]
    assert set(json.loads(body)) == {"error_code", "error_message"}
    if status == 405:
        assert "get" in headers["allow"]
        assert b"[TRACE]" in body


def test_large_bodies_are_rejected_in_the_preferred_language(production: Production) -> None:
    url = f"{production.origin}/auth/token"
    english = requests.post(url, data=b"x" * 65_537, timeout=10)
    korean = requests.post(
        url, data=iter([b"x" * 70_000]), headers={"Accept-Language": "ko-KR,en;q=0.5"}, timeout=10
    )
    without_korean = requests.post(
        url, data=iter([b"x" * 70_000]), headers={"Accept-Language": "ko-KR;q=0, fr"}, timeout=10
    )
    without_english = requests.post(
        url, data=iter([b"x" * 70_000]), headers={"Accept-Language": "en;q=0, ko"}, timeout=10
    )
    too_large = ApiError("too_large", high=65_536)
    for header, language in (
        ("ja,en;q=0.8", "ja"),
        ("zh-TW,zh;q=0.9", "zh-Hant"),
        ("fr, zh", "zh-Hans"),
    ):
        response = requests.post(
            url, data=iter([b"x" * 70_000]), headers={"Accept-Language": header}, timeout=10
        )
        assert response.json()["error_message"] == too_large.message(language)
    assert without_english.json() == korean.json()
    assert english.status_code == korean.status_code == 413
    assert without_korean.json() == english.json()
    assert english.json()["error_message"] == "[body] must have at most 65536 bytes"
    assert korean.json()["error_message"] == "[body] 값은 65536바이트 이하여야 해요"
    assert requests.post(url, data=b"x" * 65_536, timeout=10).json()["error_code"] == "001"
    # this location has separate error pages
    watched = requests.post(f"{production.origin}/healthz", data=b"x" * 65_537, timeout=10)
    assert (watched.status_code, watched.json()["error_code"]) == (413, "413")


def test_metrics_are_hidden_from_proxied_clients(production: Production) -> None:
    assert production.get("/metrics").headers["Content-Type"].count("charset") == 1
    for name in ("X-Forwarded-For", "Forwarded"):
        stranger = production.get("/metrics", headers={name: "for=203.0.113.9"})
        assert (stranger.status_code, stranger.json()["error_code"]) == (404, "404")


SPELLINGS = (
    "{0}/", "/{0}", "/{0}/", "{0}//", "{0}/?x", "/%2F{0}", "/.{0}", "/x/..{0}/", "/x/%2e%2e{0}",
    "http://x{0}/", "{0}%2F", "{0}/.", "{0}/x/..", "{0}#/",
)  # fmt: skip


def spelled(port: int, spelling: str, path: str, header: str = "") -> tuple[int, Any]:
    """Status and body of the response to a GET whose path is sent without normalisation."""
    target = spelling.format(path)
    raw = f"GET {target} HTTP/1.1\r\nHost: x\r\n{header}Connection: close\r\n\r\n"
    status, _, body = send(port, raw.encode(), shut=False)
    return status, body


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_no_spelling_of_the_path_opens_the_metrics(production: Production, spelling: str) -> None:
    status, body = spelled(
        production.port, spelling, "/metrics", "X-Forwarded-For: 203.0.113.9\r\n"
    )
    assert (status, json.loads(body)["error_code"]) == (404, "404")
    status, body = spelled(production.port, spelling, "/metrics")
    assert status == 200 and b"http_request_duration_seconds" in body


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_every_spelling_of_readiness_shows_that_the_service_drains(
    production: Production, spelling: str
) -> None:
    draining = production.run / "draining"
    assert spelled(production.port, spelling, "/readyz")[0] == 200
    draining.touch()
    try:
        status, body = spelled(production.port, spelling, "/readyz")
    finally:
        draining.unlink()
    assert status == 503
    assert json.loads(body)["error_message"] == "the service cannot respond now; try again shortly"


def test_internal_locations_of_nginx_are_unknown_routes(production: Production) -> None:
    inner = ("full", "unreported", "unreachable", "missing", "bad", "large")
    for path in ("/auth", "/auth/", "/auth?x=1", "/authors", "/.alive", "/.rejected/full/",
                 "//.rejected/full", *(f"/.rejected/{name}" for name in inner)):  # fmt: skip
        unknown = production.get(path, allow_redirects=False)
        assert (unknown.status_code, unknown.json()["error_code"]) == (404, "404"), path
    assert production.get("/auth/authorize").status_code != 404


def test_conditions_and_ranges_of_cached_files_fail_in_the_contracts_form(
    production: Production, make: Maker
) -> None:
    path = f"/brands/{make.brand(id=77)}.svg"
    size = len(production.get(path).content)
    for headers in ({"Range": f"bytes={size + 9}-"}, {"If-Match": '"other"'},
                    {"If-Unmodified-Since": "Thu, 01 Jan 1970 00:00:00 GMT"}):  # fmt: skip
        response = production.get(path, headers=headers)
        if response.status_code != 200:
            assert response.json()["error_code"] == "002", headers


SERVICE = {"DATABASE_URL": "postgresql://127.0.0.1:1/none", "GEOSHOPS_SECRET_KEY": SECRET_KEY}


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"GEOSHOPS_SECRET_KEY": "short"}, "GEOSHOPS_SECRET_KEY must have"),
        ({"GEOSHOPS_SECRET_KEY_FILE": "/no/such/file"}, "GEOSHOPS_SECRET_KEY_FILE: "),
        # only the service needs these settings, not nginx
        (
            {"GEOSHOPS_RATELIMIT_STORAGE_URI": "foo"},
            "GEOSHOPS_RATELIMIT_STORAGE_URI is not a valid store",
        ),
        ({"GEOSHOPS_IDP_MORE": "/no/such/file"}, "GEOSHOPS_IDP_MORE: "),
    ],
)
def test_an_invalid_setting_is_reported_in_one_line(
    folder: Path, setting: dict[str, str], message: str
) -> None:
    ended = subprocess.run(
        [
            sys.executable, "scripts/serve.d/production.py", "--nginx", "nginx", "--host", "127.0.0.1",
            "--port", str(free_port()), "--workers", "1", "--threads", "1", "--run", str(folder / "run"),
        ],
        cwd=ROOT, env={**os.environ, **SERVICE, **setting}, capture_output=True, text=True, timeout=30,
    )  # fmt: skip
    assert ended.returncode in (1, os.EX_CONFIG)
    assert ended.stderr.count(message) == 1
    assert "Traceback" not in ended.stderr


def test_valid_request_ids_are_kept_and_others_replaced(production: Production) -> None:
    def seen(sent: str) -> str:
        return production.get("/healthz", headers={"X-Request-ID": sent}).headers["X-Request-ID"]

    assert seen("mine-1") == "mine-1"
    assert len(seen("not mine!")) == 32


def test_only_the_own_proxy_is_trusted_for_the_address(production: Production, db: object) -> None:
    remaining = []
    for number in range(12):
        response = production.get("/brands", headers={"X-Forwarded-For": f"10.9.8.{number}"})
        assert response.headers["RateLimit-Policy"] == '"reads";q=600;w=60'
        remaining.append(int(response.headers["RateLimit"].partition("r=")[2].partition(";")[0]))
    # each worker counts separately; if nginx trusted the header, every request would have its full allowance
    assert min(remaining) <= 597


def test_tiles_and_badges_are_cached_for_their_max_age(production: Production, make: Maker) -> None:
    brand = make.brand()
    first = production.get(f"/brands/{brand}.svg")
    second = production.get(f"/brands/{brand}.svg", headers={"X-Request-ID": "second"})
    assert (first.headers["X-Cache"], second.headers["X-Cache"]) == ("MISS", "HIT")
    assert second.headers["X-Request-ID"] == "second"
    assert second.content == first.content
    same = production.get(f"/brands/{brand}.svg", headers={"If-None-Match": first.headers["ETag"]})
    assert same.status_code == 304


def test_pages_of_shops_pass_and_their_pictures_are_cached(
    production: Production, make: Maker
) -> None:
    shop = make.shop()
    page = production.get(f"/shop/{shop}")
    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    assert "X-Cache" not in page.headers
    known = {"If-None-Match": page.headers["ETag"]}
    assert production.get(f"/shop/{shop}", headers=known).status_code == 304
    closed = production.get(f"/shop/{make.shop(status='CLOSED')}")
    assert (closed.status_code, closed.headers["Content-Type"]) == (410, "text/html; charset=utf-8")
    missing = production.get("/shop/0", headers={"Accept": "text/html"})
    assert (missing.status_code, missing.headers["Content-Type"]) == (
        404,
        "text/html; charset=utf-8",
    )
    for path in (f"/shop/{shop}/card.png?v=1", "/sitemap.xml", "/sitemaps/0.xml", "/robots.txt"):
        responses = [production.get(path) for _ in range(2)]
        assert [response.headers["X-Cache"] for response in responses] == ["MISS", "HIT"], path
        assert responses[0].content == responses[1].content
    sitemap = production.get("/sitemap.xml", headers={"Accept-Encoding": "gzip"})
    assert sitemap.headers["Content-Type"] == "application/xml; charset=utf-8"


def test_static_files_come_from_nginx_compressed_and_are_kept_forever(
    production: Production,
) -> None:
    main = production.get(assets.address("js/main.js"))
    assert main.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert main.headers["Content-Type"] == "text/javascript; charset=utf-8"
    assert main.headers["Content-Security-Policy"] == assets.policy(())
    # built from the file's time and size, by nginx or by the service
    assert re.fullmatch(r'(W/)?"[0-9a-f.-]+"', main.headers["ETag"])
    style = production.get(assets.address("css/base.css"))
    assert (style.headers["Content-Encoding"], style.headers["Vary"]) == ("gzip", "Accept-Encoding")
    for name, media_type in (
        ("built/main.js", "text/javascript; charset=utf-8"),
        ("built/main.css", "text/css; charset=utf-8"),
        ("vendor/world-atlas/coast.json", "application/json"),
    ):
        accepted = {"Accept-Encoding": "gzip, deflate, br"}
        packed = production.get(assets.address(name), headers=accepted, stream=True)
        assert packed.raw.read(decode_content=False) == (assets.FOLDER / f"{name}.br").read_bytes()
        assert packed.headers["Content-Encoding"] == "br"
        for header, value in (
            ("Content-Type", media_type),
            ("Vary", "Accept-Encoding"),
            ("Cache-Control", "public, max-age=31536000, immutable"),
            ("Content-Security-Policy", assets.policy(())),
        ):
            assert packed.headers[header] == value, (name, header)
        declined = production.get(assets.address(name), headers={"Accept-Encoding": "gzip, br;q=0"})
        assert declined.headers["Content-Encoding"] == "gzip"
        known = {**accepted, "If-None-Match": packed.headers["ETag"]}
        assert production.get(assets.address(name), headers=known).status_code == 304
    old = production.get("/assets/0123456789abcdef/js/main.js")
    assert (old.status_code, old.content) == (200, main.content)
    assert old.headers["Cache-Control"] == "no-cache"
    missing = production.get(assets.address("js/none.js"))
    assert (missing.status_code, missing.json()["error_code"]) == (404, "404")


def test_streets_come_from_nginx_by_ranges(service_url: str) -> None:
    with tempfile.NamedTemporaryFile(suffix=".pmtiles") as file:
        file.write(bytes(range(100)))
        file.flush()
        Path(file.name).chmod(0o644)
        with producing(service_url, GEOSHOPS_BASEMAP_FILE=file.name) as own:
            part = own.get("/basemap/streets.pmtiles", headers={"Range": "bytes=10-19"})
            assert (part.status_code, part.content) == (206, bytes(range(10, 20)))
            assert part.headers["Content-Range"] == "bytes 10-19/100"
            assert part.headers["Cache-Control"] == "public, max-age=60"
            assert part.headers["ETag"] and "X-Cache" not in part.headers
            beyond = own.get("/basemap/streets.pmtiles", headers={"Range": "bytes=900-999"})
            assert (beyond.status_code, beyond.json()["error_code"]) == (400, "002")


def test_lists_are_compressed_and_not_cached(production: Production, make: Maker) -> None:
    make.brand()
    first = production.get("/brands")
    make.brand("다른 브랜드")
    assert len(production.get("/brands").json()) == len(first.json()) + 1
    assert "X-Cache" not in first.headers
    openapi = production.get("/openapi.json")
    assert openapi.headers["Content-Encoding"] == "gzip"


def test_the_services_own_errors_pass_unchanged(production: Production, db: object) -> None:
    absent = production.get("/reviews/1")
    assert absent.json() == {"error_code": "404", "error_message": "review cannot be found"}
    gone = requests.delete(f"{production.origin}/favorites/1", timeout=10)
    assert (gone.status_code, gone.headers["WWW-Authenticate"]) == (401, 'Bearer realm="geoshops"')


def test_unread_bodies_do_not_truncate_the_response(production: Production) -> None:
    with requests.Session() as session:
        statuses = {
            session.delete(
                f"{production.origin}/brands", data=b"x" * 60_000, timeout=10
            ).status_code
            for _ in range(200)
        }
    assert statuses == {405}


def servers_of(production: Production) -> set[int]:
    """Process groups of the servers behind nginx's upstream sockets."""
    groups = set()
    for number in (1, 2):
        with socket.socket(socket.AF_UNIX) as probe:
            probe.connect(str(production.run / f"worker-{number}.sock"))
            peer = probe.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
            groups.add(os.getpgid(struct.unpack("3i", peer)[0]))
    return groups


def two_of(production: Production, others_than: set[int]) -> bool:
    try:
        groups = servers_of(production)
    except OSError:
        return False
    return len(groups) == 2 and not groups & others_than


def test_a_killed_worker_is_replaced_without_failed_requests(production: Production) -> None:
    wait_until(lambda: two_of(production, set()))
    killed = min(servers_of(production))
    os.killpg(killed, signal.SIGKILL)
    assert [production.get("/readyz").status_code for _ in range(20)] == [200] * 20
    wait_until(lambda: two_of(production, {killed}))


def test_killed_workers_are_replaced_within_a_second(production: Production) -> None:
    wait_until(lambda: two_of(production, set()))
    killed = servers_of(production)
    for leader in killed:
        os.killpg(leader, signal.SIGKILL)
    assert wait_until(lambda: production.get("/readyz").status_code == 200) < 1
    wait_until(lambda: two_of(production, killed))


def test_a_lost_fork_server_is_replaced(production: Production) -> None:
    wait_until(lambda: two_of(production, set()))
    groups = Path(production.run, "groups")
    known = groups.read_text().splitlines()
    os.kill(int(known[0].split()[0]), signal.SIGKILL)
    assert [production.get("/readyz").status_code for _ in range(20)] == [200] * 20
    wait_until(lambda: len(groups.read_text().splitlines()) > len(known))
    killed = min(servers_of(production))
    os.killpg(killed, signal.SIGKILL)
    wait_until(lambda: two_of(production, {killed}))


def test_a_reload_replaces_every_worker(production: Production) -> None:
    wait_until(lambda: two_of(production, set()))
    before = servers_of(production)
    production.process.send_signal(signal.SIGHUP)
    seen = {production.get("/readyz").status_code}
    while not two_of(production, before):
        seen.add(production.get("/readyz").status_code)
    assert seen == {200}


def test_stopping_reports_not_ready_before_it_ends(service_url: str) -> None:
    # long enough for two requests on a busy machine
    with producing(service_url, drain_s=3, GEOSHOPS_RATELIMIT_STORAGE_URI="") as server:
        assert "RateLimit" not in server.get("/brands").headers
        server.process.send_signal(signal.SIGTERM)
        for _ in range(20):
            ready = server.get("/readyz")
            if ready.status_code == 503:
                break
            time.sleep(0.02)
        assert (ready.status_code, ready.json()["error_code"]) == (503, "503")
        assert ready.headers["Retry-After"] == "1"
        assert server.get("/healthz").status_code == 200
        assert server.process.wait(20) == 0
        assert not server.run.exists()


def test_a_stop_ends_all_processes_without_the_run_folder(service_url: str) -> None:
    with producing(service_url) as server:
        # a starting worker renames a file in the run folder to claim its address
        wait_until(lambda: two_of(server, set()))
        noted = (server.run / "groups").read_text().splitlines()
        groups = [int(line.split()[0]) for line in noted]
        shutil.rmtree(server.run)
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(30) == 0
        for group in groups:
            with pytest.raises(ProcessLookupError):
                os.killpg(group, 0)


def test_a_single_server_has_a_second_chance() -> None:
    text = nginx.config(servers=["api:8000"], listen="8080", run="/tmp", max_body_bytes=1000)
    assert text.count("server api:8000 max_fails=0 max_conns=12;") == 2
    assert "client_max_body_size 1000;" in text
    assert "@" not in text.replace("@once", "")
