"""What every pass must leave."""

from linad_typecheck.ir.core import Program
from linad_typecheck.ir.text import print_program
from linad_typecheck.ir.verify import verify

from linad.optimise.phases import FIRST, LAST, PRIVATISATION, SIMPLIFICATION
from linad.pipeline import linear

from .examples_of import MANY

# The last programs that were looked at, as most passes leave a program as it is.
_verified: list[Program] = []
_linear: list[Program] = []

# Stages for which the pipeline itself asks for the linear form, of what it ends with; `tests.optimise` does so after each pass.
ASKED = {p.name for phase in (FIRST, SIMPLIFICATION, PRIVATISATION, LAST) for p in phase.passes}
ASKED |= {"prepare", "stored", "reverse", "second reverse", "stage"}
ASKED |= {"simplified", "simplified reverse", "simplified second reverse"}


def well_formed(name: str, program: Program) -> None:
    """A program that is well formed and has a linear form.

    Finding the form takes as long as a pass, so an everyday run does not ask for it where the pipeline has.
    """
    if _verified != [program]:
        wrong = verify(program)
        assert not wrong, f"after {name}: {wrong[:3]}\n{print_program(program)}"
        _verified[:] = [program]
    if _linear != [program] and (MANY > 1 or name not in ASKED):
        linear(program)
        _linear[:] = [program]
