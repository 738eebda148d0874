"""An editor checks at every pause of typing: a file of 300 lines in a few hundredths of a second."""

import subprocess
import sys
import threading
import time

import pytest
from linad_typecheck import check_source


def program(lines: int) -> str:
    """A module of about that many lines: small kernels of loops, branches and helpers, all different."""
    out = ["import math", "import numpy as np", "from jaxtyping import Float64", "from linad import linear_grad", ""]
    k = 0
    while len(out) < lines:
        out += [
            "",
            f"def scale_{k}(a, w):",
            "    for i in range(len(a)):",
            f"        a[i] = a[i] * w + {k}.0",
            "",
            "",
            "@linear_grad",
            f'def kernel_{k}(x: Float64[np.ndarray, "n"], w: float) -> float:',
            "    u = x.copy()",
            "    v = np.zeros(len(x))",
            f"    scale_{k}(u, w)",
            f"    for t in range({k + 2}):",
            "        for i in range(1, len(x) - 1):",
            "            d = 0.5 * (u[i - 1] - 2.0 * u[i] + u[i + 1])",
            "            if d > 0.0:",
            "                d = math.tanh(d)",
            "            v[i] = u[i] + w * d",
            "        u, v = v, u",
            "    s = 0.0",
            "    for i in range(len(x)):",
            "        s += u[i] ** 2 / (1.0 + x[i] ** 2)",
            "    return math.sqrt(s)",
        ]
        k += 1
    return "\n".join(out) + "\n"


def test_the_program_is_accepted():
    assert check_source(program(300), "program.py") == []


COMPILE = 1.8e-3  # seconds that `compile` takes for the program where 50 ms is the target; a slower machine gets more
AS_LONG = 28  # calls of `compile` that take as long as a check: what disturbs the machine then meets both alike


@pytest.mark.timing
def test_checking_300_lines_is_quick():
    text = program(300)
    checks, compiles = [], []

    def measure():
        for _ in range(200):  # the least of many: one is soon disturbed
            checks.append(seconds(lambda: check_source(text, "program.py")))
            compiles.append(seconds(lambda: [compile(text, "program.py", "exec") for _ in range(AS_LONG)]))

    # On a stack of its own: CPython keeps frames in blocks of 16 kB, and above pytest's forty frames the calls of a
    # check happen to cross the end of one 1,350 times, each time mapping a block and giving it back.
    thread = threading.Thread(target=measure)
    thread.start()
    thread.join()
    slower = max(1.0, min(compiles) / (AS_LONG * COMPILE))
    print(f"check of {text.count(chr(10))} lines: {min(checks) * 1e3:.1f} ms, on a machine {slower:.2f} times as slow")
    assert min(checks) < 0.05 * slower


def seconds(call) -> float:
    """Of the processor, for one call."""
    start = time.process_time()
    call()
    return time.process_time() - start


@pytest.mark.timing
def test_the_command_starts_quickly():
    code = "import time; s = time.process_time(); from linad_typecheck import check_source; print(time.process_time() - s)"
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True) for _ in range(5)]
    assert min(float(run.stdout) for run in runs) < 0.1


def test_nothing_heavy_is_imported():
    code = (
        "import sys; from linad_typecheck import check_source; import linad_typecheck.cli, linad_typecheck.render; "
        "check_source('from linad import linear_grad\\n@linear_grad\\ndef f(a: float): return a\\n'); "
        "print([m for m in ('linad', 'numpy', 'numba', 'scipy', 'jaxtyping') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


@pytest.mark.parametrize("helper", ["", "def dup(t):\n    return (t, t)\n"])
def test_tuples_that_hold_each_other_again_and_again_are_refused_at_once(helper):
    doubled = "dup(t)" if helper else "(t, t)"
    lines = "".join(f"    t = {doubled}\n" for _ in range(20))
    head = "import numpy as np\nfrom linad import linear_grad\n"
    text = f"{head}{helper}@linear_grad\ndef f(x: float) -> float:\n    t = x\n{lines}    return x\n"
    started = time.perf_counter()
    assert any("again and again" in d.message for d in check_source(text))
    assert time.perf_counter() - started < 20
