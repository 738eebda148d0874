"""What linad uses of Numba beyond its public interface is imported in one module, which says what is missing in a Numba that lacks it."""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from linad import doctor
from linad.codegen import numba_compat

ROOT = Path(__file__).parents[2]
PRIVATE = re.compile(r"numba\.(?!extending$|types$)|llvmlite\.(?!binding$|ir$)")


def imported(file: Path) -> list[str]:
    """The modules that a file imports from, at any depth."""
    nodes = list(ast.walk(ast.parse(file.read_text(encoding="utf-8"))))
    plain = [a.name for n in nodes if isinstance(n, ast.Import) for a in n.names]
    return plain + [n.module for n in nodes if isinstance(n, ast.ImportFrom) and n.module and not n.level]


def test_private_modules_of_numba_are_imported_in_one_place():
    found = {
        (str(file.relative_to(ROOT)), name)
        for file in (ROOT / "linad").rglob("*.py")
        for name in imported(file)
        if PRIVATE.match(name)
    }
    assert {file for file, _ in found} == {"linad/codegen/numba_compat.py"}, sorted(found)


def test_everything_used_of_the_classes_is_listed():
    """Attributes that generated text, lowering and libraries use of Numba's objects are in the tables that `check` goes through."""
    listed = " ".join([*numba_compat._CLASSES.values(), *numba_compat._INSTANCES.values()]).split()
    files = [f for room in ("codegen", "runtime") for f in (ROOT / "linad" / room).rglob("*.py")]
    text = "\n".join(f.read_text(encoding="utf-8") for f in files)
    used = set(re.findall(r"\b(?:cgutils|context|typing_context|nrt|call_conv)\.([a-z]\w*)", text))
    assert sorted(used - set(listed)) == []


def test_supported_versions_are_those_of_the_package():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert numba_compat.SUPPORTED in project["dependencies"]


def test_the_installed_numba_has_everything():
    numba_compat.check()
    assert dict(doctor.report())["compiler"] == f"supported ({numba_compat.SUPPORTED})"


@pytest.mark.parametrize(
    ("owner", "name"), [(numba_compat.JITCodeLibrary, "get_pointer_to_function"), (numba_compat.cgutils, "gep_inbounds")]
)
def test_a_missing_part_is_named(owner, name, monkeypatch):
    monkeypatch.delattr(owner, name)
    with pytest.raises(ImportError, match=rf"numba \d.*llvmlite \d.*no `\w+\.{name}`; it supports numba>="):
        numba_compat.check()
    assert name in dict(doctor.report())["compiler"]


def test_a_missing_helper_function_is_named():
    with pytest.raises(ImportError, match="no helper function `numba_of_tomorrow`; it supports"):
        numba_compat.require_symbols("numba_xxgemm", "numba_of_tomorrow")
    with pytest.raises(ImportError, match=r"no `numba\.core\.config\.OF_TOMORROW`; it supports"):
        numba_compat.require_attribute("numba.core.config", "OF_TOMORROW")


PROGRAM = """
import numba, numba.core.imputils
del numba.core.imputils.fix_returning_optional
from linad import linear_grad

@linear_grad
def f(x: float) -> float:
    return x * x

try:
    f.grad(3.0)
except ImportError as error:
    print(error)
"""


def test_a_function_compiled_with_another_numba_says_so(tmp_path):
    file = tmp_path / "program.py"
    file.write_text(PROGRAM, encoding="utf-8")
    done = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, check=True)
    assert "linad cannot compile with numba" in done.stdout
    assert "fix_returning_optional" in done.stdout and f"pip install '{numba_compat.SUPPORTED}'" in done.stdout
