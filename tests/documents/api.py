"""`docs/reference/api.md`: the docstrings of the public names, which are numpydoc, as Markdown."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType

import linad
from linad import testing
from linad.cost import Cost
from linad.decorator import LinearGrad

ROOT = Path(__file__).parents[2]
ENTRIES = ("Parameters", "Returns", "Raises", "Attributes")  # sections of entries: a name, and indented text about it
SECTION = re.compile(r"^(\S.*)\n-{3,}\n", re.MULTILINE)
LITERAL = re.compile(r"::\n\n((?: {4}.*\n?)+)")
WIDTH = 118

PAGE = (
    ("The decorator", ("linear_grad",)),
    ("Library functions of your own", ("implements",)),
    ("Checked functions", ("LinearGrad",)),
    (
        "Functions of functions",
        (
            *("grad", "value_and_grad", "vjp", "jvp", "linearize", "linear_transpose", "jacfwd", "jacrev", "jacobian"),
            *("value_and_jacobian", "hessian", "hvp", "vmap", "sparsity", "stop_gradient", "custom_vjp", "custom_jvp"),
            "rule",
        ),
    ),
    ("Combinators", ("build", "map", "sum", "reduce", "fold", "scanl", "scanr", "shift1l", "shift1r")),
    ("Checkpointing", ("checkpoint",)),
    ("Looking at a function", ("show", "explain", "cost", "cost.Cost")),
    ("Memory", ("release_memory",)),
    ("Errors and warnings", ("LinadError", "LinadWarning", "ZeroGradientWarning")),
    ("SciPy: linad.interop.scipy", ("interop.scipy.flat",)),
    ("Tests of your own: linad.testing", tuple(f"testing.{n}" for n in sorted(testing.__all__))),
)
FIRST = """# The public interface

Generated from the docstrings by `pytest tests/documents --regenerate`; their examples are run as tests, after
`import numpy as np`, `import linad`, `from linad import linear_grad` and, where they are about it,
`from linad.testing import *`. What is not here is not public.

On the command line there are `linad check` and `linad explain` ([checking](../howto/checking.md)), `linad show`, `linad cache`,
`linad doctor` and `linad lsp` ([editors](../howto/editors/index.md)). [Supported functions](functions.md) has what may be called
inside of checked functions.
"""


def found(name: str) -> object:
    """The object of a name on the page."""
    if name == "cost.Cost":
        return Cost
    value: object = linad
    for last in name.split("."):
        value = getattr(value, last)
    return getattr(value, last) if inspect.ismodule(value) else value  # `linad.cost` is also a module


def signature(name: str, value: object) -> str:
    """As one writes a call, without annotations, which the parameters have."""
    if inspect.isclass(value):
        return name
    given = inspect.signature(value)
    parameters = [p.replace(annotation=p.empty) for p in given.parameters.values() if p.name != "self"]
    plain = str(given.replace(parameters=parameters, return_annotation=inspect.Signature.empty))
    return name + re.sub(r"<class '(.*?)'>", r"\1", plain)


def sections(value: object) -> Iterator[tuple[str, str]]:
    """The parts of a docstring by title, the text before the first without one."""
    parts = SECTION.split(inspect.cleandoc(value.__doc__ or ""))
    yield "", parts[0].strip()
    yield from zip(parts[1::2], (text.strip("\n") for text in parts[2::2]), strict=True)


def markdown(text: str) -> str:
    """A paragraph: one kind of code, and indented blocks behind ``::`` fenced."""
    text = LITERAL.sub(lambda m: f":\n\n```python fragment\n{inspect.cleandoc(m[1])}\n```\n", text)
    return re.sub(r"(?<!`)``(?!`)", "`", text).strip()


def entries(text: str) -> str:
    """``name : type`` and indented lines, as a list."""
    lines = []
    for entry in re.split(r"\n(?=\S)", text):
        head, _, more = entry.partition("\n")
        name, _, kind = head.partition(" : ")
        names = f"`{name}`" if "(" in name else ", ".join(f"`{n}`" for n in name.split(", "))
        about = " ".join(inspect.cleandoc(more).split())
        said = (f" ({markdown(kind)})" if kind else "") + (f": {markdown(about)}" if about else "")
        wrapped = textwrap.wrap(names + said, WIDTH, break_long_words=False, break_on_hyphens=False)
        lines.append("- " + "\n  ".join(wrapped))
    return "\n".join(lines)


def body(value: object) -> str:
    """A docstring as Markdown."""
    parts = []
    for title, text in sections(value):
        if title == "Examples":
            parts.append(f"```pycon\n{text}\n```")
        elif title in ENTRIES:
            parts.append(f"**{title}**\n\n{entries(text)}")
        elif title:
            parts.append(f"**{title}**\n\n{markdown(text)}")
        else:
            parts.append(markdown(text))
    return "\n\n".join(p for p in parts if p)


def members(cls: type) -> Iterator[tuple[str, object]]:
    """The public methods and properties of a class, its own after those that it inherits, in the order of the text."""
    found = {name: getattr(cls, name) for c in reversed(cls.__mro__) for name in vars(c) if not name.startswith("_")}
    yield from ((name, value) for name, value in found.items() if isinstance(value, FunctionType | property))


def about(name: str) -> str:
    """The part of the page about one public name."""
    value = found(name)
    parts = [f"### `linad.{signature(name, value)}`", body(value)]
    if value is LinearGrad:
        for member, of in members(value):
            shown = f"f.{member}" if isinstance(of, property) else signature(f"f.{member}", of)
            parts += [f"#### `{shown}`", body(of.fget if isinstance(of, property) else of)]
    return "\n\n".join(parts)


def page() -> str:
    """The document."""
    parts = [FIRST.rstrip()]
    for title, names in PAGE:
        parts += [f"## {title}", *map(about, names)]
    for title, text in sections(linad):
        if title:
            parts += [f"## {title}", entries(text) if title == "Environment variables" else markdown(text)]
    return "\n\n".join(parts) + "\n"
