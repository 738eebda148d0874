"""Which branches of linad's own code have been taken: its modules are compiled with a mark at each branch, which is a
byte in memory that a process shares with its children.

A mark costs some tens of nanoseconds, where Python's tracers cost a call for each line.
"""

from __future__ import annotations

import ast
import mmap
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from types import ModuleType

ROOM = 1 << 17
_NAME = "_branches_taken"
# The folders whose branches programs can steer: the front end, differentiation, the passes.
FOLLOWED = (
    *(
        f"linad_typecheck.{part}"
        for part in ("arrays", "constructs", "engine", "infer", "ir", "library", "linear", "lower", "ownership")
    ),
    *(f"linad.{part}" for part in ("adjoint", "analysis", "codegen", "expand", "inline", "optimise", "pipeline")),
)


class Branches:
    """The branches of the modules that are imported after `follow`, and which of them have been taken."""

    def __init__(self) -> None:
        self.marks = mmap.mmap(-1, ROOM)
        self.places: list[str] = []  # of the branches, file:line

    @property
    def count(self) -> int:
        return len(self.places)

    def taken(self) -> int:
        return ROOM - bytes(self.marks).count(0)

    def untaken(self) -> list[str]:
        """Where the branches are that have not been taken."""
        return [place for place, mark in zip(self.places, bytes(self.marks), strict=False) if not mark]

    def follow(self) -> None:
        """Mark the branches of modules from now on."""
        sys.meta_path.insert(0, _Finder(self))

    def mark(self, tree: ast.Module, file: str) -> ast.Module:
        """A module with a mark at each branch."""
        return ast.fix_missing_locations(_Marker(self, file).visit(tree))


class _Marker(ast.NodeTransformer):
    def __init__(self, branches: Branches, file: str) -> None:
        self.places, self.file = branches.places, file

    def _number(self, near: ast.AST) -> int:
        assert len(self.places) < ROOM
        self.places.append(f"{self.file}:{getattr(near, 'lineno', 0)}")
        return len(self.places) - 1

    def _mark(self, near: ast.AST) -> ast.stmt:
        (made,) = ast.parse(f"{_NAME}[{self._number(near)}] = 1").body
        return ast.copy_location(made, near)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        self.generic_visit(node)
        documented = ast.get_docstring(node) is not None
        node.body.insert(documented, self._mark(node))
        return node

    def _visit_block(self, node: ast.AST) -> ast.AST:
        self.generic_visit(node)
        node.body.insert(0, self._mark(node.body[0]))
        if isinstance(node, (ast.If, ast.For, ast.While)):
            node.orelse.insert(0, self._mark(node.orelse[0] if node.orelse else node))
        return node

    visit_If = visit_For = visit_While = visit_match_case = visit_ExceptHandler = _visit_block

    def visit_IfExp(self, node: ast.IfExp) -> ast.IfExp:
        self.generic_visit(node)
        node.body, node.orelse = self._passing(node.body), self._passing(node.orelse)
        return node

    def _passing(self, value: ast.expr) -> ast.expr:
        """The value, after a mark: setting an item gives None."""
        mark = ast.parse(f"{_NAME}.__setitem__({self._number(value)}, 1)", mode="eval").body
        return ast.copy_location(ast.BoolOp(ast.Or(), [mark, value]), value)


class _Finder(MetaPathFinder):
    """Finds the modules that are followed as the others do, and has them loaded with marks."""

    def __init__(self, branches: Branches) -> None:
        self.branches = branches

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if not any(name == part or name.startswith(f"{part}.") for part in FOLLOWED):
            return None
        for finder in sys.meta_path:
            spec = None if finder is self else finder.find_spec(name, path, target)
            if spec is not None:
                if type(spec.loader) is SourceFileLoader:
                    spec.loader = _Loader(spec.loader.name, spec.loader.path)
                    spec.loader.branches = self.branches
                return spec
        return None


class _Loader(SourceFileLoader):
    branches: Branches

    def get_code(self, fullname: str):
        """The code of the text as it is, never that of a file without marks."""
        tree = self.branches.mark(ast.parse(self.get_data(self.path), self.path), self.path)
        return compile(tree, self.path, "exec", dont_inherit=True)

    def exec_module(self, module: ModuleType) -> None:
        vars(module)[_NAME] = self.branches.marks
        super().exec_module(module)


branches = Branches()
