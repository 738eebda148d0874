"""Texts to damage: the programs of the tests, of the pages, of the suites, of the documents and the examples."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
HEAD = """\
import math
import numpy as np
from jaxtyping import Bool, Float32, Float64, Int64
from linad import linear_grad
"""
_FENCE = re.compile(r"^```python[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_DEF = re.compile(r"^def (?=\w+\([^)]*: )", re.MULTILINE)


@cache
def texts() -> tuple[str, ...]:
    """Program texts, each with at least one decorated function."""
    found: list[str] = []
    for folder in ("examples", "tests/lower", "tests/properties", "tests/adjoint", "tests/emit"):
        for file in sorted((ROOT / folder).glob("*.py")):
            text = file.read_text(encoding="utf-8")
            if "\ndef " in text and len(text) < 30_000:
                found.append(text if "@linear_grad" in text else HEAD + _DEF.sub("@linear_grad\ndef ", text))
    pages = [*(ROOT / "docs").glob("*.md"), ROOT / "README.md", *(ROOT / "tests/diagnostics/suites").glob("*.md")]
    pages += (ROOT / "typecheck/linad_typecheck/explain").glob("*.md")
    for page in sorted(pages):
        for program in _FENCE.findall(page.read_text(encoding="utf-8")):
            if "linear_grad" in program:
                found.append(program if "import linear_grad" in program else HEAD + program)
    return tuple(found)
