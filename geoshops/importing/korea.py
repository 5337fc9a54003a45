"""Rough bounding boxes of the Korean provinces, to detect coordinates that cannot belong to their address."""

from __future__ import annotations

import numpy as np

# west, south, east, north in degrees, islands included
EXTENT = (124.0, 32.5, 132.5, 39.0)
BOXES = {
    "서울": (126.7, 37.4, 127.2, 37.7),
    "부산": (128.7, 34.8, 129.4, 35.4),
    "대구": (128.3, 35.6, 128.9, 36.4),
    "인천": (124.5, 36.9, 126.9, 38.0),
    "광주": (126.6, 35.0, 127.1, 35.3),
    "대전": (127.2, 36.1, 127.6, 36.5),
    "울산": (128.9, 35.3, 129.5, 35.8),
    "세종": (127.1, 36.4, 127.5, 36.8),
    "경기": (126.3, 36.8, 127.9, 38.3),
    "강원": (127.0, 37.0, 129.4, 38.7),
    "충북": (127.2, 36.0, 128.7, 37.3),
    "충남": (125.5, 35.9, 127.7, 37.1),
    "전북": (125.9, 35.2, 128.0, 36.2),
    "전남": (125.0, 33.9, 127.9, 35.5),
    "경북": (127.7, 35.5, 132.0, 37.6),
    "경남": (127.5, 34.5, 129.3, 36.0),
    "제주": (126.1, 32.9, 127.0, 34.1),
}
LONG_NAMES = {
    "충청북도": "충북", "충청남도": "충남", "전라북도": "전북", "전라남도": "전남",
    "경상북도": "경북", "경상남도": "경남",
}  # fmt: skip
SUFFIXES = ("", "시", "도", "특별시", "광역시", "직할시", "특별자치시", "특별자치도")
PROVINCES = {f"{short}{suffix}": short for short in BOXES for suffix in SUFFIXES} | LONG_NAMES


def degrees_off(addresses: list[str], lon: np.ndarray, lat: np.ndarray) -> np.ndarray:
    """Distance of each position from the box of the province with which its address begins.

    In degrees, along the axis with the larger distance; NaN if the address names no province."""
    if "".join(addresses).isascii():
        return np.full(len(addresses), np.nan)
    unknown = (np.nan,) * 4
    boxes = np.array([BOXES.get(province(text), unknown) for text in addresses]).reshape(-1, 4)
    west, south, east, north = boxes.T
    off = [west - lon, lon - east, south - lat, lat - north, 0 * west]
    return np.asarray(np.maximum.reduce(off))


def province(address: str) -> str:
    """Short name of the province with which an address begins, or an empty string."""
    return PROVINCES.get(address.split(" ", 1)[0], "")
