"""Draws brand badges as SVG, without trademarks."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

LETTERS = 2


@dataclass(frozen=True)
class Badge:
    """The drawn badge of a brand; `color` is #rrggbb."""

    name: str
    color: str
    letters: str


def initials(name: str, parent_name: str | None, *, namesake: bool) -> str:
    """Returns the letters that identify a brand: for a sub-brand, those after the parent's name.

    With `namesake`, another brand starts with the same letters, so they are skipped."""
    if parent_name and name.startswith(parent_name):
        rest = name[len(parent_name) :]
    else:
        rest = name[LETTERS:] if namesake else ""
    return (rest.strip() or name)[:LETTERS]


def badge_svg(badge: Badge) -> str:
    """Returns a round badge with the brand's letters."""
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" role="img" '
        f'aria-label="{escape(badge.name, quote=True)}"><circle cx="32" cy="32" r="31" fill="{badge.color}"/>'
        '<text x="32" y="41" text-anchor="middle" font-family="sans-serif" font-weight="700" '
        f'font-size="26" fill="{ink_on(badge.color)}">{escape(badge.letters)}</text></svg>'
    )


def ink_on(color: str) -> str:
    """Returns black or white, whichever has the higher contrast on the colour (WCAG 2 relative luminance)."""
    red, green, blue = (_linear(int(color[i : i + 2], 16) / 255) for i in (1, 3, 5))
    return "#000000" if 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 else "#ffffff"


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else float(((channel + 0.055) / 1.055) ** 2.4)
