"""The page of supported functions: each name of the registry, and nothing else that the checker accepts."""

import builtins
import math
import re
from functools import cache
from keyword import iskeyword
from pathlib import Path

import numpy as np
import pytest
import scipy.linalg
import scipy.special

from ..examples_of import daily
from . import functions

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "functions.md"
ROW = re.compile(r"\| `([^`]+)` \|.* `([^`]+)` \| [^|]*\|$")
LIBRARIES = {
    "numpy": np, "numpy.linalg": np.linalg, "scipy.special": scipy.special, "scipy.linalg": scipy.linalg,
    "math": math, "builtins": builtins,
}  # fmt: skip


@cache
def made() -> dict[str, functions.Row]:
    return functions.rows(functions.registry())


@pytest.mark.thorough
def test_the_page_is_up_to_date(request):
    if request.config.getoption("--regenerate"):
        PAGE.write_text(functions.page(made()), encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == functions.page(made()), "pytest tests/documents --regenerate"


@pytest.mark.thorough
def test_every_name_has_an_example_that_is_accepted():
    missing = sorted(functions.registry().keys() - made())
    assert not missing, "add an accepted call to EXAMPLES in functions.py"


def test_each_name_has_a_row_of_which_the_checker_says_the_same():
    """The rows that are looked at have the example of the page, whether or not another one would be tried before it."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    written = {m[1]: (line, m[2].replace("\\|", "|")) for line in lines if (m := ROW.match(line))}
    names = functions.registry()
    assert sorted(written) == sorted(map(functions.shown, names)), "pytest tests/documents --regenerate"
    chosen = {n: names[n] for n in daily(names, 12)}
    rows = functions.rows(chosen, lambda name, kind: [written[functions.shown(name)][1]])
    assert rows.keys() == chosen.keys()
    for row in rows.values():
        found = written[row.name][0]
        assert found in (functions.line(row, True), functions.line(row, False)), "pytest tests/documents --regenerate"


def test_every_name_is_in_one_section():
    names = functions.registry().items()
    assert not [n for n, kind in names if sum(inside(n, kind) for _, inside in functions.SECTIONS) != 1]


@pytest.mark.parametrize("library", LIBRARIES)
def test_what_is_not_in_the_registry_is_refused(library):
    known = functions.registry().keys() | {"builtins.callable"}  # a question about types, which has an answer for numbers, too
    public = [n for n in dir(LIBRARIES[library]) if not (n.startswith("_") or iskeyword(n))]
    shown = [functions.shown(f"{library}.{n}") for n in public if f"{library}.{n}" not in known]
    called = functions.answers(f"    return float({n}(v))\n" for n in shown)
    read = functions.answers(f"    return x + {n}\n" for n in shown)
    for found in (called, read):
        assert not [n for n, said in zip(shown, found, strict=True) if not any(d.severity == "error" for d in said)]


def test_methods_and_attributes_that_are_not_in_the_registry_are_refused():
    public = [n for n in dir(np.ndarray) if not n.startswith("_") and f"ndarray.{n}" not in functions.registry()]
    called = functions.answers(f"    return float(np.sum(v.{n}()))\n" for n in public)
    read = functions.answers(f"    return x + v.{n}\n" for n in public)
    for found in (called, read):
        assert not [n for n, said in zip(public, found, strict=True) if not any(d.severity == "error" for d in said)]
