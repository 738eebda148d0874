"""Places in the three encodings, against Python's own encoders."""

from hypothesis import given, settings
from hypothesis import strategies as st
from linad_typecheck.lsp.positions import ENCODINGS, Lines, edited, negotiated, points, units

from tests.examples_of import quick

CODECS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}
TEXTS = st.text(st.sampled_from("ab \t\f\u2028\u00e9\u4e2d\U0001f600\n\r\u0301"), max_size=40)


def encoded(text: str, encoding: str) -> int:
    codec, size = CODECS[encoding]
    return len(text.encode(codec)) // size


@quick(100)
@given(TEXTS, st.sampled_from(ENCODINGS))
def test_units_are_what_an_encoder_counts(text, encoding):
    assert units(text, encoding) == encoded(text, encoding)
    for k in range(len(text) + 1):
        assert points(text, units(text[:k], encoding), encoding) == k


@quick(100)
@given(TEXTS, st.sampled_from(ENCODINGS), st.data())
def test_edits_are_slices(text, encoding, data):
    a = data.draw(st.integers(0, len(text)))
    b = data.draw(st.integers(a, len(text)))
    if text[a - 1 : a + 1] == "\r\n" or text[b - 1 : b + 1] == "\r\n":
        return  # no client can name the place inside a line end

    def place(offset: int) -> tuple[int, int]:
        before = text[:offset].replace("\r\n", "\n").replace("\r", "\n")
        line = before.count("\n")
        return line, encoded(before.rpartition("\n")[2], encoding)

    assert edited(text, place(a), place(b), "new", encoding) == text[:a] + "new" + text[b:]


@quick(100)
@given(TEXTS, st.sampled_from(ENCODINGS), st.integers(-2, 60), st.integers(-2, 60))
def test_any_place_is_taken(text, encoding, line, character):
    """Clients may name places that are not there."""
    lines = Lines(text)
    assert 0 <= lines.offset(line, character, encoding) <= len(text)
    number, column = lines.place(line, character, encoding)
    assert column >= 1
    lines.client(number, column, encoding)


@settings(max_examples=1)
@given(st.none())
def test_a_place_inside_a_character_lies_before_it(_):
    assert [points("a\U0001f600b", k, "utf-16") for k in range(5)] == [0, 1, 1, 2, 3]
    assert [points("\u00e9", k, "utf-8") for k in range(3)] == [0, 0, 1]


def test_negotiation():
    assert negotiated(None) == negotiated([]) == negotiated(["utf-7"]) == "utf-16"
    assert negotiated(["utf-8", "utf-16"]) == "utf-8"
    assert negotiated(["utf-7", "utf-32", "utf-8"]) == "utf-32"
