"""Accidents of real processes for as long as there is time: ``python -m tests.faults.accidents --minutes 10 --seed 1``.

In turn, each in processes of its own with a cache of its own,

- ``threads``: eight threads call and compile functions while another empties the cache and gives memory back;
- ``interrupts``: SIGINT at random times of a cold first compilation, until one is done;
- ``bits``: one bit of one file of a warm cache is flipped.

Each must end with the right numbers, and no process by a signal. What does not is told.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

FUNCTIONS = """
import signal, sys, threading, time, warnings
import numpy as np
import linad
from linad import linear_grad

X = np.linspace(0.1, 0.9, 7)

def made(k):
    source = lambda x: np.sum(np.sin(x) ** k) + x[0] * k
    def loop(x):
        s = 0.0
        y = x.copy()
        for i in range(1, len(x)):
            y[i] = y[i] * y[i - 1] + k
            s += y[i]
        return s
    return source if k % 2 else loop

def right(k):
    f = made(k)
    value, grad = linear_grad(f).value_and_grad(X)
    h = 1e-6
    far = (f(X + h) - f(X - h)) / (2 * h)
    return abs(value - f(X)) < 1e-9 * abs(value) + 1e-9 and abs(np.sum(grad) - far) < 1e-5 * abs(far) + 1e-5
"""

THREADS = FUNCTIONS + """
from linad.codegen import cache
wrong, until = [], time.monotonic() + SECONDS
done = [0] * 8
def work(me):
    k = me
    while time.monotonic() < until or not done[me]:
        try:
            if not right(k % 12):
                wrong.append(k % 12)
        except Exception as error:
            wrong.append(repr(error))
        done[me] += 1
        k += 5
def purge():
    while time.monotonic() < until:
        cache.shrink(bytes_allowed=-1)
        linad.release_memory()
        time.sleep(0.01)
threads = [threading.Thread(target=work, args=(k,)) for k in range(8)] + [threading.Thread(target=purge)]
warnings.simplefilter("ignore")
for t in threads: t.start()
for t in threads: t.join()
print(sum(done), wrong[:3])
sys.exit(bool(wrong))
"""

INTERRUPTS = FUNCTIONS + """
interrupted = 0
print("ready", flush=True)
while True:
    try:
        ok = right(3) and right(4)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        break
    except KeyboardInterrupt:
        interrupted += 1
print(interrupted)
sys.exit(not ok)
"""

BITS = FUNCTIONS + """
warnings.simplefilter("ignore")
sys.exit(not all(map(right, (3, 4))))
"""


def run(text: str, cache: Path) -> subprocess.Popen:
    file = cache.parent / "program.py"
    file.write_text(text, encoding="utf-8")
    environment = {**os.environ, "LINAD_CACHE_DIR": str(cache), "PYTHONPATH": os.pathsep.join(sys.path)}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen([sys.executable, str(file)], env=environment, **pipes)  # type: ignore[call-overload]


def threads(draw: random.Random, cache: Path) -> str:
    child = run(THREADS.replace("SECONDS", "20"), cache)
    out, err = child.communicate()
    return f"{child.returncode}: {out} {err[-800:]}" if child.returncode else ""


def interrupts(draw: random.Random, cache: Path) -> str:
    child = run(INTERRUPTS, cache)
    child.stdout.readline()  # type: ignore[union-attr]
    for _ in range(draw.randint(1, 12)):
        time.sleep(draw.choice((0.01, 0.1, 1.0)) * draw.random())
        child.send_signal(signal.SIGINT)
    out, err = child.communicate()
    # one that comes after all is computed, before they are ignored, or at the end of the interpreter
    late = child.returncode in (1, -signal.SIGINT) and err.rstrip().endswith("KeyboardInterrupt")
    return f"{child.returncode}: {out} {err[-800:]}" if child.returncode and not late else ""


def bits(draw: random.Random, cache: Path) -> str:
    warm = cache.parent / "warm"
    if not warm.exists():
        warm.mkdir(mode=0o700)
        assert run(BITS, warm).wait() == 0, "wrong even without an accident"
    shutil.copytree(warm, cache, dirs_exist_ok=True)
    file = draw.choice([p for p in sorted(cache.rglob("*")) if p.is_file() and p.stat().st_size])
    data = bytearray(file.read_bytes())
    data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
    file.write_bytes(data)
    child = run(BITS, cache)
    _, err = child.communicate()
    return f"{file.relative_to(cache)}: {child.returncode}: {err[-800:]}" if child.returncode else ""


ACCIDENTS = {"threads": threads, "interrupts": interrupts, "bits": bits}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.faults.accidents", description="Accidents of processes.")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=ACCIDENTS)
    options = parser.parse_args()
    draw, until = random.Random(options.seed), time.monotonic() + 60 * options.minutes
    counts: Counter[str] = Counter()
    found = 0
    with tempfile.TemporaryDirectory() as folder:
        while time.monotonic() < until:
            for name in [options.only] if options.only else ACCIDENTS:
                cache = Path(folder) / "cache"
                cache.mkdir(mode=0o700)
                told = ACCIDENTS[name](draw, cache)
                shutil.rmtree(cache)
                counts[name] += 1
                if told:
                    found += 1
                    print(f"{name}: {told}", flush=True)
    print(f"{', '.join(f'{n} {name}' for name, n in counts.items())}; {found} wrong")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
