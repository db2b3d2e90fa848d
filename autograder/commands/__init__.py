"""The commands, one module each; `common.py` holds what they share.

Heavy imports are late: `--help` loads Typer alone.
"""

import importlib

ORDER = (
    "release", "collect", "deadline", "grade", "watch", "show", "report", "similar", "misconception", "export",
    "gradescope", "bundle", "audit", "doctor", "demo",
)  # fmt: skip


def gather() -> None:
    """Load every command, in the order in which `--help` lists them."""
    for name in ORDER:
        importlib.import_module(f"{__name__}.{name}")
