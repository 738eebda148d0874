"""Names, order and defaults of parameters are those of the libraries that are installed."""

from __future__ import annotations

import ast

import pytest
from linad_typecheck.diagnostics import Diagnostic
from linad_typecheck.engine.signatures import defaults_of
from linad_typecheck.findings import check_source
from linad_typecheck.library.definitions import definitions

from .signatures import TABLE, VERSIONS, table
from .signatures import signature as installed


def test_the_table_is_that_of_the_libraries():
    """``python -m tests.library.signatures`` writes it."""
    text = TABLE.read_text(encoding="utf-8")
    if VERSIONS not in text.splitlines()[0]:
        pytest.skip(f"the table is that of {text.splitlines()[0]}")
    assert text == table()


def parameters(spec: ast.arguments) -> tuple[list[str], list[str], dict[str, object]]:
    """The names by position, the others, and the defaults that are literal."""
    places = [a.arg for a in (*spec.posonlyargs, *spec.args)]
    literal = {n: d.value for n, d in defaults_of(spec).items() if isinstance(d, ast.Constant) and d.value is not ...}
    return places, [a.arg for a in spec.kwonlyargs], literal


PRELUDE = sorted(n for n in definitions() if n.split(".")[0] in ("numpy", "scipy"))


def spec_of(text: str) -> ast.arguments:
    (made,) = ast.parse(f"def f{text}: pass").body
    return made.args


@pytest.mark.parametrize("function", PRELUDE)
def test_a_function_of_the_prelude_takes_what_the_original_takes(function):
    """By position and by name, and what is left out is the same."""
    text = installed(function)
    if text is None:
        pytest.skip("the library that is installed does not say")
    spec, real = definitions()[function].node.args, spec_of(text)
    places, real_places = ([a.arg for a in (*s.posonlyargs, *s.args)] for s in (spec, real))
    places = places[places[:1] == ["self"] :]  # of a method
    by_name = {a.arg for a in (*real.args, *real.kwonlyargs)}
    if not real.vararg:
        assert len(places) <= len(real_places), text
        ours, theirs = places[len(spec.posonlyargs) :], real_places[len(spec.posonlyargs) : len(places)]
        assert ours == theirs or not by_name.intersection(theirs), text
    if not real.kwarg:
        assert by_name >= {a.arg for a in spec.kwonlyargs}, text
    defaults, theirs = ({n: d.value for n, d in defaults_of(s).items() if isinstance(d, ast.Constant)} for s in (spec, real))
    shared = [n for n in defaults if n in theirs and theirs[n] is not ...]
    assert {n: defaults[n] for n in shared} == {n: theirs[n] for n in shared}, text


ODD_CALLS = {
    "by a name that is another one": ("np.isin(x, test=x)[0] * 1.0", "does not take `test` here"),
    "a parameter that is to be given by its name": ("np.concatenate((x, x), 0, None, float)[0]", "takes `arrays`, `axis`, `out`, `dtype`"),
    "one that is to be given by its place": ("np.concatenate(arrays=(x, x))[0]", "does not take `arrays` here"),
    "too many": ("np.flip(x, 0, 1)[0]", "takes `m`, `axis`"),
    "too few": ("np.roll(x)[0]", "takes `a`, `shift`, `axis`"),
    "without a meaning here": ("np.take(x, 0, mode='wrap')", "does not take `mode` here"),
    "twice": ("np.flip(x, m=x)[0]", "does not take `m` here"),
}


@pytest.mark.parametrize("case", ODD_CALLS)
def test_a_wrong_call(case):
    call, told = ODD_CALLS[case]
    (found,) = diagnostics(call)
    assert found.slug == "bad-call" and told in found.message


@pytest.mark.parametrize("call", ["np.take(x, 0, mode='raise')", "np.zeros(2, float, 'C')[0] + x[0]", "np.zeros_like(a=x)[0]",
                                  "np.hstack(tup=(x, x))[0]", "np.linspace(0.0, 1.0, 3, True, False)[0] + x[0]"])  # fmt: skip
def test_what_is_given_as_when_left_out_may_be_given(call):
    assert not diagnostics(call)


def diagnostics(call: str) -> list[Diagnostic]:
    text = "import numpy as np\nfrom linad import linear_grad\nfrom jaxtyping import Float64\n\n@linear_grad\n"
    text += f"def f(x: Float64[np.ndarray, 'n']) -> float:\n    return {call}\n"
    return [d for d in check_source(text, "f.py") if d.severity == "error"]
