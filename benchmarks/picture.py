"""`python -m benchmarks.picture`: the picture of an ownership error, drawn from what the checker prints.

The program is the first one of docs/tutorial/reading-an-ownership-error.md. The colours follow those of the reader's page.
"""

from __future__ import annotations

import re
from html import escape
from pathlib import Path

from linad_typecheck import check_source
from linad_typecheck.render import render_text

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "tutorial" / "reading-an-ownership-error.md"
FILE = ROOT / "docs" / "images" / "ownership_error.svg"
HEAD = "import numpy as np\nfrom jaxtyping import Float64\nfrom linad import linear_grad\n\n\n"

WIDTH, HEIGHT, SIZE, MARGIN = 8.4, 20, 14, 18  # of a cell, of a line, of the type, around everything
_STYLES = {"": "plain", "0": "plain", "1": "bold", "1;31": "error", "1;33": "warning", "1;36": "help", "1;34": "place", "32": "new"}
_ANSI = re.compile(r"\033\[([\d;]*)m")
_LIGHT = {
    "page": "#f7f8fa", "plain": "#24292f", "bold": "#111418", "error": "#b3261e", "warning": "#8a5a00", "help": "#0b6e75",
    "place": "#2458b3", "new": "#1a7f37",
}  # fmt: skip
_DARK = {
    "page": "#161b22", "plain": "#d0d7de", "bold": "#f5f7fa", "error": "#ff7b72", "warning": "#e3b341", "help": "#56d4dd",
    "place": "#79a8ff", "new": "#56d364",
}  # fmt: skip


def message() -> str:
    """What the checker prints of the first program of the page, with colours."""
    program = re.search(r"^```python fails\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert program is not None
    text = HEAD + program[1]
    return render_text(check_source(text, "program.py"), {"program.py": text}, colour=True)


def runs(line: str) -> list[tuple[int, str, str]]:
    """The stretches of one style in a line: column, style, text."""
    found, column, style = [], 0, "plain"
    for k, piece in enumerate(_ANSI.split(line)):
        if k % 2:
            style = _STYLES[piece]
        elif piece.strip():
            start = len(piece) - len(piece.lstrip())
            found.append((column + start, style, piece.strip()))
        column += 0 if k % 2 else len(piece)
    return found


def svg(text: str) -> str:
    """A text with terminal colours as a picture."""
    lines = text.split("\n")
    columns = max(len(_ANSI.sub("", line)) for line in lines)
    width, height = columns * WIDTH + 2 * MARGIN, len(lines) * HEIGHT + 2 * MARGIN
    light, dark = ("".join(_rule(name, colour) for name, colour in colours.items()) for colours in (_LIGHT, _DARK))
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}"'
        + ' role="img" aria-label="an ownership error of linad check">',
        f"<style>text{{font:{SIZE}px ui-monospace,Menlo,Consolas,monospace;white-space:pre}}"
        + f".bold,.error,.help,.place{{font-weight:600}}{light}@media(prefers-color-scheme:dark){{{dark}}}</style>",
        f'<rect class="page" width="{width:g}" height="{height:g}" rx="8"/>',
    ]
    for k, line in enumerate(lines):
        y = MARGIN + k * HEIGHT + SIZE
        for column, style, piece in runs(line):
            x, length = MARGIN + column * WIDTH, len(piece) * WIDTH
            place = f'x="{x:.1f}" y="{y}" textLength="{length:.1f}" lengthAdjust="spacingAndGlyphs"'
            out.append(f'<text class="{style}" {place}>{escape(piece)}</text>')
    return "\n".join([*out, "</svg>"]) + "\n"


def _rule(name: str, colour: str) -> str:
    return f".{name}{{fill:{colour}}}"


def main() -> None:
    FILE.write_text(svg(message()), encoding="utf-8")
    print(f"wrote {FILE}")


if __name__ == "__main__":
    main()
