"""Texts to damage: the programs of the tests, of the pages, of the suites, of the documents and the examples."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

from ..prelude import HEADER

ROOT = Path(__file__).parents[2]
HEAD = """\
import math
import numpy as np
from jaxtyping import Bool, Float32, Float64, Int64
from linad import linear_grad
Vec = Float64[np.ndarray, "n"]
"""
_FENCE = re.compile(r"^```python[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_TYPES = {
    "n": "int",
    "k": "int",
    "i": "int",
    "steps": "int",
    "x": "Vec",
    "y": "Vec",
    "u": "Vec",
    "v": "Vec",
    "a": "Vec",
}


@cache
def texts() -> tuple[str, ...]:
    """Program texts, each with at least one decorated function."""
    return (*_programs(), *_examples(), *_pages())


def _programs() -> list[str]:
    """The functions of the files of test programs, five to a text, decorated and with types."""
    found: list[str] = []
    for file in sorted((ROOT / "tests").rglob("programs*.py")):
        functions = []
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and not node.decorator_list and not ast.unparse(node).count("yield"):
                for a in node.args.args:
                    a.annotation = a.annotation or ast.Name(_TYPES.get(a.arg, "float"), ast.Load())
                functions.append(f"@linear_grad\n{ast.unparse(node)}\n")
        head = HEADER + HEAD
        found += [head + "\n\n" + "\n\n".join(functions[k : k + 5]) for k in range(0, len(functions), 5)]
    return found


def _examples() -> list[str]:
    files = sorted((ROOT / "examples").glob("*.py"))
    return [text for f in files if "linear_grad" in (text := f.read_text(encoding="utf-8"))]


def _pages() -> list[str]:
    files = [*(ROOT / "docs").rglob("*.md"), ROOT / "README.md", *(ROOT / "tests/diagnostics/suites").glob("*.md")]
    files += (ROOT / "typecheck/linad_typecheck/explain").glob("*.md")
    found = [p for f in sorted(files) for p in _FENCE.findall(f.read_text(encoding="utf-8")) if "linear_grad" in p]
    return [p if "import linear_grad" in p else HEAD + p for p in found]
