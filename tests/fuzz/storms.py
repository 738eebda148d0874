"""Storms of edits through a session of the language server: what an editor sends while somebody types, pastes, undoes
and leaves things half done. No answer is late, none points outside of the text, and nothing is an internal error."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from typing import Any

from linad_typecheck.lsp.convert import Client
from linad_typecheck.lsp.positions import Lines
from linad_typecheck.lsp.session import Session

from .corpus import HEAD, texts
from .test_damaged import DAMAGES, STRANGE

EDITS = 30  # in one storm
SECONDS = 0.5  # of the processor, for an answer
DERIVED = 4.0  # for one that needs the derivative of a function, once per text: ten times what it takes where nothing else runs
URI = "file:///somewhere/program.py"
ENCODINGS = ("utf-16", "utf-8", "utf-32")
TYPED = (
    "x",
    "(",
    ")",
    "[",
    ":",
    "\n",
    "    ",
    ".",
    "=",
    "0",
    '"',
    "#",
    "return ",
    "for i in range(n):\n",
    "import ",
    "def ",
    "u = v",
    " if ",
    "@",
)


def change(text: str, rng: random.Random, undo: list[str]) -> tuple[int, int, str]:
    """An edit: the offsets of what goes, and what comes in its place."""
    a = rng.randrange(len(text) + 1)
    match rng.randrange(7):
        case 0 | 1:
            return a, a, rng.choice(TYPED)
        case 2:
            return a, min(len(text), a + rng.choice([1, 1, 4, 40, 400])), ""
        case 3:
            start = rng.randrange(len(text) + 1)
            return a, a, text[start : start + rng.choice([5, 50, 500])]
        case 4:
            return a, min(len(text), a + 1), rng.choice(STRANGE)
        case 5 if undo:
            return 0, len(text), undo.pop(rng.randrange(len(undo)))
        case _:
            return 0, len(text), rng.choice(DAMAGES)(text, rng) or HEAD


def ranges(found: Any) -> Iterator[dict]:
    """Every range in an answer, with those of other files left out."""
    if isinstance(found, dict):
        if found.get("uri", URI) == URI:
            for key, value in found.items():
                if key == "range" and value:
                    yield value
                elif key == "position":
                    yield {"start": value, "end": value}
                else:
                    yield from ranges(value)
    elif isinstance(found, list | tuple):
        for part in found:
            yield from ranges(part)


def storm(rng: random.Random) -> Iterator[str]:
    """Edits one after the other; the text at each, which is right if nothing is raised."""
    encoding = rng.choice(ENCODINGS)
    client = Client(related=True, markdown=True, literal_actions=True, tags=True, encoding=encoding)
    session, text, undo = Session(client), rng.choice(texts()), []
    session.open(URI, text, 0)
    for version in range(1, EDITS + 1):
        a, b, new = change(text, rng, undo)
        undo.append(text)
        del undo[:-5]
        lines = Lines(text)
        where = {"start": position(lines, text, a, encoding), "end": position(lines, text, b, encoding)}
        session.change(
            URI,
            [{"range": where, "text": new}] if rng.random() < 0.8 else [{"text": text[:a] + new + text[b:]}],
            version,
        )
        text = session.documents[URI].text
        yield text
        ask(session, text, rng, encoding)


def position(lines: Lines, text: str, offset: int, encoding: str) -> dict[str, int]:
    """A place of a text as a client says it; within a line that ends in strange ways, nearly."""
    before = text[:offset]
    line = before.count("\n")
    last = before.rpartition("\n")[2]
    units = {
        "utf-8": len(last.encode("utf-8", "surrogatepass")),
        "utf-16": len(last.encode("utf-16-le", "surrogatepass")) // 2,
        "utf-32": len(last),
    }
    return {"line": line, "character": units[encoding]}


def ask(session: Session, text: str, rng: random.Random, encoding: str) -> None:
    """Diagnostics until they are all there, and some of what else an editor asks for, also outside of the text."""
    complete = False
    while not complete:
        found, complete = timed(lambda: session.diagnostics(URI, 0.05))
    assert "internal-error" not in str(found), found
    place = {"line": rng.randrange(text.count("\n") + 3), "character": rng.randrange(90)}
    whole = {"start": {"line": 0, "character": 0}, "end": place}
    answers = [found]
    questions = [
        (lambda: session.hover(URI, place), DERIVED), (lambda: session.hints(URI, whole), DERIVED),
        (lambda: session.definition(URI, place), SECONDS), (lambda: session.actions(URI, whole), SECONDS),
        (lambda: session.pulled(URI, None), SECONDS),
    ]  # fmt: skip
    answers += [timed(question, seconds) for question, seconds in rng.sample(questions, 2)]
    ends = [
        len(line.encode("utf-8", "surrogatepass"))
        for line in (*text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), "")
    ]
    for r in ranges(answers):
        start, end = r["start"], r["end"]
        assert (start["line"], start["character"]) <= (end["line"], end["character"]), r
        assert end["line"] < len(ends) and end["character"] <= ends[end["line"]], (
            r,
            len(ends),
            ends[min(end["line"], len(ends) - 1)],
        )


def timed(question: Any, seconds: float = SECONDS) -> Any:
    started = time.process_time()
    found = question()
    took = time.process_time() - started
    assert took < seconds, f"an answer took {took:.2f} s"
    return found
