"""A long kernel divided into functions gives the same results, updates and errors as in one piece."""

import re

import pytest
from linad_typecheck.ir.core import Call, walk

from linad.codegen import emit
from linad.codegen.driver_allocation import lift
from linad.codegen.function_splitting import split_function
from tests.lower.test_messages import checked

from .roads import machine, python
from .test_random_programs import compare


@pytest.mark.parametrize("part", [1, 12])
@pytest.mark.one_in(6)
@pytest.mark.parametrize("block", range(3))
def test_random_programs_in_plain_python(block, part):
    seeds = range(block * 20 + 500, block * 20 + 520)
    met, sources = zip(*(compare(seed, [python], long=1, part=part) for seed in seeds))
    assert met.count("result") > 5
    assert "error" in met
    assert max(len(re.findall(r"^def \w+_part\d+", source, re.M)) for source in sources) > 2


@pytest.mark.parametrize("seed", [3, 21])
def test_compiled(seed, tmp_path):
    compare(seed, [lambda g: machine(g, tmp_path)], long=1, part=6)


TWO = """
t = np.zeros(len(x))
for i in range(1, len(x)):
    t[i] = math.exp(x[i - 1])
v = np.zeros(len(x))
s = 0.0
for i in range(len(x)):
    v[i] += t[i]
    s += t[i]
return v[0] + s
"""


def two():
    """A program whose second loop reads what the first has written."""
    return checked('x: Float64[np.ndarray, "n"]', TWO.strip()).program


def test_what_a_part_only_reads_it_borrows():
    program = two()
    kernel, parts = split_function(program, lift(program.main, copies=True).kernel, 1, 4)
    assert [s.callee for s in walk(kernel.body) if isinstance(s, Call)] == list(parts)
    modes = [{p.var.name: p.mode for p in f.params} for f in parts.values()]
    assert any(m.get("x") == "read" and m.get("t") == "mut" for m in modes)
    assert any(m.get("t") == "read" and m.get("v") == "mut" for m in modes)


def test_a_short_kernel_stays_whole():
    source = emit(two()).source
    assert "_part" not in source
