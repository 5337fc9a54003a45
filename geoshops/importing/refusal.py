"""The errors of an import that its reader can act on."""

from __future__ import annotations


class ImportRefused(Exception):
    """The file as a whole is not taken and nothing has changed; the message says the remedy."""


class WrongUsage(ImportRefused):
    """The options do not say what is needed, whatever the file holds."""
