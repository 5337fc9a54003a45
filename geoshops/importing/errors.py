"""Errors of imports, with a remedy for the operator."""

from __future__ import annotations


class ImportRejected(Exception):
    """The whole file is rejected and nothing was changed; the message names the remedy."""


class WrongUsage(ImportRejected):
    """The options are incomplete or contradictory."""
