"""`python -m benchmarks.real`: the rule finds arguments, and verdicts are what they say."""

import numpy as np

from benchmarks.real import __main__ as real
from benchmarks.real.__main__ import packages, table
from benchmarks.real.choose import arguments, directions, fitting, held_out, numbers, slope, takes, value_of
from benchmarks.real.worker import attempt, verdict


def length(x, y):
    return np.sqrt(x * x + y * y)


def of_words(text):
    return text.upper()


def drawn(x):
    return x + np.random.rand()


def updates(x):
    x[0] = 0.0
    return x.sum()


def first_word(x):
    return x.sum() + len(b"ab")


@np.errstate(all="ignore")
def decorated(x) -> "nothing that is read":  # noqa: F722
    return x * 2.0


def test_the_rule():
    given = fitting("m.length", length)
    assert all(isinstance(a, np.ndarray) and a.shape == (6,) for a in given)
    assert fitting("m.length", length)[0].tolist() == given[0].tolist()  # the same ones each time
    assert [fitting(f.__name__, f) for f in (of_words, drawn, updates)] == [None, None, None]
    assert takes(length) == 2 and takes(lambda filename: 0) == 0
    assert len({tuple(map(str, a)) for a in arguments(2, "m.f")}) > 10


def test_derivatives_of_the_original():
    given = (np.array([3.0, 5.0]), np.array([4.0, 12.0]))
    found, error = slope(length, given)
    d = directions(given)
    assert np.allclose(found[0], (given[0] * d[0] + given[1] * d[1]) / length(*given), rtol=1e-6) and error < 1e-6
    assert value_of(updates, given[:1]) is None and numbers(("a", 1.0)) is None and numbers((1, 2.0))[0] == 2.0


def test_verdicts():
    given = fitting("m.length", length)
    assert verdict(length, given, "m.length", quick=False)["verdict"] == "accepted"
    assert verdict(length, given, "m.length", quick=True) == {"verdict": "accepted"}
    refused = verdict(first_word, (given[0],), "m.first_word", quick=True)
    assert refused["verdict"] == "refused" and refused["cause"]


def test_the_table():
    rows = [
        {"package": "four", "name": "four.f", "verdict": "unchanged", "seconds": 2.5},
        {"package": "four", "name": "four.g", "verdict": "refused", "cause": "LIN201 a | b\nmore"},
        {"package": "three", "name": "three.h", "verdict": "trivial", "cause": "LIN104 c"},
    ]
    text = table(rows)
    assert "| four | 2 | 1 | 0 | 1 | 0 | 2.5 |" in text and "| all | 3 | 1 | 1 | 1 | 0 | 2.5 |" in text
    assert "(all): 33% unchanged, 67% after a trivial change." in text and r"| `four.g` | LIN201 a \| b |" in text
    assert held_out("three") and "(held out): 0% unchanged, 100% after" in text and "three.h" not in text


def test_the_table_in_the_documentation(tmp_path, monkeypatch):
    monkeypatch.setattr(real, "ROOT", tmp_path)
    page = tmp_path / "docs" / "howto" / "other-peoples-code.md"
    page.parent.mkdir(parents=True)
    page.write_text("# A page\n")
    for verdict in ("unchanged", "refused"):
        real.record([{"package": "one", "name": "one.f", "verdict": verdict, "cause": "LIN201 a"}])
    text = page.read_text()
    assert text.startswith("# A page\n\n## The last run\n") and text.count("## The last run") == 1 and "| one | 1 | 0 | 0 | 1 | 0 |" in text


def rounded(x):
    return np.round(x, 10) * 2.0


def with_a_list(x):
    return [v * v for v in x], 0 if x[0] > 5.0 else x[0]


def test_lists_ints_and_rounding():
    x = np.array([0.3, 0.5])
    assert attempt(rounded, (x,), quick=False)["verdict"] == attempt(with_a_list, (x,), quick=False)["verdict"] == "accepted"


def test_the_packages():
    names = packages()
    assert len(names) == len(set(names)) >= 30
    assert attempt(length, (1.0, 2.0), quick=True)["verdict"] == "accepted"


