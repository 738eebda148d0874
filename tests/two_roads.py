"""Programs as files, on the two roads of the front end: checked from the text alone, and run as live functions."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from linad_typecheck.findings import Report, check_text

HEADER = """\
import numpy as np
from jaxtyping import Float64
from linad import linear_grad

F1 = Float64[np.ndarray, "n"]
"""
DECORATOR = '@linear_grad(backend="interpret")\n'


def program(text: str, body: str, parameters: str = "x: F1") -> str:
    """A module: `HEADER`, ``text``, and the decorated function ``f`` of a body without indentation."""
    return f"{HEADER}{text}\n\n{DECORATOR}def f({parameters}):\n" + "".join(f"    {line}\n" for line in body.split("\n"))


@contextmanager
def imported(folder: Path, text: str, files: Mapping[str, str] | None = None) -> Iterator[ModuleType]:
    """The module ``program`` of a folder, imported; the other ``files`` are beside it. Both are forgotten at the end."""
    for name, content in {**(files or {}), "program.py": text}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content, encoding="utf-8")
    sys.path.insert(0, str(folder))
    before = set(sys.modules)
    importlib.invalidate_caches()
    try:
        yield importlib.import_module("program")
    finally:
        sys.path.remove(str(folder))
        own = {name.partition("/")[0].removesuffix(".py") for name in ("program.py", *(files or {}))}
        for name in set(sys.modules) - before:
            if name.partition(".")[0] in own:
                del sys.modules[name]


def checked(folder: Path, text: str) -> Report:
    return check_text(text, str(folder / "program.py"))


def differences(f: Any, x: np.ndarray, *rest: Any) -> np.ndarray:
    """The gradient by the first argument from central differences of the plain function."""
    found = np.zeros_like(x)
    for cell in np.ndindex(x.shape):
        ends = []
        for step in (1e-6, -1e-6):
            moved = x.copy()
            moved[cell] += step
            ends.append(float(f(moved, *rest)))
        found[cell] = (ends[0] - ends[1]) / 2e-6
    return found


def agree(folder: Path, text: str, *args: Any, files: Mapping[str, str] | None = None, partly: int = 0) -> None:
    """The checker finds nothing in the text (``partly``: it leaves so many functions to their first call), and the function
    gives what Python gives, with the gradient by its first argument that differences give."""
    with imported(folder, text, files) as module:
        report = checked(folder, text)
        assert [d.message for d in report.diagnostics if d.severity == "error"] == []
        assert report.partly == partly
        np.testing.assert_allclose(module.f(*args), module.f.py_func(*args), rtol=1e-12)
        grads = module.f.grad(*args)
        first = grads[0] if isinstance(grads, tuple) else grads
        np.testing.assert_allclose(first, differences(module.f.py_func, *args), rtol=1e-5, atol=1e-6)
