"""Cells of tables that we write ourselves: text that a spreadsheet would run as a formula is made harmless."""

import math
from typing import Any

FORMULA_STARTS = ("=", "+", "-", "@", "＝", "＋", "－", "＠")


def cell(value: Any) -> str:
    """Return the text of a table cell, blank for None; what a spreadsheet would run gets an apostrophe."""
    if value is None:
        return ""
    if isinstance(value, float):
        return str(round(value, 9) + 0.0) if math.isfinite(value) else ""
    text = str(value).encode("utf-8", "replace").decode("utf-8").replace("\0", "")
    return f"'{text}" if _could_run(text) else text


def _could_run(text: str) -> bool:
    starts_with_control = text != "" and text[0] < " "
    return starts_with_control or text.lstrip(" ").startswith(FORMULA_STARTS)
