"""Draws the preview picture of a shop, which messengers and search engines show next to a link to its page."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Iterator
from dataclasses import astuple, dataclass
from functools import cache, lru_cache
from pathlib import Path
from threading import Lock

from PIL import Image, ImageDraw, ImageFont
from xxhash import xxh3_64_hexdigest

from geoshops.errors import Overloaded
from geoshops.map.badges import ink_on

SIZE = (1200, 630)
# KakaoTalk crops to 2:1, so the top and bottom 15 pixels must contain nothing important
LEFT, TOP, BOTTOM, TEXT_WIDTH = 84, 66, 562, 790
# Increase it when the drawing changes: it is part of a picture's URL, so that clients load the new one.
DESIGN = 1
# all but the ground are colours of the page, in static/css/base.css
GROUND, INK, MUTED = "#faf8f5", "#23262e", "#5d6370"
ACCENT, BAD, STAR = "#c0305c", "#b3401f", "#e59a0c"
NAME_SIZES = (80, 70, 62, 54)
MAX_LINES = 2
# Debian's fonts-noto-cjk (OFL 1.1); the shapes of some Chinese characters differ by language
FONTS = Path("/usr/share/fonts/opentype/noto")
BOLD, REGULAR = "NotoSansCJK-Bold.ttc", "NotoSansCJK-Regular.ttc"
FACES = {"ja": 0, "ko": 1, "en": 1, "zh-Hans": 2, "zh-Hant": 3}
# A worker draws one card at a time: drawing is CPU-bound, and other requests need the worker's threads.
DRAWING = Lock()
WAIT_S = 0.5
CARDS_KEPT = 32


@dataclass(frozen=True)
class Card:
    """The content of a card; texts in `language`, the brand's `color` as #rrggbb, `rating` empty without reviews."""

    language: str
    name: str
    brand: str
    color: str
    address: str
    rating: str
    reviews: str
    status: str
    app_name: str

    @property
    def version(self) -> str:
        """Hash of the card's content, which changes whenever the picture does."""
        return xxh3_64_hexdigest(repr((DESIGN, *astuple(self))).encode())


@cache
def has_fonts() -> bool:
    """Whether the fonts for drawing cards are installed."""
    return all((FONTS / name).is_file() for name in (BOLD, REGULAR))


def png(card: Card) -> bytes:
    """The card as PNG; raises Overloaded if another thread keeps drawing for longer than WAIT_S."""
    if not DRAWING.acquire(timeout=WAIT_S):
        raise Overloaded()
    try:
        return _drawn(card)
    finally:
        DRAWING.release()


@lru_cache(maxsize=CARDS_KEPT)
def _drawn(card: Card) -> bytes:
    image = Image.new("RGB", SIZE, GROUND)
    draw = ImageDraw.Draw(image)
    _strip(draw, card.color)
    _brand(draw, card)
    bottom = _name(draw, card)
    _facts(draw, card, bottom)
    _app(draw, card)
    stream = io.BytesIO()
    # the picture has flat colours and antialiased text: 64 colours look the same and encode faster
    image.quantize(64, Image.Quantize.FASTOCTREE).save(stream, "PNG", compress_level=6)
    return stream.getvalue()


@lru_cache(maxsize=64)
def _font(name: str, language: str, size_px: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(
        FONTS / name, size_px, index=FACES[language], layout_engine=ImageFont.Layout.BASIC
    )


def _strip(draw: ImageDraw.ImageDraw, color: str) -> None:
    """Draws a strip of four photos in the brand's colour."""
    left, width, height, gap = 936, 180, 108, 14
    draw.rounded_rectangle((left - 18, 48, left + width + 18, 582), 22, fill="#ffffff", outline="#e4e0d9", width=2)  # fmt: skip
    for place, strength in enumerate((0.95, 0.7, 0.5, 0.32)):
        top = 68 + place * (height + gap)
        shade = _mixed(color, strength)
        draw.rounded_rectangle((left, top, left + width, top + height), 12, fill=shade)
        middle, light = left + width / 2, _mixed(color, strength * 0.45)
        draw.ellipse((middle - 21, top + 20, middle + 21, top + 62), fill=light)
        draw.chord((middle - 46, top + 68, middle + 46, top + 148), 180, 360, fill=light)


def _mixed(color: str, strength: float) -> str:
    """The colour mixed with white."""
    parts = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return "#" + "".join(f"{round(255 - (255 - part) * strength):02x}" for part in parts)


def _brand(draw: ImageDraw.ImageDraw, card: Card) -> None:
    if not card.brand:
        return
    font = _font(BOLD, card.language, 36)
    text = _cut(card.brand, TEXT_WIDTH - 56, font.getlength)
    width = font.getlength(text)
    draw.rounded_rectangle((LEFT, TOP, LEFT + width + 52, TOP + 62), 31, fill=card.color)
    draw.text((LEFT + 26, TOP + 31), text, font=font, fill=ink_on(card.color), anchor="lm")


def _name(draw: ImageDraw.ImageDraw, card: Card) -> float:
    """Draws the name in the largest size that fits into MAX_LINES; returns the lower edge of its last line."""
    for size_px in NAME_SIZES:
        font = _font(BOLD, card.language, size_px)
        lines = [*wrapped(card.name, TEXT_WIDTH, font.getlength)]
        if len(lines) <= MAX_LINES:
            break
    if len(lines) > MAX_LINES:
        rest = " ".join(lines[MAX_LINES - 1 :])
        lines = [*lines[: MAX_LINES - 1], _cut(f"{rest}…", TEXT_WIDTH, font.getlength)]
    y = TOP + 62 + 12
    for line in lines:
        draw.text((LEFT, y), line, font=font, fill=INK, anchor="la")
        y += round(size_px * 1.22)
    return y + 26


def wrapped(text: str, width: float, length: Callable[[str], float]) -> Iterator[str]:
    """Breaks a text into lines of at most that width: between words, and within words that are wider."""
    line = ""
    for piece in _pieces(text, width, length):
        if line and length((line + piece).rstrip()) > width:
            yield line.rstrip()
            line = ""
        line += piece
    yield line.rstrip()


def _pieces(text: str, width: float, length: Callable[[str], float]) -> Iterator[str]:
    for word in text.split():
        yield from (f"{word} ",) if length(word) <= width else f"{word} "


def _cut(text: str, width: float, length: Callable[[str], float]) -> str:
    """The text, shortened with an ellipsis if it is too wide."""
    if length(text) <= width:
        return text
    while text and length(f"{text}…") > width:
        text = text[:-1]
    return f"{text.rstrip(' …')}…"


def _facts(draw: ImageDraw.ImageDraw, card: Card, y: float) -> None:
    """Draws the rating or the status, and the address."""
    if card.status:
        draw.text((LEFT, y + 8), card.status, font=_font(BOLD, card.language, 36), fill=BAD)
        y += 62
    elif card.rating:
        _rating(draw, card, y + 32)
        y += 62
    font = _font(REGULAR, card.language, 34)
    draw.text((LEFT, y + 8), _cut(card.address, TEXT_WIDTH, font.getlength), font=font, fill=MUTED)


def _rating(draw: ImageDraw.ImageDraw, card: Card, middle: float) -> None:
    points = [
        (
            LEFT + 20 + radius * math.sin(turn * math.pi / 5),
            middle - radius * math.cos(turn * math.pi / 5),
        )
        for turn in range(10)
        for radius in (22 if turn % 2 == 0 else 10,)
    ]
    draw.polygon(points, fill=STAR)
    bold = _font(BOLD, card.language, 40)
    draw.text((LEFT + 56, middle), card.rating, font=bold, fill=INK, anchor="lm")
    x = LEFT + 56 + bold.getlength(card.rating) + 20
    draw.text((x, middle), card.reviews, font=_font(REGULAR, card.language, 34), fill=MUTED, anchor="lm")  # fmt: skip


def _app(draw: ImageDraw.ImageDraw, card: Card) -> None:
    """Draws the logo, as in logo.svg, and the application's name."""
    scale, top = 44 / 32, BOTTOM - 44
    draw.rounded_rectangle((LEFT, top, LEFT + 44, BOTTOM), 12, fill=ACCENT)
    for x, y, shade in ((8, 6, "#ffffff"), (17, 6, "#efcbd6"), (8, 17, "#efcbd6"), (17, 17, "#ffffff")):  # fmt: skip
        box = (x * scale + LEFT, y * scale + top, (x + 7) * scale + LEFT, (y + 9) * scale + top)
        draw.rounded_rectangle(box, 2, fill=shade)
    font = _font(BOLD, card.language, 30)
    draw.text((LEFT + 60, BOTTOM - 22), card.app_name, font=font, fill=MUTED, anchor="lm")
