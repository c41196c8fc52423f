"""The plot of `growth.py`: small curves over size as SVG, a column for each kind of growth, a row for each measure."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, log10
from xml.sax.saxutils import escape

WIDTH, HEIGHT, GAP, LEFT, TOP = 150, 90, 42, 60, 40
STYLE = """
svg { font: 11px sans-serif; fill: #444; background: #fff }
.frame { fill: none; stroke: #ccc }
.curve { fill: none; stroke: #06c; stroke-width: 2 }
.point { fill: #06c }
.right { text-anchor: end }
.middle { text-anchor: middle }
.measure { font-weight: bold }
"""


@dataclass(frozen=True, slots=True)
class Panel:
    """A curve. The horizontal scale is logarithmic; the vertical scale begins at 0 and is shared by the whole row."""

    unit: str
    sizes: Sequence[int]
    values: Sequence[float]


def draw(columns: Sequence[Sequence[Panel]], measures: Sequence[str]) -> str:
    """Return the plot as an SVG document."""
    width = LEFT + len(columns) * (WIDTH + GAP)
    height = TOP + len(measures) * (HEIGHT + GAP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">',
        "<title>What costs grow to with the work</title>",
        f"<style>{STYLE}</style>",
    ]
    for row, measure in enumerate(measures):
        top = TOP + row * (HEIGHT + GAP)
        most = round_up(max(max(column[row].values) for column in columns))
        parts.append(f'<text class="measure" x="{LEFT}" y="{top - 6}">{escape(measure)}</text>')
        for number, column in enumerate(columns):
            left = LEFT + number * (WIDTH + GAP)
            parts += _panel(column[row], left, top, most)
    for number, column in enumerate(columns):
        middle = LEFT + number * (WIDTH + GAP) + WIDTH / 2
        parts.append(f'<text class="middle" x="{middle:g}" y="{height - 6}">{escape(column[0].unit)}</text>')
    return "\n".join([*parts, "</svg>", ""])


def _panel(panel: Panel, left: float, top: float, most: float) -> list[str]:
    low, high = log10(panel.sizes[0]), log10(panel.sizes[-1])
    across = [(log10(size) - low) / ((high - low) or 1) * (WIDTH - 30) + 15 for size in panel.sizes]
    points = [(left + x, top + HEIGHT - HEIGHT * value / most) for x, value in zip(across, panel.values, strict=True)]
    parts = [f'<rect class="frame" x="{left}" y="{top}" width="{WIDTH}" height="{HEIGHT}"/>']
    parts += [
        f'<text class="right" x="{left - 4}" y="{y:g}">{value:g}</text>'
        for y, value in ((top + HEIGHT, 0), (top + 9, most))
    ]
    parts.append(f'<polyline class="curve" points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in points)}"/>')
    for (x, y), size, value in zip(points, panel.sizes, panel.values, strict=True):
        parts.append(f'<circle class="point" cx="{x:.1f}" cy="{y:.1f}" r="3"/>')
        parts.append(f'<text class="middle" x="{x:.1f}" y="{y - 6:.1f}">{label(value)}</text>')
        parts.append(f'<text class="middle" x="{x:.1f}" y="{top + HEIGHT + 13}">{size:,}</text>')
    return parts


def label(value: float) -> str:
    """Return the label of a value's point: whole, or with three digits."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def round_up(value: float) -> float:
    """Return the least of 1, 2, 5, 10, 20... (or 0.1, 0.2...) that leaves room above `value` for its label."""
    unit: float = 10 ** floor(log10(value))
    return next(unit * step for step in (1, 2, 5, 10, 20) if unit * step >= value * 1.2)
