"""The page's static files; their URLs contain a digest of all files, so that clients may cache them forever."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path

from xxhash import xxh3_64

FOLDER = Path(__file__).parent.parent / "map" / "static"
# installed by scripts/setup
VENDOR = FOLDER / "vendor"
IMMUTABLE = "public, max-age=31536000, immutable"
# by content coding, the better one first: endings of the compressed copies that scripts/setup makes
PACKED = {"br": ".br", "gzip": ".gz"}
# built by scripts/setup from js and css: main.js, main.css, and the checksum of their sources
BUILT = "built"

# the strictest policy that MapLibre GL and Swagger UI support
PAGE_POLICY = (
    "default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; "
    "worker-src 'self'; script-src 'self'; connect-src 'self'; frame-ancestors 'none'"
)


@cache
def digest() -> str:
    """Digest of the paths and contents of all static files, as 16 hexadecimal digits."""
    total = xxh3_64()
    for path in sorted(FOLDER.rglob("*")):
        if path.is_file() and path.suffix not in PACKED.values():
            content = path.read_bytes()
            total.update(f"{path.relative_to(FOLDER).as_posix()}\0{len(content)}\0".encode())
            total.update(content)
    return total.hexdigest()


def base() -> str:
    """Path of the static files, without a trailing slash."""
    return f"/assets/{digest()}"


def address(name: str) -> str:
    """URL path of a static file, given its path below the folder, such as `css/base.css`."""
    return f"{base()}/{name}"


@cache
def styles() -> list[str]:
    """Names of the page's style sheets, in order."""
    return [f"{BUILT}/main.css"] if _is_built() else _sources("css")


@cache
def modules() -> list[str]:
    """Names of the page's modules; the last one is the entry point."""
    if _is_built():
        return [f"{BUILT}/main.js"]
    main = "js/main.js"
    return [*(name for name in _sources("js") if name != main), main]


def _is_built() -> bool:
    """Whether the bundle matches the current sources; otherwise the sources themselves are served."""
    try:
        known = (FOLDER / BUILT / "sources.sha256").read_text(encoding="ascii").strip()
    except OSError:
        return False
    total = sha256()
    for name in sorted([*_sources("css"), *_sources("js")]):
        total.update((FOLDER / name).read_bytes())
    return total.hexdigest() == known


def _sources(kind: str) -> list[str]:
    return sorted(
        path.relative_to(FOLDER).as_posix() for path in (FOLDER / kind).rglob(f"*.{kind}")
    )


def policy(map_origins: Sequence[str]) -> str:
    """Returns the page's content security policy, which also allows the origins of an online map style.

    A worker has the policy of its own file, and MapLibre's worker loads the tiles: assets have this policy too."""
    if isinstance(map_origins, str):  # a string is a sequence of characters
        raise TypeError("map_origins must be a sequence of origins, not a string")
    if not map_origins:
        return PAGE_POLICY
    origins = " ".join(map_origins)
    return PAGE_POLICY.replace("blob:;", f"blob: {origins};").replace(
        "connect-src 'self'", f"connect-src 'self' {origins}"
    )
