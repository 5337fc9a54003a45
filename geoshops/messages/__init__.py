"""API errors: HTTP status by code, code by reason, and the messages in every language, one JSON file each."""

from __future__ import annotations

import json
from pathlib import Path

# BCP 47; of the page, of display names and of messages
LANGUAGES = ("ko", "en", "ja", "zh-Hans", "zh-Hant")
DEFAULT_LANGUAGE = "en"

# code → HTTP status
STATUS = {
    "001": 400, "002": 400, "003": 400,
    "100": 401, "101": 401, "102": 401, "103": 401, "104": 401,
    "105": 400, "106": 502, "107": 400,
    "400": 400, "403": 403, "404": 404, "405": 405, "406": 406, "409": 409, "413": 413, "415": 415,
    "422": 422, "429": 429, "500": 500, "503": 503,
}  # fmt: skip

# code → reasons
REASONS = {
    "001": ("not_an_object",),
    "002": (
        "blank", "repeated", "not_a_number", "not_an_integer", "not_a_boolean", "not_text",
        "out_of_range", "swapped", "too_long", "bad_characters", "not_one_of", "bad_box",
        "bad_box_with_heights", "bad_coordinates", "bad_position", "position_out_of_range",
        "position_swapped", "position_projected", "shape_empty", "polygon_empty",
        "too_many_positions", "ring_open",
        "line_without_length", "bad_filter", "filter_too_slow",
        "area_invalid", "area_too_large", "area_too_intricate",
        "route_too_long", "people", "shop_ids",
        "bad_interval", "unknown_parameter", "page_too_deep", "bad_key",
        "nickname_rule", "bad_request",
    ),
    "003": ("missing",),
    "100": ("no_token",),
    "101": ("bad_token",),
    "102": ("expired_token",),
    "103": ("expired_refresh",),
    "104": ("bad_refresh",),
    "105": ("code_rejected", "verifier_rejected", "nonce_differs",),
    "106": ("provider_failed", "provider_busy", "unlink_token_sealed",),
    "107": ("redirect_not_allowed", "provider_not_allowed",),
    "400": ("too_many_reviews", "title_not_held",),
    "403": ("not_author",),
    "404": ("not_found",),
    "405": ("method_not_allowed",),
    "406": ("not_acceptable",),
    "409": ("nickname_taken", "conflict",),
    "413": ("too_large",),
    "415": ("not_json", "not_utf8", "encoded",),
    "422": ("key_reused",),
    "429": ("too_many_requests",),
    "500": ("unexpected",),
    "503": ("overloaded", "unreachable", "unavailable",),
}  # fmt: skip

# reason → code
CODES = {reason: code for code, reasons in REASONS.items() for reason in reasons}

FOLDER = Path(__file__).parent
# language → reason → text; names in braces are placeholders
MESSAGES: dict[str, dict[str, str]] = {
    language: json.loads((FOLDER / f"{language}.json").read_text(encoding="utf-8"))
    for language in LANGUAGES
}


def message(language: str, reason: str, **values: object) -> str:
    """The message of a reason with its placeholders filled; `thing` names what cannot be found."""
    messages = MESSAGES[language]
    if "thing" in values:
        values["thing"] = messages[f"thing.{values['thing']}"]
    return messages[reason].format(**values)
