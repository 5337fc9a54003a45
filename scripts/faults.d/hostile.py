"""Generates hostile requests from a seed: numbers, text, JSON and raw HTTP."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, quote_from_bytes

NUMBERS = [
    "nan", "NaN", "inf", "-inf", "Infinity", "1e400", "-1e400", "1e-400", "1e-170", "0x10", "1_0", "１２", "٣", "+1", "1.",
    ".5", "1e", "--1", "", " ", "undefined", "null", "true", "-0", "0", "1", "-1", "91", "181", "999999999999999999999",
    "9" * 5000, "1" + "0" * 400, "2147483648", "9223372036854775807", "9223372036854775808", "0.1e-1000000", "1,5", "٫5",
]  # fmt: skip
TEXTS = [
    "", " ", "　", "​", "\0", "a\0b", "\ud800", "\udfff", "'", '"', "\\", "%", "_", "%%%", "';--", "' OR '1'='1",
    "1; DROP TABLE shops", "$(id)", "`id`", "{{7*7}}", "<script>", "../../etc/passwd", "\r\nX-Injected: 1", "‮abc",
    "👨‍👩‍👧‍👦", "é", "ﬀ", "İ", "ß", "强", "ㄱㄴㄷ", "ᄀ", "가" * 200, "a" * 20_000, "강남" * 60, "￿", "\x7f", "\x1b[31m",
    "pg_sleep(6)", "' || pg_sleep(6) || '", "(" * 500, "*" * 100, "\\u0000", "%00", "%ff%fe", "null", "undefined",
]  # fmt: skip
BYTES = [
    b"\xff\xfe",
    b"\xc0\xaf",
    b"\xed\xa0\x80",
    b"\xf8\x88\x80\x80\x80",
    b"\x00",
    b"%zz",
    b"\x80",
]
JSONS = [
    b"", b"null", b"[]", b"{}", b"true", b"1", b'"x"', b"{", b"[" * 100_000, b'{"a":' * 20_000, b"NaN", b'{"a":NaN}',
    b'{"star_rating":1e400,"content":"x"}', b'{"content":"x","content":"y","star_rating":5}', b"\xef\xbb\xbf{}",
    b'{"star_rating":' + b"9" * 5000 + b',"content":"x"}', b'{"content":"\\ud800","star_rating":5}', b"\xff\xff", b"{}{}",
    b'{"content":"\\u0000","star_rating":5}', b'{"star_rating":5,"content":"' + b"x" * 60_000 + b'"}', b"a=1&b=2",
]  # fmt: skip
VALUES: list[Any] = [
    None, True, False, 0, -1, 5, 5.0, 4.5, 1e308, 2**63, 2**64, 10**400, "5", "", [], {}, [[]], {"a": 1}, "GOOD", "good",
]  # fmt: skip
FIELDS = [
    "star_rating",
    "content",
    "purity",
    "retouch",
    "item",
    "nickname",
    "refresh_token",
    "rotate",
    "id",
    "member_id",
]
QUERIES = [
    "keyword", "userLat", "userLng", "mapLat", "mapLng", "radius", "brand", "sort", "minRating", "openNow", "clean",
    "retouch", "props", "bbox", "page", "size", "allBrands", "explain", "nickname", "code", "redirect_uri", "state",
    "provider", "reviews", "all", "limit", "offset", "f", "datetime", "code_verifier", "nonce",
]  # fmt: skip
PATHS = [
    "/shops", "/shops/brand", "/shops/suggest", "/shops/{id}", "/brands", "/brands/{id}.svg", "/reviews/{id}",
    "/reviews/shop/{id}", "/reviews/member", "/favorites", "/favorites/{id}", "/member/info", "/member/nickname",
    "/member/main-title/{id}", "/member-titles", "/member-titles/{id}", "/auth/token", "/auth/login/idp", "/auth/authorize",
    "/auth/sessions", "/auth/sessions/{id}", "/tiles/shops/{id}/{id}/{id}.mvt", "/basemap/{id}/{id}/{id}.mvt",
    "/tiles/shops.json", "/ogc", "/ogc/collections/shops/items", "/ogc/collections/shops/items/{id}", "/titles/{id}.svg",
    "/ogc/collections/regions/items", "/ogc/collections/regions/items/{id}", "/ogc/collections/stations/items",
    "/member/export", "/static/{id}", "/openapi.json", "/docs", "/", "/healthz", "/readyz", "/{id}",
]  # fmt: skip
METHODS = (
    ["GET"] * 6 + ["POST"] * 3 + ["PATCH"] * 2 + ["DELETE", "DELETE", "PUT", "HEAD", "OPTIONS"]
)
HEADERS = [
    ("Accept", "text/html;q=x"), ("Accept", "application/geo+json"), ("Accept", "*/*;q=0"), ("Accept", "," * 500),
    ("Accept-Language", "ko;q=nan, en;q=-1"), ("Accept-Language", "x" * 3000), ("If-None-Match", 'W/"'),
    ("If-None-Match", "*"), ("Range", "bytes=-1"), ("X-Request-ID", "a b\tc"), ("X-HTTP-Method-Override", "DELETE"),
    ("Idempotency-Key", "k" * 300), ("Idempotency-Key", "k"), ("Origin", "null"), ("X-Forwarded-For", "1" * 2000),
    ("Cookie", "a=b; " * 200), ("Content-Encoding", "gzip"), ("Expect", "100-continue"), ("Authorization", "Bearer"),
    ("Authorization", "Bearer a.b.c"), ("Authorization", "Basic eDp5"), ("Content-Type", "text/plain"),
    ("Content-Type", "application/json; charset=utf-16"), ("Content-Type", "multipart/form-data"), ("Host", "a/b@c"),
    ("X-Forwarded-Host", "evil.example"), ("X-Forwarded-Proto", "javascript"), ("Transfer-Encoding", "identity"),
]  # fmt: skip
RAW = [
    b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"G\x00T / HTTP/1.1\r\nHost: x\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", b"GET http://[::1/ HTTP/1.1\r\nHost: x\r\n\r\n",
    b"POST /auth/token HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n{}{}{}",
    b"POST /auth/token HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
    b"POST /auth/token HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n{}",
    b"POST /auth/token HTTP/1.1\r\nHost: x\r\nContent-Length: 1e2\r\n\r\n{}",
    b"POST /auth/token HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
    b"POST /auth/token HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n{}\r\n0\r\n\r\n",
    b"POST /auth/token HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n0\r\n\r\n",
    b"POST /auth/token HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n",
    b"POST /auth/token HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: x\r\nA" + b"a" * 70_000 + b": b\r\n\r\n", b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: x\r\n" + b"X: y\r\n" * 2000 + b"\r\n", b"GET / HTTP/1.1\r\nHost: x\r\n folded: y\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: x\r\nBad Header: y\r\n\r\n", b"GET / HTTP/1.1\r\nHost: x\r\nNoColon\r\n\r\n",
    b"TRACE / HTTP/1.1\r\nHost: x\r\n\r\n", b"CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"get / HTTP/1.1\r\nHost: x\r\n\r\n", b"\r\n\r\n\r\n", b"\x16\x03\x01\x02\x00", b"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET / HTTP/1.1\nHost: x\n\n", b"GET /%00 HTTP/1.1\r\nHost: x\r\n\r\n", b"GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET /../../x HTTP/1.1\r\nHost: x\r\n\r\n", b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc",
    b"GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
    b"POST /auth/token HTTP/1.1\r\nHost: x\r\nExpect: nonsense\r\nContent-Length: 2\r\n\r\n{}",
]  # fmt: skip


@dataclass(frozen=True)
class Request:
    """A hostile request; `raw` holds bytes that no HTTP library would send."""

    method: str = "GET"
    target: str = "/"
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None
    raw: bytes | None = None

    def __str__(self) -> str:
        if self.raw is not None:
            return repr(self.raw[:200])
        return f"{self.method} {self.target[:300]} {self.headers} {(self.body or b'')[:200]!r}"


class Generator:
    """Endless requests; half of them carry one of the access tokens."""

    def __init__(self, seed: int, tokens: list[str]) -> None:
        self.random, self.tokens = random.Random(seed), tokens
        self.sorts: list[Callable[[], Request]] = [
            self.query,
            self.query,
            self.path,
            self.body,
            self.header,
        ]

    def next(self, *, raw: bool = True) -> Request:
        """Returns the next request; one in fifty is raw bytes."""
        if raw and self.random.random() < 0.02:
            return Request(raw=self.random.choice(RAW))
        return self.random.choice(self.sorts)()

    def query(self) -> Request:
        """A GET with odd parameters among mostly valid ones."""
        names = {
            "userLat": "37.5",
            "userLng": "127",
            "mapLat": "37.5",
            "mapLng": "127",
            "keyword": "강남",
        }
        parts = {name: quote(value) for name, value in names.items() if self.random.random() < 0.9}
        for _ in range(self.random.randint(1, 3)):
            parts[self.random.choice(QUERIES)] = self._odd()
        query = "&".join(f"{name}={value}" for name, value in parts.items())
        if self.random.random() < 0.05:
            query += "&" + query
        return Request("GET", f"{self._path(plain=True)}?{query}", self._headers())

    def path(self) -> Request:
        """Any operation with odd identifiers."""
        return Request(
            self.random.choice(METHODS), self._path(plain=False), self._headers(), self._json()
        )

    def body(self) -> Request:
        """A writing operation with an odd body."""
        method = self.random.choice(("POST", "PATCH", "DELETE"))
        return Request(method, self._path(plain=True), self._headers(), self._json())

    def header(self) -> Request:
        """Any operation with odd headers."""
        odd = dict(self.random.sample(HEADERS, self.random.randint(1, 3)))
        headers = {**dict(self._headers()), **odd}
        return Request(
            self.random.choice(METHODS),
            self._path(plain=True),
            tuple(headers.items()),
            self._json(),
        )

    def _path(self, *, plain: bool) -> str:
        path = self.random.choice(PATHS)
        while "{id}" in path:
            usual = str(self.random.choice((1, 2, 3, 50, 0, 15)))
            path = path.replace(
                "{id}", usual if plain or self.random.random() < 0.3 else self._odd(), 1
            )
        return path

    def _odd(self) -> str:
        sort = self.random.randrange(4)
        if sort == 0:
            return quote_from_bytes(self.random.choice(BYTES), safe="")
        if sort == 1:
            return quote(self._mutated().encode("utf-8", "surrogatepass"), safe="")
        choice = self.random.choice(NUMBERS if sort == 2 else TEXTS)
        return quote(choice.encode("utf-8", "surrogatepass"), safe="")

    def _mutated(self) -> str:
        text = self.random.choice(
            ("37.5", "127.01", "강남 인생네컷", "126.9,37.4,127.1,37.6", "2000", "distance")
        )
        place = self.random.randrange(len(text) + 1)
        return (
            text[:place]
            + chr(self.random.choice((0, 9, 48, 0xD800, 0x3000, 0x1F600, 45, 46)))
            + text[place:]
        )

    def _headers(self) -> tuple[tuple[str, str], ...]:
        if self.random.random() < 0.5:
            return (("Authorization", f"Bearer {self.random.choice(self.tokens)}"),)
        return ()

    def _json(self) -> bytes | None:
        sort = self.random.random()
        if sort < 0.3:
            return self.random.choice(JSONS)
        fields: dict[str, Any] = {"star_rating": 5, "content": "좋아요"}
        for name in self.random.sample(FIELDS, self.random.randint(1, 3)):
            fields[name] = self.random.choice(VALUES + TEXTS)
        return json.dumps(fields).encode()
