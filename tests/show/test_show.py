"""Stages, the table and explanations of core programs whose statements have the lines of a small text."""

from dataclasses import replace

import pytest
from linad_typecheck.ir.core import If, Loop, Program, Stmt
from linad_typecheck.ir.text import parse_program, print_program
from linad_typecheck.ir.verify import verify
from linad_typecheck.span import Span

from linad.pipeline import differentiate, prepare
from linad.show.explain import explain_program
from linad.show.stages import STAGES, stage_of

GATHER = """
entry fn loss(x: read f64[:], idx: read i64[:], w: own f64) -> f64 {
  n = dim &idx 0
  m = dim &x 0
  for k in range(n) carry (s: f64 = 0.0) -> (s.3) {
    i = load &idx [k]
    j = wrap i m
    e = load &x [j]
    e2 = powi e 2
    t = mul w e2
    s.2 = add s t
    yield s.2
  }
  return s.3
}
"""
LINES = {
    1: "def loss(x, idx, w):",
    2: "    s = 0.0",
    3: "    for k in range(len(idx)):",
    4: "        s += w * x[idx[k]] ** 2",
    5: "    return s",
}


def spanned(program: Program, line_of: dict[str, int]) -> Program:
    """The program with statements at the lines of what they define; inner ones at that of their loop else."""

    def visit(s: Stmt, line: int) -> Stmt:
        names = [v.name for v in getattr(s, "outs", ())] + [getattr(getattr(s, "out", None), "name", "")]
        line = next((line_of[n] for n in names if n in line_of), line)
        s = replace(s, span=Span("f.py", line, 1, line, 2))
        match s:
            case Loop():
                inner = line_of.get(s.index.name, line)
                return replace(s, body=replace(s.body, stmts=tuple(visit(t, inner) for t in s.body.stmts)))
            case If():
                return replace(
                    s,
                    then=replace(s.then, stmts=tuple(visit(t, line) for t in s.then.stmts)),
                    orelse=replace(s.orelse, stmts=tuple(visit(t, line) for t in s.orelse.stmts)),
                )
        return s

    f = program.main
    body = replace(f.body, stmts=tuple(visit(s, 2) for s in f.body.stmts))
    return program.with_main(replace(f, body=body, span=Span("f.py", 1, 1, 5, 2)))


@pytest.fixture
def gather() -> Program:
    return spanned(parse_program(GATHER), {"n": 3, "s.3": 3, "k": 4})


def test_every_stage_prints(gather):
    for stage in STAGES:
        text = str(stage_of(gather, stage, source=LINES))
        assert text.strip(), stage
        assert stage_of(gather, stage, source=LINES)._repr_html_().startswith("<")


def test_core_stages_are_programs(gather):
    for stage in ("lowered", "linear", "reverse", "stored", "simplified"):
        again = parse_program(str(stage_of(gather, stage)))
        assert not verify(again, linear=stage == "linear"), stage
        assert print_program(again) == str(stage_of(gather, stage))


def test_reverse_logs_what_the_plan_does_not(gather):
    assert "log_" in str(stage_of(gather, "reverse"))
    assert "log_" not in str(stage_of(gather, "stored"))


def test_unknown_stage(gather):
    with pytest.raises(ValueError, match="no stage 'tape'"):
        stage_of(gather, "tape")


def test_table_puts_the_adjoint_beside_its_line(gather):
    table = stage_of(gather, "table", source=LINES)
    update = next(r for r in table.rows if r.number == 4)
    assert update.primal == "        s += w * x[idx[k]] ** 2"
    assert any(t.strip().startswith("x_bar[j] += ") for t in update.adjoint)
    assert any("w_bar" in t for t in update.adjoint)
    assert next(r for r in table.rows if r.number == 5).adjoint == ()


def test_table_reads_upwards(gather):
    """What runs first in reverse stands last in a cell."""
    table = stage_of(gather, "table", source=LINES)
    (lines,) = [[t.strip() for t in r.adjoint] for r in table.rows if r.number == 4]
    order = [next(k for k, t in enumerate(lines) if t.startswith(start)) for start in ("w_bar", "x_bar[j]")]
    assert order == sorted(order)


def test_table_keeps_to_its_width(gather):
    text = stage_of(gather, "table", source=LINES).text(64)
    assert max(map(len, text.splitlines())) <= 64
    assert "read downwards" in text and "read upwards" in text
    assert {len(line) for line in text.splitlines()} == {len(text.splitlines()[0])}


def test_explanation(gather):
    text = explain_program("loss", gather, ("x", "w"), LINES)
    assert [r.kind for r in text.on(3)].count("loop") == 1
    assert "sum, merged" in str(text)
    assert any(r.kind == "index check" for r in text.on(4))


def test_explanation_counts_words():
    program = spanned(
        parse_program("""
entry fn f(x: read f64[:], w: f64) -> f64 {
  n = dim &x 0
  for i in range(n) carry (s: f64 = w) -> (s.3) {
    e = load &x [i]
    t = mul s e
    s.2 = sin t
    yield s.2
  }
  return s.3
}
"""),
        {"s.3": 3, "i": 4},
    )
    text = explain_program("f", program, ("x", "w"), {})
    (loop,) = [r for r in text.remarks if r.kind == "loop"]
    assert loop.text == "sequential, reversed: 1 word logged per iteration"
    assert [r.text for r in text.remarks if r.kind == "logged"] == ["s, 1 word per iteration"]
    g = differentiate(prepare(program), ("x", "w"))
    assert print_program(g.stored).count("= alloc f64 [trips]") == 1
