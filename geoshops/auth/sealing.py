"""Encrypts unlink tokens at rest; the key is derived from the signing key, and the previous one still decrypts."""

from __future__ import annotations

import base64
import hashlib
import hmac

from cryptography.fernet import Fernet, InvalidToken, MultiFernet

from geoshops.config import Settings


class CannotOpen(Exception):
    """The key that encrypted the text is not configured."""


class Sealer:
    """Encrypts and decrypts short texts."""

    def __init__(self, settings: Settings) -> None:
        keys = [key for key in (settings.secret_key, settings.previous_secret_key) if key]
        self.box = MultiFernet([Fernet(_derived(key)) for key in keys or ["unset"]])

    def seal(self, text: str | None) -> bytes | None:
        """The text encrypted and authenticated; None for an empty or missing text."""
        return self.box.encrypt(text.encode()) if text else None

    def open(self, sealed: bytes | memoryview | None) -> str | None:
        """The decrypted text, or None for None; raises CannotOpen if no configured key fits."""
        if sealed is None:
            return None
        try:
            return self.box.decrypt(bytes(sealed)).decode()
        except InvalidToken:
            raise CannotOpen from None


def _derived(key: str) -> bytes:
    digest = hmac.new(key.encode(), b"geoshops unlink tokens", hashlib.sha256).digest()
    return base64.urlsafe_b64encode(digest)
