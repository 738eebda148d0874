"""The table of diagnostic codes. A code is never reused. Pages, JSON schema and `linad explain` are generated from
it."""

from __future__ import annotations


from .diagnostics import Severity
from .frozen import frozen


@frozen(slots=True)
class Code:
    code: str
    slug: str
    severity: Severity
    summary: str


_ROWS: tuple[tuple[str, str, Severity, str], ...] = (
    # 1xx ownership
    ("LIN101", "use-after-move", "error", "a name is used after its array was taken over by another name"),
    ("LIN102", "moved-in-loop", "error", "an iteration moves an array that the next one uses again"),
    (
        "LIN103",
        "moved-on-some-paths",
        "error",
        "a name means different arrays on different paths while one is still in use",
    ),
    ("LIN104", "alias-escapes", "error", "an array of the caller would be moved, or bound to a name that is updated"),
    ("LIN105", "returned-twice", "error", "one array is returned twice"),
    ("LIN106", "overlapping-arguments", "error", "an array that a call updates is passed to it twice"),
    ("LIN107", "argument-updated", "error", "an entry function updates an argument without declaring it"),
    ("LIN108", "captured-array-updated", "error", "an array of the module is updated"),
    ("LIN109", "stored-twice", "error", "an array is updated that a tuple or record holds in two places"),
    ("LIN110", "conflicting-updates", "error", "arrays that may be one are updated under two names"),
    ("LIN111", "shared-update", "warning", "an array that was updated under one name is used under another"),
    # 2xx language
    ("LIN201", "unsupported", "error", "a construct outside the language"),
    ("LIN202", "unknown-name", "error", "a name that is defined nowhere"),
    ("LIN203", "unknown-function", "error", "a library function that has no meaning here"),
    ("LIN204", "maybe-undefined", "warning", "a variable may be undefined where it is used"),
    ("LIN205", "undefined", "error", "a variable is used before any path gives it a value"),
    ("LIN206", "bad-call", "error", "the arguments of a call do not fit the function"),
    ("LIN207", "mixed-returns", "error", "paths return values that do not fit together"),
    ("LIN208", "bad-option", "error", "an option of the decorator does not fit the function"),
    ("LIN209", "syntax-error", "error", "the text is not Python"),
    ("LIN210", "unused-suppression", "warning", "a `linad: ignore` comment that silences nothing"),
    ("LIN211", "no-source", "error", "the text of a function cannot be found"),
    ("LIN212", "source-changed", "error", "the text of a function is no longer what Python runs"),
    ("LIN213", "impure-call", "error", "a call that reads or changes something outside the function"),
    ("LIN214", "captured-global", "error", "a value of the module that is no number and no array"),
    # 3xx types and shapes
    ("LIN301", "wrong-type", "error", "an operation on operands it is not defined for"),
    ("LIN302", "wrong-rank", "error", "an array is indexed with the wrong number of indices"),
    ("LIN303", "type-changes", "error", "a variable changes its type between branches or iterations"),
    ("LIN304", "float-truncated", "warning", "a float is stored in an integer array"),
    ("LIN305", "sizes-differ", "error", "two sizes that must agree never do"),
    (
        "LIN306",
        "unsupported-annotation",
        "information",
        "an annotation that is not a type of the language counts as absent",
    ),
    ("LIN307", "variadic-dimension", "information", "an annotation leaves the number of dimensions open"),
    # LIN308, union-annotation, existed while a parameter had a single type
    ("LIN309", "bad-dimension", "information", "a dimension of an annotation that is not a size"),
    ("LIN310", "too-many-dimensions", "information", "an annotation with more than eight dimensions"),
    ("LIN311", "return-mismatch", "warning", "what a function returns is not what its annotation says"),
    # 4xx derivatives
    ("LIN401", "no-gradient", "error", "a gradient by something that is not a float parameter"),
    ("LIN402", "non-scalar-loss", "error", "a gradient of a function whose result is not one float"),
    ("LIN403", "zero-gradient", "warning", "a parameter reaches the result through no derivative"),
    ("LIN404", "update-lost", "warning", "a result or an update that nothing reads"),
    ("LIN405", "bad-rule", "error", "the functions of a custom rule do not fit the function that they are for"),
    ("LIN406", "not-linear", "error", "a custom rule, or a function to be transposed, that is not linear"),
    ("LIN407", "not-printed", "warning", "a `print` that has no effect"),
    # 5xx cost: facts, reported on request
    ("LIN501", "value-logged", "information", "a value is written down for the reverse sweep"),
    ("LIN502", "log-grows", "information", "the log of a while loop grows as long as it runs"),
    ("LIN503", "log-size", "information", "what a loop logs per iteration"),
    ("LIN504", "loop-in-order", "information", "the iterations of a loop cannot run at once"),
    ("LIN505", "array-copied", "information", "an array is copied where the text has no copy"),
    # 9xx internal
    ("LIN901", "internal-error", "error", "a defect of linad itself"),
)

CODES: dict[str, Code] = {slug: Code(code, slug, severity, summary) for code, slug, severity, summary in _ROWS}
