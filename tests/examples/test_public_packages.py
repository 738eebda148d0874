"""Functions of public packages, unchanged: where a package is not installed, its function is skipped, by name."""

import re
import warnings
from pathlib import Path

import pytest

from examples.public_packages import ROWS, difference, function_of

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "public-packages.md"


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.function)
def test_the_derivative_is_that_of_the_function(row):
    pytest.importorskip(row.function.partition(".")[0], reason=f"{row.function}: the package is not installed", exc_type=ImportError)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        function_of(row)
        ours, theirs = difference(row)
    assert ours == pytest.approx(theirs, rel=1e-5)


def test_the_page_names_each_with_its_licence():
    told = re.findall(r"^\| `([\w.]+)` \| ([\w.-]+) \| (.*) \|$", PAGE.read_text(encoding="utf-8"), re.M)
    assert told == [(row.function, row.licence, row.what) for row in ROWS]
