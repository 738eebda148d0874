"""Programs as scientists write them, on every road: what is accepted agrees, and what is refused is on the list."""

import inspect

import pytest

from ..strategies import Program
from . import programs_captures, programs_lists, programs_models, programs_pictures, programs_small_loops
from .judge import judge

MODULES = (programs_pictures, programs_lists, programs_models, programs_small_loops, programs_captures)
REFUSED = {  # with what is said of it
    "aug_tuple": "arithmetic is on scalars",
    "bools": "both sides must have one type",
    "exc2": "`try`",
    "list_item_update": "that a list holds",
    "rows_list": "after its array was updated",
    "rows_list_scratch": "after its array was updated",
    "two_names_loop": "after its array was updated",
    "closure_late_binding": "has no value or is hidden",
    "mutable_default": "this default",
}


def cases():
    for m in MODULES:
        for name, given in m.CASES.items():
            for k, args in enumerate(given if isinstance(given, list) else [given]):
                yield pytest.param(m, name, args, id=f"{name}-{k}")


@pytest.mark.one_in(24)
@pytest.mark.parametrize("module,name,args", [*cases()])
def test_programs(module, name, args):
    text = f"{inspect.getsource(module)}\n\nf = {name}\n"
    told = judge(Program(text, args, single=name == "f32_mix"), depth="derivative")
    assert told in ("agrees", "raises") if name not in REFUSED else REFUSED[name] in told, told


def test_the_list_of_refusals_is_of_these_programs():
    assert REFUSED.keys() <= {name for m in MODULES for name in m.CASES}
