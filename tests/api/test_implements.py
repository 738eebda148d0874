"""`linad.implements`: library functions given a meaning, in the live library and from the text alone."""

from __future__ import annotations

import numpy as np
import pytest


import linad
from linad import implementing, linear_grad
from linad.testing import check_grads

from ..two_roads import checked, imported

HEAD = """\
import numpy as np
import scipy.stats
from jaxtyping import Float64
from scipy.stats import kstat

import linad
from linad import linear_grad

V = Float64[np.ndarray, "n"]
"""
STATISTIC = """

@linad.implements(kstat)
def k_statistic(data, n=2, nan_policy="propagate"):
    if nan_policy == "omit":
        data = data[~np.isnan(data)]
    size, moment = len(data), np.mean((data - np.mean(data)) ** n)
    if n == 2:
        return moment * size / (size - 1)
    return moment * size**2 / ((size - 1) * (size - 2))
"""
USED = """

@linear_grad(backend="interpret")
def f(x: V) -> float:
    return kstat(x, 3) ** 2 + scipy.stats.kstat(x, n=2) ** 4
"""


@pytest.fixture(autouse=True)
def nothing_stays(monkeypatch):
    monkeypatch.setattr(implementing, "_registered", dict(implementing._registered))


@pytest.mark.parametrize("text", [STATISTIC + USED, USED + STATISTIC], ids=["before", "below"])
def test_both_roads_and_the_gradient(tmp_path, text):
    text = HEAD + text
    assert not checked(tmp_path, text).diagnostics
    with imported(tmp_path, text) as program:
        x = np.array([0.3, 1.0, 5.0, 2.0, 0.1])
        assert np.isclose(program.f(x), program.f.py_func(x), rtol=1e-12)
        check_grads(program.f, (x,))


def test_in_another_file_that_is_imported(tmp_path):
    files = {"meanings.py": HEAD + STATISTIC}
    (tmp_path / "meanings.py").write_text(files["meanings.py"])
    text = HEAD + "import meanings\n" + USED
    assert not checked(tmp_path, text).diagnostics
    with imported(tmp_path, text, files) as program:
        x = np.array([0.3, 1.0, 5.0, 2.0, 0.1])
        assert np.isclose(program.f(x), program.f.py_func(x), rtol=1e-12)


def test_the_message_for_an_unknown_function_says_so(tmp_path):
    report = checked(tmp_path, HEAD + USED)
    assert {d.slug for d in report.diagnostics} == {"unknown-function"}
    assert all("@linad.implements(" in fix.message for d in report.diagnostics for fix in d.fixes)
    with pytest.raises(linad.LinadError, match="not known to linad"), imported(tmp_path, HEAD + USED):
        pass


def test_errors_inside_are_at_their_lines(tmp_path):
    broken = STATISTIC.replace("np.mean(data)", "np.meam(data)")
    report = checked(tmp_path, HEAD + broken + USED)
    lines = (HEAD + broken).split("\n")
    assert report.diagnostics
    assert [d.span.line for d in report.diagnostics] == [k for k, line in enumerate(lines, 1) if "meam" in line]


def test_a_registration_after_the_first_call_counts():
    def f(x):
        return np.sum(np.packbits(x) ** 2)

    f = linear_grad(f, backend="interpret")
    x = np.array([0.0, 3.0, 0.0])
    with pytest.raises(linad.LinadError):
        f(x)
    linad.implements(np.packbits)(lambda filt: filt[1:2])
    assert f(x) == 9.0
    linad.implements("numpy.packbits")(lambda filt: filt * 2.0)
    assert f(x) == 36.0


@pytest.mark.parametrize("of", [np.sum, "numpy.sin", "scipy.special.erf"])
def test_what_linad_knows_stays(of):
    with pytest.raises(ValueError, match="knows .* already"):
        linad.implements(of)


@pytest.mark.parametrize("of", [len, 3, "nothing", "mymodule.f", lambda x: x])
def test_what_is_no_library_function(of):
    with pytest.raises((TypeError, ValueError)):
        linad.implements(of)


def test_what_is_no_function_of_python():
    with pytest.raises(TypeError, match="function in Python"):
        linad.implements(np.packbits)(np.sin)
