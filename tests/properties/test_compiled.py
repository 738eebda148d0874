"""Some of the programs through the decorator, compiled, against the interpreter's gradient."""

import pytest

from . import programs_science, programs_traps, programs_types, programs_unbound
from .compiled import compiled_agrees

MODULES = (programs_science, programs_traps, programs_types, programs_unbound)
COMPILED = (
    "thomas", "csr_matvec", "bubble_sort", "index_overwritten_while_used", "swap_in_one_arm",
    "sizes_that_change", "log_in_arms_of_arms", "pair_in_out",
    "rows_of_map", "row_written_above", "shorter_by_one_written",  # nothing but a check stands between these and other memory
)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", COMPILED)
@pytest.mark.filterwarnings("ignore::linad.LinadWarning")
def test_compiled_gradients(name):
    (module,) = (m for m in MODULES if name in m.CASES)
    compiled_agrees(getattr(module, name), module.CASES[name])
