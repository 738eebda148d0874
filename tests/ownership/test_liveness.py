"""The quick ways of the analysis of names say what the slow ones say: of every function of the checker itself."""

import ast
from pathlib import Path

import linad_typecheck
import pytest
from linad_typecheck.ownership.liveness import Liveness, bound, free_names, liveness, used

FILES = sorted(Path(linad_typecheck.__file__).parent.rglob("*.py"))
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
ODD = """
def f(x):
    for (a, b), c in x:
        d = [a := e for e in c] if (g := a) else (h := {})
        del b
    else:
        with x as (i, *j), c as k.l:
            import m.n as o, p.q
        try:
            r: int = 1
        except E as s:
            t += 1
        finally:
            u, u2 = v = w
    while (y := x):
        match x:
            case [z, *z2] as z3:
                def z4(z5=z6): return z7
            case {"a": z8, **z9}: pass
    lambda z: outer
"""


@pytest.mark.one_in(6)
@pytest.mark.parametrize("text", [ODD, *(p.read_text() for p in FILES)], ids=["odd", *(p.stem for p in FILES)])
def test_one_look_finds_what_is_used_and_what_is_bound(text):
    for f in (n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.FunctionDef)):
        live = Liveness()
        for s in f.body:
            if not isinstance(s, (ast.If, ast.For, ast.While)):
                assert live.used(s) == used(s)
                assert live.bound(s) == tuple(bound([s]))
        assert list(live.binds(f.body)) == list(bound(f.body))  # in the order of the text
        scopes = [n for s in f.body for n in ast.walk(s) if isinstance(n, SCOPES)]
        assert liveness(f.body).always == frozenset().union(*map(free_names, scopes))


def test_a_node_that_is_gone_is_not_taken_for_another():
    live = Liveness()
    for k in range(50):  # a comprehension is lowered as a loop made for it
        assert live.used(ast.Name(f"n{k}", ast.Load())) == {f"n{k}"}
