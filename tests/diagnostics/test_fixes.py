"""The edits that are offered: they parse, they help, and those marked safe keep what plain Python computes."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest
from linad_typecheck import check_source
from linad_typecheck.checking.fixes import edited, fix
from linad_typecheck.codes import CODES
from linad_typecheck.explain import page

from .suites import PRELUDE, cases
from .test_codes import FENCE

SUITES = [c for f in sorted((Path(__file__).parent / "suites").glob("*.md")) for c in cases(f)]
TEXTS = {
    f"{c.file.stem}: {c.name}": c.program if "from linad" in c.program else f"{PRELUDE}\n\n{c.program}" for c in SUITES
}
TEXTS |= {f"page {slug}": text for slug in CODES for kind, text in FENCE.findall(page(CODES[slug])) if kind == "fail"}
FIXES = [
    pytest.param(text, d, f, id=f"{name}: {d.slug}: {f.message[:30]}")
    for name, text in TEXTS.items()
    for d in check_source(text, "program.py")
    for f in d.fixes
    if f.edits
]


def test_there_are_fixes_of_both_kinds():
    assert sum(f.values[2].safe for f in FIXES) >= 6 and sum(not f.values[2].safe for f in FIXES) >= 6


@pytest.mark.parametrize(("text", "finding", "offered"), FIXES)
def test_a_fix_mends_what_it_is_offered_for(text, finding, offered):
    new = edited(text, offered.edits)
    before, after = ({(d.slug, d.message, d.severity) for d in check_source(t, "program.py")} for t in (text, new))
    assert (finding.slug, finding.message, finding.severity) not in after
    assert not [d for d in after - before if d[2] == "error"], "no error takes its place"


@pytest.mark.parametrize(("text", "finding", "offered"), [p for p in FIXES if p.values[2].safe])
def test_a_safe_fix_keeps_what_python_computes(text, finding, offered):
    """Run both texts with a decorator that does nothing on the same arguments."""
    outcomes = [ran(t) for t in (text, edited(text, offered.edits))]
    assert outcomes[0] == outcomes[1]


def ran(text: str) -> list[str]:
    space: dict[str, object] = {}
    exec("def linear_grad(f=None, **options):\n    return f if f else lambda g: g\n", space)  # noqa: S102
    exec(text.replace("from linad import linear_grad", ""), space)  # noqa: S102
    told = []
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef):
            args = [argument(a, k) for k, a in enumerate(node.args.args)]
            try:
                told.append(f"{space[node.name](*args)!r} {args!r}")
            except Exception as error:  # noqa: BLE001 - whatever plain Python makes of it
                told.append(f"{type(error).__name__} {args!r}")
    return told


def argument(a: ast.arg, k: int) -> object:
    note = ast.unparse(a.annotation) if a.annotation else "float"
    if "ndarray" in note:
        rank = len(note.split("'")[1].split()) if "'" in note else 1
        return 0.5 + k + np.arange(3.0**rank).reshape((3,) * rank)
    return {"int": 2, "bool": True}.get(note, 1.5 + k)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", TEXTS)
def test_fixing_ends(name):
    once = fix(TEXTS[name], "program.py", unsafe=True)
    assert fix(once.text, "program.py", unsafe=True).applied == 0
