"""A stub identity provider, whose responses each test sets."""

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

Responder = Callable[["Request"], None]


class Request(BaseHTTPRequestHandler):
    """One request to the stub; a responder is a function that takes it and sends the response."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.query = {k: v[0] for k, v in parse_qs(urlsplit(self.path).query).items()}
        length = int(self.headers.get("Content-Length", 0))
        self.form = {k: v[0] for k, v in parse_qs(self.rfile.read(length).decode()).items()}
        stub: Stub = self.server.stub  # type: ignore[attr-defined]
        path = urlsplit(self.path).path
        stub.seen.append((path, self.form, dict(self.headers)))
        responder = stub.responders.get(path)
        if responder is None:
            self.json({"error": "not_found"}, 404)
        else:
            responder(self)

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
        """Sends a response without Content-Length, until the chunks end or the client disconnects."""
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
        """Suppresses the access log."""


class QuietServer(ThreadingHTTPServer):
    """A server that does not print errors, because tests make clients disconnect."""

    daemon_threads = True
    request_queue_size = 256

    def handle_error(self, *_: object) -> None:
        """Suppresses the traceback."""


class Stub:
    """The server; `responders` maps a path to the function that responds to it."""

    def __init__(self) -> None:
        self.server = QuietServer(("127.0.0.1", 0), Request)
        self.server.stub = self  # type: ignore[attr-defined]
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        self.responders: dict[str, Responder] = {}
        self.seen: list[tuple[str, dict[str, str], dict[str, str]]] = []
        self.first_key = RSAKey.generate_key(2048, {"kid": "one", "use": "sig"})
        self.key = self.first_key
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def reset(self) -> None:
        """Removes responders, recorded requests and a replaced key."""
        self.responders.clear()
        self.seen.clear()
        self.key = self.first_key

    def close(self) -> None:
        """Stops the server."""
        self.server.shutdown()
        self.server.server_close()

    def paths(self) -> list[str]:
        """Returns the paths of the recorded requests."""
        return [path for path, _, _ in self.seen]

    def serve_openid(self, **claims: object) -> None:
        """Responds as a valid OpenID provider; `claims` replace those of the id_token (None omits one)."""
        self.responders = {
            "/.well-known/openid-configuration": lambda r: r.json(self.metadata()),
            "/jwks": lambda r: r.json({"keys": [self.key.as_dict(private=False)]}),
            "/token": lambda r: r.json(self.tokens(self.id_token(**claims))),
            "/me": lambda r: r.json({"sub": "somebody", "nickname": "Some Body"}),
        }

    def metadata(self) -> dict[str, object]:
        """The discovery document."""
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
        """The response body of the token endpoint."""
        return {
            "access_token": "access",
            "refresh_token": "refresh",
            "token_type": "Bearer",
            "id_token": id_token,
        }

    def id_token(self, header: dict[str, Any] | None = None, **claims: object) -> str:
        """A signed id_token; claims that are None are omitted."""
        now = int(time.time())
        defaults = {
            "iss": self.url,
            "aud": "client",
            "sub": "somebody",
            "iat": now,
            "exp": now + 600,
            **claims,
        }
        present = {name: value for name, value in defaults.items() if value is not None}
        return jwt.encode(header or {"alg": "RS256", "kid": "one"}, present, self.key)
