"""Draws the medals of titles as SVG."""

from __future__ import annotations

from html import escape

GREY = "#b8bec7"
GREY_RIBBON = "#d5d9df"


def medal_svg(name: str, color: str, emblem: str, *, grey: bool) -> str:
    """A medal with the title's emblem; `color` is #rrggbb, `emblem` an SVG path in a box of 64 by 64."""
    face, ribbon = (GREY, GREY_RIBBON) if grey else (color, "#33415c")
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 76" role="img" '
        f'aria-label="{escape(name, quote=True)}">'
        f'<path d="M18 50L12 74L24 69L32 75L40 69L52 74L46 50Z" fill="{ribbon}"/>'
        f'<circle cx="32" cy="32" r="30" fill="{face}"/>'
        '<circle cx="32" cy="32" r="26" fill="none" stroke="#ffffff" stroke-width="1.5" '
        'stroke-dasharray="1 4" stroke-linecap="round"/>'
        f'<path d="{escape(emblem, quote=True)}" fill="none" stroke="#ffffff" stroke-width="3" '
        'stroke-linecap="round" stroke-linejoin="round"/></svg>'
    )
