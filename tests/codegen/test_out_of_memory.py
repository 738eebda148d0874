"""Messages about allocations that do not fit into memory: what an array is for is a fact about it, not its name."""

import pytest
from linad_typecheck.ir.core import Alloc, Names, Reserve, Var
from linad_typecheck.types import I64, Array

from linad.codegen.out_of_memory import out_of_memory_text

SIZE = (Var("n", I64),)


@pytest.mark.parametrize(
    ("saves", "told"),
    [
        ("", "for `log_x`: {0:,} bytes"),
        ("values", "for what the derivative saves of `x` in each iteration: {0:,} bytes (to keep snapshots instead, "),
        ("arrays", "for `log_x`, which the derivative keeps of each iteration: {0:,} bytes (to keep snapshots instead, "),
        ("snapshots", "for the snapshots of `x`: {0:,} bytes (ask for fewer slots)"),
        ("matrices", "for the matrices that the derivative keeps: {0:,} bytes (to keep snapshots instead, "),
        ("calls", "for what the derivative saves of the calls of this function: {0:,} bytes"),
    ],
)
def test_the_message_says_what_is_saved(saves, told):
    log = Names().like(Names().log("log_x", Array("f64", 1), saves))
    for s in (Alloc(log, SIZE, None), Reserve(log, SIZE[0])):
        text = out_of_memory_text(s).removeprefix("there is no memory ")
        assert text.startswith(told) and (text == told or told.endswith(" "))
