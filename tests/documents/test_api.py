"""The page of the public interface: up to date, complete, and made of docstrings that say what they should."""

import ast
import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import linad
import pytest
from linad import linear_grad, testing
from linad.decorator import LinearGrad

from . import api

PAGE = api.ROOT / "docs" / "reference" / "api.md"
NAMES = [name for _, names in api.PAGE for name in names]
CALLABLE = [n for n in NAMES if not inspect.isclass(api.found(n))]
METHODS = [n for n, value in api.members(LinearGrad) if not isinstance(value, property)]


def documented() -> str:
    return PAGE.read_text(encoding="utf-8")


def test_the_page_is_up_to_date(request):
    if request.config.getoption("--regenerate"):
        PAGE.write_text(api.page(), encoding="utf-8")
    assert documented() == api.page(), "pytest tests/documents --regenerate"


def test_every_public_name_is_on_the_page():
    public = {*linad.__all__, *(f"testing.{n}" for n in testing.__all__)}
    assert public <= set(NAMES)
    assert all(f"### `linad.{name}" in documented() for name in NAMES)


def test_every_option_is_on_the_page():
    text = api.about("linear_grad")
    options = [p.name for p in inspect.signature(linear_grad).parameters.values() if p.kind is p.KEYWORD_ONLY]
    assert options and all(f"- `{name}` (" in text for name in options)


def test_every_attribute_of_a_checked_function_is_on_the_page():
    @linear_grad
    def f(x: float) -> float:
        return x

    text = api.about("LinearGrad")
    public = [n for n in dir(f) if not n.startswith("_")]
    assert [n for n in public if f"- `{n}` (" not in text and f"#### `f.{n}" not in text] == []


def asked(file: Path) -> Iterator[str]:
    """The environment variables that a file reads: ``environ.get(x)``, ``environ[x]``, ``x in environ``."""
    text = file.read_text(encoding="utf-8")
    if "os.environ" not in text:
        return
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Attribute(attr="environ")), args=[name, *_]):
                pass
            case ast.Subscript(value=ast.Attribute(attr="environ"), slice=name):
                pass
            case ast.Compare(left=name, comparators=[ast.Attribute(attr="environ")]):
                pass
            case _:
                continue
        if isinstance(name, ast.Constant):
            yield name.value
        elif ast.unparse(name).isupper():  # a name of the module; others go through variables of the system
            start = "linad" if "linad_typecheck" not in file.parts else "linad_typecheck"
            dotted = ".".join(file.with_suffix("").parts[file.parts.index(start, len(api.ROOT.parts)) :])
            yield getattr(import_module(dotted), ast.unparse(name))


def test_every_environment_variable_is_on_the_page():
    files = [file for folder in ("linad", "typecheck/linad_typecheck") for file in (api.ROOT / folder).rglob("*.py")]
    read = {name for file in files for name in asked(file) if name.startswith("LINAD_")}
    assert read >= {"LINAD_CACHE", "LINAD_CACHE_DIR", "LINAD_CACHE_LIMIT", "LINAD_LSP_LOG"}
    assert [n for n in sorted(read) if f"`{n}`" not in documented()] == []


@pytest.mark.parametrize("name", [*CALLABLE, *(f"LinearGrad.{n}" for n in METHODS)])
def test_docstrings_name_the_parameters_and_have_an_example(name):
    value = getattr(LinearGrad, name.removeprefix("LinearGrad.")) if name.startswith("LinearGrad.") else api.found(name)
    parts = dict(api.sections(value))
    assert parts[""] and ("Examples" in parts or name == "LinearGrad.specialisation")
    taken = [p for p in inspect.signature(value).parameters.values() if p.name != "self"]
    heads = re.findall(r"^(\S.*?)(?: : .*)?$", parts.get("Parameters", ""), re.MULTILINE)
    assert sorted(p.name for p in taken) == sorted(n.strip(" *") for head in heads for n in head.split(","))
