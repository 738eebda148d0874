"""The cache between processes: warm, concurrent, forked, damaged, moved, switched off."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import linad_typecheck
import pytest

import linad


PROGRAM = """\
import sys, time
import numpy as np
from jaxtyping import Float64
from linad import linear_grad

SCALE = {scale}

@linear_grad
def f(x: Float64[np.ndarray, "n"]) -> float:
    total = 0.0
    for i in range(len(x)):
        total += SCALE * x[i] * x[i]
    return total

value, gradient = f.value_and_grad(np.arange(3.0))
print(value, gradient.tolist(), "linad_typecheck.check" in sys.modules, "linad.adjoint.sweep.reverse" in sys.modules)
"""
RIGHT = "10.0 [0.0, 4.0, 8.0]"


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM.format(scale=2.0))
    return path


@pytest.fixture(scope="module", autouse=True)
def copied(tmp_path_factory):
    """A copy of linad that nobody edits meanwhile: an edit would, rightly, make every cached file useless."""
    folder = tmp_path_factory.mktemp("site")
    for package in (linad, linad_typecheck):
        source = Path(package.__file__).parent
        shutil.copytree(source, folder / source.name)  # with bytecode, which has the times of the files
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = str(folder)
    yield
    if before is None:
        del os.environ["PYTHONPATH"]
    else:
        os.environ["PYTHONPATH"] = before


def start(script, place, **extra):
    environment = {**os.environ, "LINAD_CACHE_DIR": str(place), **extra}
    return subprocess.Popen(
        [sys.executable, str(script)], env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def run(script, place, **extra):
    out, err = start(script, place, **extra).communicate(timeout=120)
    assert "Error" not in err, err
    return out.strip()


@pytest.fixture(scope="module")
def filled(tmp_path_factory, copied):
    """A program and the cache that its first run has left, for those who look at second ones."""
    folder = tmp_path_factory.mktemp("filled")
    path = folder / "program.py"
    path.write_text(PROGRAM.format(scale=2.0))
    assert run(path, folder / "cache") == f"{RIGHT} True True"
    return path, folder / "cache"


def test_a_warm_start_runs_no_checker_and_no_derivative(filled, tmp_path):
    script, full = filled
    place = tmp_path / "cache"
    shutil.copytree(full, place)
    script.write_text(PROGRAM.format(scale=1.0))
    assert run(script, place) == "5.0 [0.0, 2.0, 4.0] True True"
    script.write_text(PROGRAM.format(scale=2.0))
    assert run(script, place) == f"{RIGHT} False False"


def test_processes_at_once(script, tmp_path):
    running = [start(script, tmp_path / "cache") for _ in range(2)]
    for process in running:
        out, err = process.communicate(timeout=180)
        assert out.startswith(RIGHT), err


@pytest.mark.one_in(3)
@pytest.mark.parametrize("pattern", ["*.front", "*.py", "*.code"])
def test_damaged_files_are_made_again(filled, tmp_path, pattern):
    script, full = filled
    place = tmp_path / "cache"
    shutil.copytree(full, place)
    damaged = [p for p in place.glob(f"*/{pattern}")]
    assert damaged
    for path in damaged:
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    assert run(script, place).startswith(RIGHT)


def test_a_moved_cache_works(filled, tmp_path):
    script, full = filled
    shutil.copytree(full, tmp_path / "elsewhere", copy_function=shutil.copy)  # with new times, too
    assert run(script, tmp_path / "elsewhere") == f"{RIGHT} False False"


def test_switched_off_leaves_nothing(script, tmp_path):
    place = tmp_path / "cache"
    assert run(script, place, LINAD_CACHE="0", TMPDIR=str(tmp_path)).startswith(RIGHT)
    assert not place.exists() and [p.name for p in tmp_path.glob("linad-*")] == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_forks(tmp_path):
    script = tmp_path / "forking.py"
    script.write_text(
        "import os\nfrom linad import linear_grad\n"
        "@linear_grad\ndef f(x: float) -> float:\n    return x * x\n"
        "@linear_grad\ndef g(x: float) -> float:\n    return f(x) * x\n"
        "f(1.0)\n"
        "children = []\n"
        "for k in range(2):\n"
        "    pid = os.fork()\n"
        "    if pid == 0:\n"
        "        os._exit(0 if (f.grad(3.0), g.grad(2.0)) == (6.0, 12.0) else 1)\n"
        "    children.append(pid)\n"
        "print([os.waitpid(pid, 0)[1] for pid in children], g(2.0))\n"
    )
    assert run(script, tmp_path / "cache") == "[0, 0] 8.0"


def test_a_folder_for_reading_only(filled, script, tmp_path):
    again, full = filled
    place = tmp_path / "cache"
    shutil.copytree(full, place)
    folders = [p for p in Path(place).rglob("*") if p.is_dir()] + [place]
    for folder in folders:
        folder.chmod(0o555)
    try:
        assert run(again, place) == f"{RIGHT} False False"
        script.write_text(PROGRAM.format(scale=1.0))
        assert run(script, place).startswith("5.0 [0.0, 2.0, 4.0]")
    finally:
        for folder in folders:
            folder.chmod(0o755)


RECURSIVE = """\
from linad import linear_grad

@linear_grad
def power(x: float, n: int, odd: bool) -> float:
    if n == 0:
        return x if odd else 1.0
    return x * power(x, n - 1, True)

def even(x, n: int):
    return x if n == 0 else x * odd(x, n - 1)

def odd(x, n: int):
    return 0.5 * x if n <= 0 else x + even(x, n - 1)

@linear_grad
def both(x: float, n: int) -> float:
    return even(x, n)

print(power(2.0, 5, False), power.grad(2.0, 5, False), both(2.0, 4), both.grad(2.0, 4))
"""


def test_functions_that_call_themselves_are_found_again(tmp_path):
    """Machine code that holds the address of a function in the process that compiled it must not be kept."""
    path = tmp_path / "program.py"
    path.write_text(RECURSIVE)
    place = tmp_path / "cache"
    first = run(path, place)
    assert run(path, place) == first
    assert first.split()[:2] == ["64.0", "192.0"]
