"""Unlink tokens at rest: sealed with a key made from the service's secret, opened with this or the last one."""

from __future__ import annotations

import base64
import hashlib
import hmac

from cryptography.fernet import Fernet, InvalidToken, MultiFernet

from geoshops.config import Settings


class CannotOpen(Exception):
    """A sealed text whose key is not set here."""


class Sealer:
    """Seals and opens short texts."""

    def __init__(self, settings: Settings) -> None:
        keys = [key for key in (settings.secret_key, settings.previous_secret_key) if key]
        self.box = MultiFernet([Fernet(_derived(key)) for key in keys or ["unset"]])

    def seal(self, text: str | None) -> bytes | None:
        """The text encrypted and authenticated; None for none."""
        return self.box.encrypt(text.encode()) if text else None

    def open(self, sealed: bytes | memoryview | None) -> str | None:
        """The text; None when there is none, CannotOpen when its key is gone."""
        if sealed is None:
            return None
        try:
            return self.box.decrypt(bytes(sealed)).decode()
        except InvalidToken:
            raise CannotOpen from None


def _derived(key: str) -> bytes:
    digest = hmac.new(key.encode(), b"geoshops unlink tokens", hashlib.sha256).digest()
    return base64.urlsafe_b64encode(digest)
