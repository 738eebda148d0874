"""Run the chunks of a loop on Numba's threads, by one call of Numba's scheduler instead of compiled code per loop.

The scheduler divides tasks among threads and passes each thread the index of its first task. Here each thread has one
task, so the index is its number. The data common to all chunks is on the stack of the caller, which waits.
"""

from __future__ import annotations

from dataclasses import dataclass

from llvmlite import ir

from ..numba_compat import CompileResult, cgutils
from .protocols import Lowered

WORD = ir.IntType(64)
BYTES = ir.IntType(8).as_pointer()
TASK = ir.FunctionType(ir.VoidType(), [BYTES.as_pointer(), WORD.as_pointer(), WORD.as_pointer(), BYTES])
DIVIDE = ir.FunctionType(ir.VoidType(), [BYTES] * 5 + [WORD] * 3)
DONE, CHUNKS, TASKS, GIVEN = range(4)  # fields of the shared data; the arguments of a chunk, except its number, follow


@dataclass(frozen=True, eq=False)
class Chunk:
    """The compiled function of one chunk, as called by a parallel loop."""

    compiled: CompileResult


def spread(home: Lowered, chunk: Chunk, values: list[ir.Value]) -> ir.Value:
    """Run ``values[0]`` chunks and return the number that ran to completion. The other values are the arguments of each
    chunk after its number."""
    builder, module = home.builder, home.builder.module
    compiled = chunk.compiled
    home.context.add_linking_libs([compiled.library])
    chunks, *others = values
    shared = ir.LiteralStructType([WORD, WORD, WORD, *(v.type for v in others)])
    threads = builder.call(cgutils.get_or_insert_function(module, ir.FunctionType(WORD, []), "get_num_threads"), [])
    tasks = builder.select(builder.icmp_signed("<", chunks, threads), chunks, threads)
    tasks = builder.select(builder.icmp_signed("<", tasks, WORD(1)), WORD(1), tasks)
    frame = cgutils.alloca_once(builder, shared)
    for k, value in enumerate((WORD(0), chunks, tasks, *others)):
        builder.store(value, cgutils.gep_inbounds(builder, frame, 0, k))
    places, counts, steps = (cgutils.alloca_once(builder, t) for t in (BYTES, WORD, WORD))
    builder.store(BYTES(None), places)
    builder.store(tasks, counts)
    builder.store(WORD(1), steps)
    task = _task(home, compiled, shared, f"{home.function.name}.spread{len(module.functions)}")
    given = [builder.bitcast(p, BYTES) for p in (task, places, counts, steps, frame)]
    divide = cgutils.get_or_insert_function(module, DIVIDE, "numba_parallel_for")
    builder.call(divide, [*given, WORD(0), WORD(1), tasks])
    # Numba remembers the number of threads set here and returns it from the next query, so restore it
    remember = cgutils.get_or_insert_function(module, ir.FunctionType(ir.VoidType(), [WORD]), "set_num_threads")
    builder.call(remember, [threads])
    return builder.load(cgutils.gep_inbounds(builder, frame, 0, DONE))


def _task(home: Lowered, compiled: CompileResult, shared: ir.Type, name: str) -> ir.Function:
    """The function that a thread calls: it runs the thread's chunks in order and counts those that ran to completion.
    """
    task = ir.Function(home.builder.module, TASK, name)
    task.linkage = "internal"
    builder = ir.IRBuilder(task.append_basic_block("entry"))
    places, counts, _, data = task.args
    frame = builder.bitcast(data, shared.as_pointer())
    chunks, tasks, *others = (
        builder.load(cgutils.gep_inbounds(builder, frame, 0, k)) for k in range(CHUNKS, len(shared.elements))
    )
    first = builder.ptrtoint(builder.load(places), WORD)
    last = builder.add(first, builder.load(counts))
    start, stop = (builder.sdiv(builder.mul(k, chunks), tasks) for k in (first, last))
    done = cgutils.alloca_once_value(builder, WORD(0))
    with cgutils.for_range_slice(builder, start, stop, WORD(1)) as (c, _):
        status, out = home.context.call_internal_no_propagate(
            builder, compiled.fndesc, compiled.signature, [c, *others]
        )
        finished = builder.sub(WORD(1), builder.extract_value(out, 0))
        builder.store(builder.add(builder.load(done), builder.select(status.is_ok, finished, WORD(0))), done)
    builder.atomic_rmw("add", cgutils.gep_inbounds(builder, frame, 0, DONE), builder.load(done), "acq_rel")
    builder.ret_void()
    return task
