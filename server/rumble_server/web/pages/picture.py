"""A board as a self-contained picture: SVG with its own colours, light and dark, or PNG. Pure.

A picture contains the colours and rules that its elements need from the pages' style sheets. PNG exists because chat
programs show no SVG in the preview of a link. PNG needs the extra `pictures`.
"""

import re
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec

from rumble_engine import Drawing

from rumble_server.web.pages.board_svg import BoardLayout, svg
from rumble_server.web.static_files import STATIC

RULE = re.compile(r"^(\.drawn [^{]*?) \{ (.*) \}$", re.MULTILINE)
VARIABLE = re.compile(r"(--[\w-]+): ([^;]+);")
USED = re.compile(r"var\((--[\w-]+)\)")
DARK = "@media (prefers-color-scheme: dark)"
PAPER = '<rect class="paper" width="100%" height="100%"/>'
PNG_WIDTH = 800
"""Width of a PNG in pixels."""
MAKES_PNG = find_spec("resvg_py") is not None
"""True if the extra `pictures` is installed."""


def picture(drawing: Drawing, label: str, flipped: bool = False, *, light: bool = False) -> str:
    """Draw the board as a self-contained SVG. The colours follow the colour scheme of the reader.

    With `light`, the colours are always the light colours. The SVG then has no CSS variables, because programs other
    than browsers do not understand CSS variables.
    """
    plan = BoardLayout(drawing, flipped)
    root, inside = svg(drawing, label, flipped).split(">", 1)
    style = "".join(_rules(inside))
    bright, dark = _colours()
    if light:
        style = USED.sub(lambda used: bright[used[1]], style)
    else:
        style = f"svg{{{_needed(bright, style)}}}{DARK}{{svg{{{_needed(dark, style)}}}}}{style}"
    size = f'xmlns="http://www.w3.org/2000/svg" class="drawn" width="{plan.width // 2}" height="{plan.height // 2}"'
    return f"{root} {size}><style>{style}</style>{PAPER}{inside}"


def png(drawing: Drawing, label: str, flipped: bool = False) -> bytes:
    """Draw the board as PNG, in the light colours. Raises ImportError without the extra `pictures`."""
    from resvg_py import svg_to_bytes

    return bytes(svg_to_bytes(svg_string=picture(drawing, label, flipped, light=True), width=PNG_WIDTH))


def _rules(inside: str) -> Iterator[str]:
    """Yield the style rules for the elements of a picture."""
    yield ".paper{fill:var(--paper)}"
    classes = {name for names in re.findall(r'class="([^"]*)"', inside) for name in names.split()} | {"drawn"}
    for selectors, body in RULE.findall(_sheet("css/board.css")):
        # In a page the SVG is inside an element of the class `drawn`; here the SVG itself has the class.
        own = [each.replace(".drawn svg", ".drawn") for each in selectors.split(", ") if ":focus" not in each]
        kept = [each for each in own if each != ".drawn" and set(re.findall(r"\.([\w-]+)", each)) <= classes]
        if kept:
            yield f"{','.join(kept)}{{{body}}}"


@cache
def _colours() -> tuple[dict[str, str], dict[str, str]]:
    """Return the variables of the style sheets by name, for the light and for the dark colour scheme."""
    light: dict[str, str] = {}
    dark: dict[str, str] = {}
    for sheet in ("style.css", "css/board.css"):
        first, _, rest = _sheet(sheet).partition(DARK)
        light |= dict(VARIABLE.findall(first))
        dark |= dict(VARIABLE.findall(rest.partition("\n}\n")[0]))
    return light, light | dark


def _needed(variables: dict[str, str], style: str) -> str:
    return "".join(f"{name}:{variables[name]};" for name in sorted(set(USED.findall(style))))


@cache
def _sheet(name: str) -> str:
    return (STATIC / name).read_text(encoding="utf-8")
