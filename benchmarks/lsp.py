"""What somebody who types waits for: the first diagnostics of a file of 1,000 lines, and those after a keystroke.

The clock runs outside the server, from the start of its process and from the moment a change is sent, to the moment the
answer is read.
"""

from __future__ import annotations

import atexit
import json
import os
import queue
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from functools import cache
from typing import Any

from benchmarks.startup import Wait

LINES = 1000
KEYSTROKES = 30
TRIES = 5
SERVER = [sys.executable, "-m", "linad_typecheck.cli", "lsp"]
URI = "file:///nowhere/kernels.py"

HEADER = "import math\nimport numpy as np\nfrom jaxtyping import Float64\nfrom linad import linear_grad\n"
FUNCTIONS = """

def scale_{k}(a, w):
    for i in range(len(a)):
        a[i] = a[i] * w + {k}.0


@linear_grad
def kernel_{k}(x: Float64[np.ndarray, "n"], w: float) -> float:
    u = x.copy()
    v = np.zeros(len(x))
    scale_{k}(u, w)
    for t in range({k} + 2):
        for i in range(1, len(x) - 1):
            d = 0.5 * (u[i - 1] - 2.0 * u[i] + u[i + 1])
            if d > 0.0:
                d = math.tanh(d)
            v[i] = u[i] + w * d
        u, v = v, u
    s = 0.0
    for i in range(len(x)):
        s += u[i] ** 2 / (1.0 + x[i] ** 2)
    return math.sqrt(s)
"""


def program(lines: int = LINES) -> str:
    """A module of so many lines: kernels of loops and branches with helpers of their own, the first and the last one with an
    ownership error."""
    text, k = HEADER, 0
    while text.count("\n") < lines:
        text += FUNCTIONS.replace("{k}", str(k))
        k += 1
    wrong = "    v = u\n    v[0] = 1.0\n    s = u[0]\n"
    before, first, rest = text.partition("    s = 0.0\n")
    rest, last, after = rest.rpartition("    s = 0.0\n")
    return before + wrong + rest + wrong + after


@cache
def environment() -> dict[str, str]:
    """The environment of a server whose modules are compiled to byte code, as they are where pip has installed it."""
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, True)
    found = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"} | {"PYTHONPYCACHEPREFIX": folder}
    subprocess.run([*SERVER], input=b"", env=found, stdout=subprocess.DEVNULL)  # noqa: PLW1510
    return found


class Conversation:
    """An editor, as far as a clock needs one."""

    def __init__(self) -> None:
        env = environment()
        self.began = time.perf_counter()
        self.process = subprocess.Popen(SERVER, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env)
        self.heard: queue.Queue[tuple[float, dict[str, Any]]] = queue.Queue()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        out = self.process.stdout
        while line := out.readline():
            if not line.lower().startswith(b"content-length"):
                continue
            while out.readline().strip():
                pass
            message = json.loads(out.read(int(line.split(b":")[1])))
            self.heard.put((time.perf_counter(), message))

    def say(self, method: str, params: object, number: int | None = None) -> float:
        message = {"jsonrpc": "2.0", "method": method, "params": params} | ({} if number is None else {"id": number})
        data = json.dumps(message).encode()
        now = time.perf_counter()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
        self.process.stdin.flush()
        return now

    def open(self, text: str) -> None:
        self.say("initialize", {"processId": None, "rootUri": None, "capabilities": {}}, 1)
        while self.heard.get(timeout=30)[1].get("id") != 1:
            pass
        self.say("initialized", {})
        self.say(
            "textDocument/didOpen", {"textDocument": {"uri": URI, "languageId": "python", "version": 1, "text": text}}
        )

    def diagnostics(self, version: int) -> tuple[float, list[dict[str, Any]]]:
        """When the diagnostics of a version came, or of a later one, which has taken its place; and which."""
        while True:
            at, message = self.heard.get(timeout=30)
            params = message.get("params") or {}
            if message.get("method") == "textDocument/publishDiagnostics" and params["version"] >= version:
                return at, params["diagnostics"]

    def close(self) -> None:
        self.say("shutdown", None, 2)
        self.say("exit", None)
        self.process.wait(10)


def first() -> tuple[float, float]:
    """Seconds from the start of the server's process to the first diagnostics, and to those of the whole file."""
    c = Conversation()
    c.open(program())
    at, found = c.diagnostics(1)
    assert {d["code"] for d in found} == {"LIN111"}, found
    whole = at
    while len(found) < 2:
        whole, found = c.diagnostics(1)
    c.close()
    return at - c.began, whole - c.began


def keystrokes(count: int = KEYSTROKES) -> list[float]:
    """Seconds from each of so many keystrokes, in the middle of the file, to the diagnostics of what is there then."""
    text = program()
    lines = text.splitlines()
    line = next(k for k in range(len(lines) // 2, len(lines)) if "v[i] = u[i] + w * d" in lines[k])
    end = len(lines[line])
    c = Conversation()
    c.open(text)
    c.diagnostics(1)
    took = []
    typed = " + q9"  # a name that is nowhere: the diagnostics change as it is typed
    version = 1
    time.sleep(1.0)  # the rest of the server is loaded behind the first answer
    for k in range(count + 2):
        version += 1
        at = {"line": line, "character": end + k % len(typed)}
        change = {"range": {"start": at, "end": at}, "text": typed[k % len(typed)]}
        if k and k % len(typed) == 0:
            start = {"line": line, "character": end}
            change = {"range": {"start": start, "end": {"line": line, "character": end + len(typed)}}, "text": typed[0]}
        sent = c.say(
            "textDocument/didChange", {"textDocument": {"uri": URI, "version": version}, "contentChanges": [change]}
        )
        took.append(c.diagnostics(version)[0] - sent)
        time.sleep(0.03)
    c.close()
    return took[2:]


def measure() -> Iterator[Wait]:
    """The two waits, as medians, and the slowest keystroke."""
    waits = [first() for _ in range(TRIES + 1)][1:]  # the first one fills the cache of byte code
    shown, whole = (statistics.median(w[k] for w in waits) for k in (0, 1))
    yield Wait(f"first diagnostics of {LINES:,} lines, from the start of the server", shown, 0.3)
    yield Wait("all diagnostics of them", whole, None)
    took = keystrokes()
    yield Wait(f"diagnostics after a keystroke in {LINES:,} lines", statistics.median(took), 0.06)
    yield Wait("the slowest of these keystrokes", max(took), None)
