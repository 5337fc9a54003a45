"""A provider that answers whatever a test tells it to: the shapes of Kakao and Naver, faults, and lies."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

Answer = Callable[["Request"], None]


class Request(BaseHTTPRequestHandler):
    """One request to the stub; answers are functions on it."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.query = {k: v[0] for k, v in parse_qs(urlsplit(self.path).query).items()}
        length = int(self.headers.get("Content-Length", 0))
        self.form = {k: v[0] for k, v in parse_qs(self.rfile.read(length).decode()).items()}
        stub: Stub = self.server.stub  # type: ignore[attr-defined]
        path = urlsplit(self.path).path
        stub.seen.append((path, self.form, dict(self.headers)))
        answer = stub.answers.get(path)
        if answer is None:
            self.json({"error": "not_found"}, 404)
        else:
            answer(self)

    do_POST = do_GET  # noqa: N815

    def json(self, value: object, status: int = 200) -> None:
        """An ordinary answer."""
        self.bytes(json.dumps(value).encode(), status)

    def bytes(self, body: bytes, status: int = 200, **headers: str) -> None:
        """A whole answer."""
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def stream(self, chunks: Iterator[bytes], **headers: str) -> None:
        """An answer without end."""
        self.send_response(200)
        for name, value in {"Content-Type": "application/json", **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.close_connection = True
        for chunk in chunks:
            try:
                self.wfile.write(chunk)
            except OSError:
                return

    def log_message(self, *_: object) -> None:
        """Silent."""


class Quiet(ThreadingHTTPServer):
    """Clients give up on purpose here; nobody wants to read that they did."""

    daemon_threads = True
    request_queue_size = 256

    def handle_error(self, *_: object) -> None:
        """Nothing."""


class Stub:
    """The server; `answers` maps paths to what they do."""

    def __init__(self) -> None:
        self.server = Quiet(("127.0.0.1", 0), Request)
        self.server.stub = self  # type: ignore[attr-defined]
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        self.answers: dict[str, Answer] = {}
        self.seen: list[tuple[str, dict[str, str], dict[str, str]]] = []
        self.first_key = RSAKey.generate_key(2048, {"kid": "one", "use": "sig"})
        self.key = self.first_key
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def reset(self) -> None:
        """Forgets what one test told it."""
        self.answers.clear()
        self.seen.clear()
        self.key = self.first_key

    def close(self) -> None:
        """Stops it."""
        self.server.shutdown()
        self.server.server_close()

    def paths(self) -> list[str]:
        """Paths that were asked for."""
        return [path for path, _, _ in self.seen]

    def speak_openid(self, **claims: object) -> None:
        """Answers as an honest OpenID provider; `claims` replace those of the id_token (None: left out)."""
        self.answers = {
            "/.well-known/openid-configuration": lambda r: r.json(self.metadata()),
            "/jwks": lambda r: r.json({"keys": [self.key.as_dict(private=False)]}),
            "/token": lambda r: r.json(self.tokens(self.id_token(**claims))),
            "/me": lambda r: r.json({"sub": "somebody", "nickname": "Some Body"}),
        }

    def metadata(self) -> dict[str, object]:
        """Discovery document."""
        return {
            "issuer": self.url,
            "authorization_endpoint": f"{self.url}/authorize",
            "token_endpoint": f"{self.url}/token",
            "jwks_uri": f"{self.url}/jwks",
            "userinfo_endpoint": f"{self.url}/me",
            "revocation_endpoint": f"{self.url}/revoke",
            "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
        }

    def tokens(self, id_token: object) -> dict[str, object]:
        """Answer of the token endpoint."""
        return {
            "access_token": "access",
            "refresh_token": "refresh",
            "token_type": "Bearer",
            "id_token": id_token,
        }

    def id_token(self, header: dict[str, Any] | None = None, **claims: object) -> str:
        """A signed id_token; claims that are None are left out."""
        now = int(time.time())
        whole = {
            "iss": self.url,
            "aud": "client",
            "sub": "somebody",
            "iat": now,
            "exp": now + 600,
            **claims,
        }
        kept = {name: value for name, value in whole.items() if value is not None}
        return jwt.encode(header or {"alg": "RS256", "kid": "one"}, kept, self.key)
