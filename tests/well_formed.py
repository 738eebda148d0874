"""What every pass must leave."""

from linad_typecheck.core import Program
from linad_typecheck.core_text import print_program
from linad_typecheck.core_verify import verify

from linad.pipeline import linear

_right: list[Program] = []  # the last program that was looked at: most passes leave it as it is


def well_formed(name: str, program: Program) -> None:
    """A program that is well formed and has a linear form."""
    if _right == [program]:
        return
    wrong = verify(program)
    assert not wrong, f"after {name}: {wrong[:3]}\n{print_program(program)}"
    linear(program)
    _right[:] = [program]
