"""A stub provider with configurable responses: those of Kakao and Naver, faults, forged tokens."""

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
    """One request to the stub; a response is a function of it."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.query = {k: v[0] for k, v in parse_qs(urlsplit(self.path).query).items()}
        length = int(self.headers.get("Content-Length", 0))
        self.form = {k: v[0] for k, v in parse_qs(self.rfile.read(length).decode()).items()}
        stub: Stub = self.server.stub  # type: ignore[attr-defined]
        path = urlsplit(self.path).path
        stub.seen.append((path, self.form, dict(self.headers)))
        response = stub.responses.get(path)
        if response is None:
            self.json({"error": "not_found"}, 404)
        else:
            response(self)

    do_POST = do_GET  # noqa: N815

    def json(self, value: object, status: int = 200) -> None:
        """Sends a JSON response."""
        self.bytes(json.dumps(value).encode(), status)

    def bytes(self, body: bytes, status: int = 200, **headers: str) -> None:
        """Sends a complete response."""
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def stream(self, chunks: Iterator[bytes], **headers: str) -> None:
        """Sends an endless response."""
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
        """Logs nothing."""


class Quiet(ThreadingHTTPServer):
    """Suppresses tracebacks of clients that disconnect, which is intended here."""

    daemon_threads = True
    request_queue_size = 256

    def handle_error(self, *_: object) -> None:
        """Sends nothing."""


class Stub:
    """The server; `answers` maps paths to functions that respond."""

    def __init__(self) -> None:
        self.server = Quiet(("127.0.0.1", 0), Request)
        self.server.stub = self  # type: ignore[attr-defined]
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        self.responses: dict[str, Answer] = {}
        self.seen: list[tuple[str, dict[str, str], dict[str, str]]] = []
        self.first_key = RSAKey.generate_key(2048, {"kid": "one", "use": "sig"})
        self.key = self.first_key
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def reset(self) -> None:
        """Resets all responses."""
        self.responses.clear()
        self.seen.clear()
        self.key = self.first_key

    def close(self) -> None:
        """Stops it."""
        self.server.shutdown()
        self.server.server_close()

    def paths(self) -> list[str]:
        """Requested paths."""
        return [path for path, _, _ in self.seen]

    def speak_openid(self, **claims: object) -> None:
        """Responds as a correct OpenID provider; `claims` override those of the id_token (None omits a claim)."""
        self.responses = {
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
        """Body of the token endpoint's response."""
        return {
            "access_token": "access",
            "refresh_token": "refresh",
            "token_type": "Bearer",
            "id_token": id_token,
        }

    def id_token(self, header: dict[str, Any] | None = None, **claims: object) -> str:
        """A signed id_token; claims that are None are omitted."""
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
