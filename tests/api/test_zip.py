"""linad in a zip on sys.path, with functions of the user's in one too."""

import os
import subprocess
import sys
import zipfile
from importlib.util import cache_from_source
from pathlib import Path

import linad_typecheck
import pytest

import linad

APPLICATION = """\
import sys
import numpy as np
import linad
from jaxtyping import Float64
from linad import LinadError, linear_grad
from linad.codegen.llvm.pipeline import USUAL
from beside import scaled

@linear_grad
def f(x: Float64[np.ndarray, "n"]) -> float:
    total = 0.0
    for i in range(len(x)):
        total += scaled(x[i]) ** 2
    return total

def wrong(x: float) -> float:
    return x + "text"

print(linad.__file__)
print(f(np.ones(2)), f.grad(np.ones(2)), USUAL, "linad_typecheck.check" in sys.modules)
try:
    linad.grad(wrong)
except LinadError as error:
    print(error)
"""


@pytest.fixture
def application(tmp_path):
    """A zip that Python runs, with linad in it."""
    path = tmp_path / "application.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for package in map(Path, (linad.__file__, linad_typecheck.__file__)):
            for file in package.parent.rglob("*"):
                if file.suffix in (".py", ".md"):
                    name = file.relative_to(package.parents[1])
                    archive.write(file, name)
                    compiled = Path(cache_from_source(str(file)))
                    if compiled.exists():  # otherwise each run compiles all of linad
                        archive.write(compiled, name.with_suffix(".pyc"))
        archive.writestr("beside.py", "def scaled(x):\n    return 3.0 * x\n")
        archive.writestr("__main__.py", APPLICATION)
    return path


def test_everything_is_read_from_the_zip(application, tmp_path):
    environment = {**os.environ, "LINAD_CACHE_DIR": str(tmp_path / "cache"), "PYTHONWARNINGS": "error::UserWarning"}
    runs = [
        subprocess.run([sys.executable, application], env=environment, capture_output=True, text=True, timeout=300)
        for _ in range(2)
    ]
    first, second = (run.stdout.splitlines() for run in runs)
    assert first[0].removesuffix("c") == f"{application}/linad/__init__.py", runs[0].stderr
    assert first[1] == "18.0 [18. 18.] [] True" and second[1] == "18.0 [18. 18.] [] False"
    assert f"  --> {application}/__main__.py:17:12" in first and '17 |     return x + "text"' in first
    assert [p.name.rpartition("-")[0] for p in (tmp_path / "cache").iterdir() if p.is_dir()] == ["f"]
