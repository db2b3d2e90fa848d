"""Make pages that need nothing else: the style and the only script are in them, and a policy allows no other."""

import base64
import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from autograder.terminal import number, plain

PAGES = Path(__file__).parents[1] / "pages"
STYLE, NOTHING = "report.css", "'none'"


def render(
    template: str, script: str | None = None, filters: Mapping[str, Callable[..., Any]] | None = None, **content: Any
) -> str:
    """Return a page of `autograder/pages/` as HTML; all content is escaped, and none of it can be in a script."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=FileSystemLoader(PAGES), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip
    environment.filters |= {"number": number, "plain": plain, "percent": percent, **(filters or {})}
    style = (PAGES / STYLE).read_text(encoding="utf-8")
    code = (PAGES / script).read_text(encoding="utf-8") if script else ""
    policy = f"default-src 'none'; script-src {_source(code) if code else NOTHING}; style-src {_source(style)}; "
    return environment.get_template(template).render(
        policy=f"{policy}base-uri 'none'; form-action 'none'", style=Markup(style), script=Markup(code), **content
    )


def percent(share: float) -> str:
    """Return a share of 1 as whole percent."""
    return f"{100 * share:.0f} %"


def write(path: Path, page: str) -> None:
    """Write a page, with the folder that it lies in."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page, encoding="utf-8")


def _source(text: str) -> str:
    """Return how a Content-Security-Policy names a script or style to the letter."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
