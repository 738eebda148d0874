"""The rooms of the front end: nobody imports a caller, inside functions neither, and files enter their tables."""

import ast
import pkgutil
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from types import ModuleType

import linad
import linad_typecheck
import linad_typecheck.check  # noqa: F401 - loads all that enters itself into tables
import pytest
from linad_typecheck.engine.evaluation import CALLS, EXPRESSIONS
from linad_typecheck.engine.rulebook import enter_rules, rule_of
from linad_typecheck.registry import registry

ROOT = Path(linad_typecheck.__file__).parent
MOST_LOCAL = 15  # imports inside functions: of what starting quickly leaves for later, in `lsp`, `cli` and `check`
MOST_POISON = 60
ROOMS = ("advice", "engine", "arrays", "library", "constructs", "lower")


def modules(root: Path = ROOT) -> dict[str, Path]:
    found = {}
    for path in sorted(root.rglob("*.py")):
        name = ".".join(path.relative_to(root.parent).with_suffix("").parts)
        found[name.removesuffix(".__init__")] = path
    return found


@cache
def statements(path: Path) -> tuple[ast.Module, list[ast.Import | ast.ImportFrom]]:
    """A module, and all its imports."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return tree, [n for n in ast.walk(tree) if isinstance(n, (ast.Import, ast.ImportFrom))]


def imports(name: str, path: Path, known: dict[str, Path]) -> Iterator[tuple[str, bool]]:
    """The modules that a file imports, for annotations too, and whether inside a function."""
    tree, found = statements(path)
    annotations = (n for n in tree.body if isinstance(n, ast.If) and ast.unparse(n.test) == "TYPE_CHECKING")
    top = {id(n) for n in (*tree.body, *(inner for a in annotations for inner in a.body))}
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    for n in found:
        if isinstance(n, ast.Import):
            given = [a.name for a in n.names]
        else:
            above = package[: len(package) + 1 - n.level] if n.level else []
            base = ".".join([*above, *filter(None, [n.module])])
            given = [f"{base}.{a.name}" if f"{base}.{a.name}" in known else base for a in n.names]
        for target in {g for g in given if g in known and g != name}:
            yield target, id(n) not in top


def circle(graph: dict[str, set[str]]) -> list[str]:
    """Modules of which each is imported by the next."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return error.args[1]
    return []


def test_a_circle_is_found():
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": set()}) in (["b", "c", "b"], ["c", "b", "c"])


@pytest.mark.parametrize("package", [linad_typecheck, linad], ids=["linad_typecheck", "linad"])
def test_no_circle_of_imports(package: ModuleType):
    known = modules(Path(package.__file__).parent)
    graph = {name: {target for target, _ in imports(name, path, known)} for name, path in known.items()}
    assert circle(graph) == []


def test_imports_inside_functions():
    known = modules()
    local = [(name, target) for name, path in known.items() for target, inside in imports(name, path, known) if inside]
    assert len(local) <= MOST_LOCAL, local
    assert [pair for pair in local if pair[0].partition(".")[2].partition(".")[0] in ROOMS] == []


def test_what_is_refused_is_raised():
    """`return Poison()` is for what goes on with a value that nothing is known of: an assignment, a join."""
    found = {name: path.read_text(encoding="utf-8").count("return Poison()") for name, path in modules().items()}
    assert sum(found.values()) <= MOST_POISON, {name: n for name, n in found.items() if n}


@pytest.mark.parametrize("room", ["constructs", "library"])
def test_every_file_that_enters_itself_is_loaded(room: str):
    """With the package: `check` imports the package, not its files."""
    tables = ("EXPRESSIONS[", "EXPRESSIONS.update", "STATEMENTS.update", "OPERATORS[", "CALLS[", "CALLS.update")
    enters = ("enter_rules(", "enter(", *tables)
    names = [m.name for m in pkgutil.iter_modules([str(ROOT / room)])]
    lines = {n: (ROOT / room / f"{n}.py").read_text(encoding="utf-8").splitlines() for n in names}
    owners = {n for n in names if any(line.startswith(enters) for line in lines[n])}
    package = ast.parse((ROOT / room / "__init__.py").read_text(encoding="utf-8"))
    loaded = {a.name for n in package.body if isinstance(n, ast.ImportFrom) for a in n.names}
    assert owners and owners <= loaded, owners - loaded


def test_what_the_tables_hold():
    assert ast.Call in EXPRESSIONS and "numpy.array" in CALLS
    assert registry()["numpy.hypot"] == "rule" and rule_of("numpy.hypot")[1] == "scalars"
    with pytest.raises(AssertionError, match="numpy.hypot"):
        enter_rules({"numpy.hypot": rule_of("numpy.hypot")[0]})
