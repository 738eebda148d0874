"""An analysis that remembers says what one that does not would say, and looks at no more functions than it must."""

from time import perf_counter

from hypothesis import given
from hypothesis import strategies as st
from linad_typecheck import check_source
from linad_typecheck.lsp.analysis import Analyser
from linad_typecheck.lsp.names import facts_of, type_at

from tests.examples_of import quick

from .programs import GOOD, HEAD, MOVED

NAME = "/somewhere/program.py"
SECOND = MOVED.removeprefix(HEAD)
MODULE = GOOD + "\n\n" + SECOND


def test_nothing_is_checked_twice():
    a = Analyser(NAME)
    a.analyse(MODULE)
    assert a.checks == 2
    a.analyse(MODULE)
    a.analyse("# a comment\n\n" + MODULE + "\n")
    assert a.checks == 2


def test_the_changed_function_is_checked():
    a = Analyser(NAME)
    a.analyse(MODULE)
    a.analyse(MODULE.replace("d > 0.0", "d > 1.0"))
    assert a.checks == 3
    a.analyse(MODULE)  # undone: remembered
    assert a.checks == 3


def test_what_a_function_reaches_counts_and_nothing_else():
    a = Analyser(NAME)
    a.analyse(MODULE)
    a.analyse(MODULE.replace("* w + 1.0", "* w + 2.0"))  # a helper of the first
    assert a.checks == 3
    a.analyse(MODULE.replace("C = 0.5", "C = 0.25"))  # a constant of the first
    assert a.checks == 4
    line = "from jaxtyping import Float64"
    a.analyse(MODULE.replace(line, f"{line}, Int64"))  # of none
    assert a.checks == 4
    a.analyse(MODULE.replace(line, "from jaxtyping import (\n    Int64,\n    Float64,\n)"))
    assert a.checks == 4
    a.analyse(MODULE.replace(line, "from jaxtyping import Float32 as Float64"))  # of both
    assert a.checks == 6


def test_a_name_of_an_import_counts_for_those_who_use_it():
    use = "import math, cmath\n" + MODULE.replace("d > 0.0", "d > math.tau")
    a = Analyser(NAME)
    a.analyse(use)
    changed = use.replace("import math, cmath", "import math")
    a.analyse(changed)
    assert a.checks == 2
    changed = use.replace("import math, cmath", "import cmath as math")
    assert a.analyse(changed).diagnostics == tuple(check_source(changed, NAME))
    assert a.checks == 3
    changed = use.replace("import math, cmath\n", "")
    assert a.analyse(changed).diagnostics == tuple(check_source(changed, NAME))


def test_findings_move_with_their_lines():
    a = Analyser(NAME)
    before = a.analyse(MODULE).diagnostics
    after = a.analyse("\n\n\n" + MODULE).diagnostics
    assert a.checks == 2
    assert [d.span.line + 3 for d in before] == [d.span.line for d in after]
    assert after == tuple(check_source("\n\n\n" + MODULE, NAME))


def test_names_of_the_module_are_in_the_help():
    text = MODULE.replace("scale(u, w)", "scald(u, w)")
    a = Analyser(NAME)
    for t in (text, text.replace("def scale", "def scalp"), text + "\n\ndef scaldo():\n    pass\n"):
        assert a.analyse(t).diagnostics == tuple(check_source(t, NAME))


def test_a_deadline_is_kept_and_the_rest_follows():
    a = Analyser(NAME)
    first = a.analyse(MODULE, perf_counter() - 1)
    assert not first.complete and a.checks == 1
    assert a.analyse(MODULE).diagnostics == tuple(check_source(MODULE, NAME))


def test_an_imported_file_is_read_again_when_it_changes(tmp_path):
    other, text = tmp_path / "other.py", "from other import twice\n" + MODULE.replace("d > 0.0", "d > twice(0.0)")
    other.write_text("def twice(a):\n    return 2.0 * a\n")
    a = Analyser(str(tmp_path / "program.py"))
    assert "bad-call" not in {d.slug for d in a.analyse(text).diagnostics}
    other.write_text("def twice(a, b, c):\n    return 2.0 * a + b + c\n")
    assert "bad-call" in {d.slug for d in a.analyse(text).diagnostics}


def test_types_are_known_in_a_function_with_errors():
    a = Analyser(NAME).analyse(MOVED)
    (p,) = a.functions
    line = MOVED.splitlines().index("    v = u") + 1
    assert type_at(facts_of(p, line, "v"), line) == "array of float64 of rank 1"


LINES = st.sampled_from(
    [
        "",
        "    v = x",
        "    s = 0.0",
        "C = 2",
        "def scale(a, w):",
        "    a[0] = 1.0",
        "@linear_grad",
        "if C:",
        "    global C",
        "u = np.zeros(3)",
        "    return q",
        "from math import *",
        "    x[0] = C",
        ")",
        "'''",
        "    y = scale  # linad: ignore[use-after-move]",
    ]
)


@quick(25)
@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 2), LINES), min_size=1, max_size=6))
def test_any_edits_give_what_a_fresh_check_gives(edits):
    a = Analyser(NAME)
    lines = MODULE.splitlines()
    a.analyse(MODULE)
    for at, removed, new in edits:
        at = min(at, len(lines))
        lines[at : at + removed] = [new]
        text = "\n".join(lines) + "\n"
        assert a.analyse(text).diagnostics == tuple(check_source(text, NAME))
