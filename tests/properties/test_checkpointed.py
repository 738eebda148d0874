"""Generated programs whose loops are marked, some or all, under every scheme: their gradients are what they were."""

import ast
from dataclasses import replace

from hypothesis import assume, given
from hypothesis import strategies as st

from linad.adjoint.errors import NoDerivative

from ..examples_of import quick
from ..strategies import Program, programs
from .roads import Whole

OPTIONS = (
    "scheme='recompute'", "scheme='periodic', slots=3", "scheme='bisect'", "slots=1", "slots=2", "slots=3",
    "memory=100", "",
)  # fmt: skip


class Marker(ast.NodeTransformer):
    """Marks the loops of the function ``f`` that ``choose`` picks."""

    def __init__(self, choose):
        self.choose = choose

    def visit_FunctionDef(self, node):
        return self.generic_visit(node) if node.name == "f" else node

    def visit_For(self, node):
        self.generic_visit(node)
        return ast.copy_location(self.marked(node, "iter"), node)

    def visit_While(self, node):
        self.generic_visit(node)
        return ast.copy_location(self.marked(node, "test"), node)

    def marked(self, node, what):
        options = self.choose()
        if options is not None:
            inner = ast.unparse(getattr(node, what))
            setattr(node, what, ast.parse(f"linad.checkpoint({inner}, {options})", mode="eval").body)
        return node


@st.composite
def marked(draw, **options):
    program: Program = draw(programs(**options))
    few = draw(st.integers(1, 4))
    marker = Marker(lambda: draw(st.sampled_from(OPTIONS)) if draw(st.integers(1, 4)) <= few else None)
    tree = marker.visit(ast.parse(program.text))
    return replace(program, text="import linad\n" + ast.unparse(ast.fix_missing_locations(tree)) + "\n")


def whole(program):
    return Whole(program.load(), program.args, program.updates, program.single)


@given(marked(rich=True))
@quick(4)
def test_rich_programs(program):
    w = whole(program)
    try:
        w.holds(thorough=False)
    except NoDerivative:
        assert w.recursive()
        assume(False)


@given(marked(size=6))
@quick(3)
def test_programs_with_every_variant(program):
    whole(program).holds()


@given(marked(size=4, errors=False))
@quick(3)
def test_second_derivatives(program):
    w = whole(program)
    if not w.recursive():
        w.second_order(step=None)
