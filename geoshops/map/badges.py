"""Draws brand badges as SVG, without trademarks."""

from __future__ import annotations

from html import escape

LETTERS = 2


def badge_svg(name: str, color: str) -> str:
    """Returns a round badge with the first letters of the name; `color` is #rrggbb."""
    initials = escape(name[:LETTERS])
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" role="img" '
        f'aria-label="{escape(name, quote=True)}"><circle cx="32" cy="32" r="31" fill="{color}"/>'
        '<text x="32" y="40" text-anchor="middle" font-family="sans-serif" font-weight="700" '
        f'font-size="22" fill="{ink_on(color)}">{initials}</text></svg>'
    )


def ink_on(color: str) -> str:
    """Returns black or white, whichever has the higher contrast on the colour (WCAG 2 relative luminance)."""
    red, green, blue = (_linear(int(color[i : i + 2], 16) / 255) for i in (1, 3, 5))
    return "#000000" if 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 else "#ffffff"


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else float(((channel + 0.055) / 1.055) ** 2.4)
