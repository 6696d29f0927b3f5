"""The loop over the rows of a batch, as LLVM IR, around the bodies that `straight.py` writes.

It has NumPy's signature for generalized universal functions, ``(args, dims, steps, data)``, and
honors any strides. Rows with contiguous entries go through the lane body as they are; what is
left over at the end, or strided, is copied to a padded block first and goes through the same body.
"""

from __future__ import annotations

import math
from collections.abc import Collection

from linkwright.compiler.emit.code import FunctionBuilder
from linkwright.compiler.ir.formats import FORMATS
from linkwright.compiler.ir.program import ArraySpec, ProgramSignature

SCRATCH_ON_STACK = 4096
"""Numbers of scratch that may lie on the stack; larger blocks are allocated."""

_COPY = """
; copy `size` entries between a strided array (strides and lengths of its `n` dimensions) and a contiguous one
define internal void @copy(ptr %strided, ptr %plain, i64 %size, i64 %n, ptr %lengths, ptr %strides, i1 %out) #1 {{
start:
  %any = icmp sgt i64 %size, 0
  br i1 %any, label %entry, label %end
entry:
  %e = phi i64 [0, %start], [%e1, %next]
  %last = sub i64 %n, 1
  br label %test
test:
  %d = phi i64 [%last, %entry], [%d1, %dimension]
  %rest = phi i64 [%e, %entry], [%quotient, %dimension]
  %offset = phi i64 [0, %entry], [%offset1, %dimension]
  %more = icmp sge i64 %d, 0
  br i1 %more, label %dimension, label %move
dimension:
  %pl = getelementptr i64, ptr %lengths, i64 %d
  %length = load i64, ptr %pl
  %ps = getelementptr i64, ptr %strides, i64 %d
  %stride = load i64, ptr %ps
  %index = urem i64 %rest, %length
  %quotient = udiv i64 %rest, %length
  %bytes = mul i64 %index, %stride
  %offset1 = add i64 %offset, %bytes
  %d1 = sub i64 %d, 1
  br label %test
move:
  %a = getelementptr i8, ptr %strided, i64 %offset
  %b = getelementptr {scalar}, ptr %plain, i64 %e
  br i1 %out, label %outward, label %inward
outward:
  %x = load {scalar}, ptr %b
  store {scalar} %x, ptr %a, align 1
  br label %next
inward:
  %y = load {scalar}, ptr %a, align 1
  store {scalar} %y, ptr %b
  br label %next
next:
  %e1 = add i64 %e, 1
  %again = icmp slt i64 %e1, %size
  br i1 %again, label %entry, label %end
end:
  ret void
}}
"""


def copy_text(program: ProgramSignature) -> str:
    """``copy``, of the program's numbers."""
    return _COPY.format(scalar=FORMATS[program.precision].scalar)


_QUIET = """
; NumPy warns of what the processor noted while a loop ran; here NaN and infinities are results like others,
; and lanes compute what is then not selected
define void @loop(ptr %args, ptr %dims, ptr %steps, ptr %data) nounwind {{
  {release}
  {save}
  call void @batch(ptr %args, ptr %dims, ptr %steps)
  {restore}
  {acquire}
  ret void
}}
"""


_TINY = """
; Numbers below the least normal one (2^-1022) are zero while loops over bodies run: what dies away along a chain ends
; there, and the processor takes a hundred times longer for each of them.
define internal i64 @without_tiny() #1 {{
{without}
}}
define internal void @with_tiny(i64 %mode) #1 {{
{back}
  ret void
}}
"""


def tiny_text(processor: str) -> str:
    """``without_tiny``, which gives the mode there was before, and ``with_tiny``, which brings it back."""
    if processor == "x86":
        declared = ""  # what `loop_text` declares
        without = [
            "%place = alloca i32",
            "call void @llvm.x86.sse.stmxcsr(ptr %place)",
            "%before = load i32, ptr %place",
            "%zero = or i32 %before, 32832",  # bits 15 and 6: as results, as operands
            "store i32 %zero, ptr %place",
            "call void @llvm.x86.sse.ldmxcsr(ptr %place)",
            "%mode = zext i32 %before to i64",
            "ret i64 %mode",
        ]
        back = [
            "%place = alloca i32",
            "%before = trunc i64 %mode to i32",
            "store i32 %before, ptr %place",
            "call void @llvm.x86.sse.ldmxcsr(ptr %place)",
        ]
    elif processor == "arm":
        declared = "declare i64 @llvm.aarch64.get.fpcr()\ndeclare void @llvm.aarch64.set.fpcr(i64)\n"
        without = [
            "%mode = call i64 @llvm.aarch64.get.fpcr()",
            "%zero = or i64 %mode, 16777216",  # bit 24: both
            "call void @llvm.aarch64.set.fpcr(i64 %zero)",
            "ret i64 %mode",
        ]
        back = ["call void @llvm.aarch64.set.fpcr(i64 %mode)"]
    else:
        declared, without, back = "", ["ret i64 0"], []
    return declared + _TINY.format(without="\n".join(f"  {x}" for x in without), back="\n".join(f"  {x}" for x in back))


def loop_text(
    program: ProgramSignature,
    width: int,
    processor: str,
    batch: str = "",
    long: bool = False,
    tables: Collection[int] = (),
) -> str:
    """``loop(args, dims, steps, data)``: every row of a batch, whatever its strides.

    ``batch``: another one for it; ``long``: whether it may take so long that other threads should run Python meanwhile,
    which NumPy lets them only where rows are many; ``tables``: as of :func:`pass_text`.
    """
    if processor == "x86":
        declared = "declare void @llvm.x86.sse.stmxcsr(ptr)\ndeclare void @llvm.x86.sse.ldmxcsr(ptr)\n"
        save = "%status = alloca i32\n  call void @llvm.x86.sse.stmxcsr(ptr %status)"
        restore = "call void @llvm.x86.sse.ldmxcsr(ptr %status)"
    elif processor == "arm":
        declared = "declare i64 @llvm.aarch64.get.fpsr()\ndeclare void @llvm.aarch64.set.fpsr(i64)\n"
        save = "%status = call i64 @llvm.aarch64.get.fpsr()"
        restore = "call void @llvm.aarch64.set.fpsr(i64 %status)"
    else:
        declared = save = restore = ""
    release, acquire = ("%state = call ptr @release_gil()", "call void @acquire_gil(ptr %state)") if long else ("", "")
    return (
        declared
        + (batch or pass_text(program, width, tables=tables))
        + _QUIET.format(save=save, restore=restore, release=release, acquire=acquire)
    )


def lengths_text(program: ProgramSignature) -> str:
    """``lengths0``, …: the shapes of all arguments."""
    lines = []
    for k, slot in enumerate((*program.inputs, *program.outputs)):
        lengths = ", ".join(f"i64 {length}" for length in slot.shape) or "i64 1"
        lines.append(f"@lengths{k} = internal constant [{max(1, len(slot.shape))} x i64] [{lengths}]")
    return "\n".join(lines)


def plain_steps(program: ProgramSignature) -> list[int]:
    """Return NumPy's ``steps`` for contiguous arrays: bytes between rows, and between their entries."""
    slots, size = [*program.inputs, *program.outputs], FORMATS[program.precision].bytes
    entries = [size * math.prod(slot.shape[d + 1 :]) for slot in slots for d in range(len(slot.shape))]
    return [size * slot.size for slot in slots] + entries


def stride_place(program: ProgramSignature, argument: int) -> int:
    """Return the index in ``steps`` at which the strides of an argument's entries begin."""
    slots = [*program.inputs, *program.outputs]
    return len(slots) + sum(len(slot.shape) for slot in slots[:argument])


def emit_contiguous(code: FunctionBuilder, program: ProgramSignature, tables: Collection[int] = ()) -> str:
    """Return whether the entries of every argument's row are contiguous, by ``%steps``.

    ``tables``: as for :func:`pass_text`.
    """
    contiguous = "1"
    for k, slot in enumerate((*program.inputs, *program.outputs)):
        core, expected = stride_place(program, k), FORMATS[program.precision].bytes
        for d in reversed(range(len(slot.shape))):
            if slot.shape[d] != 1 and not (d == 0 and k in tables):
                stride = code.load("i64", "%steps", core + d)
                same = code.emit(f"icmp eq i64 {stride}, {expected}")
                contiguous = code.emit(f"and i1 {contiguous}, {same}")
            expected *= slot.shape[d]
    return contiguous


def pass_text(
    program: ProgramSignature,
    width: int,
    name: str = "batch",
    body: str = "lanes",
    record: int = 0,
    stores: bool = True,
    tables: Collection[int] = (),
) -> str:
    """Return ``batch(args, dims, steps)``: the body of lanes for all rows, W at once.

    ``record``: number of entries of a row in ``records``, a further argument, whose address the body receives;
    ``stores``: whether it writes results; ``tables``: the arguments whose first axis may have any stride.
    """
    slots = [*program.inputs, *program.outputs]
    n_args, n_in = len(slots), len(program.inputs)
    scalar, size = FORMATS[program.precision].scalar, FORMATS[program.precision].bytes
    code = FunctionBuilder()
    total = sum(slot.size for slot in slots) * width
    records = ", ptr %records" if record else ""
    code.lines.append(f"define internal void @{name}(ptr %args, ptr %dims, ptr %steps{records}) #1 {{")
    code.do("start:")
    n = code.load("i64", "%dims", 0)
    at = code.emit(f"alloca ptr, i64 {n_args}")
    blocks = code.emit(f"alloca ptr, i64 {n_args}")
    one_row = code.emit(f"alloca ptr, i64 {n_args}")
    steps = plain_steps(program)
    block_steps = code.emit(f"alloca i64, i64 {len(steps)}")
    for k, step in enumerate(steps):
        code.do(f"store i64 {step}, ptr {code.item('i64', block_steps, k)}")
    strides = []
    for k in range(n_args):
        code.do(f"store ptr {code.load('ptr', '%args', k)}, ptr {code.item('ptr', at, k)}")
        strides.append(code.item("i64", "%steps", stride_place(program, k)))
    code.do(f"br i1 {emit_contiguous(code, program, tables)}, label %plain, label %copied")

    def lanes(arguments: str, row: str) -> str:
        """Whether some angle was too large for the body."""
        if not record:
            return code.emit(f"call i1 @{body}({arguments})")
        place = code.item(scalar, "%records", code.emit(f"mul i64 {row}, {record}"))
        return code.emit(f"call i1 @{body}({arguments}, ptr {place})")

    code.do("plain:")
    if record:
        code.do("br label %whole")
    else:
        one = code.emit(f"icmp eq i64 {n}, 1")
        code.do(f"br i1 {one}, label %alone, label %whole")
        code.do("alone:")
        code.emit(f"call i1 @single(ptr {at}, ptr %steps)")
        code.do("ret void")

    code.do("whole:")
    i = code.emit("phi i64 [0, %plain], [%advanced, %stepped]")
    ahead = code.emit(f"add i64 {i}, {width}")
    fits = code.emit(f"icmp sle i64 {ahead}, {n}")
    code.do(f"br i1 {fits}, label %body, label %rest")
    code.do("body:")
    if width > 1:
        far = lanes(f"ptr {at}, ptr %steps", i)
        code.do(f"br i1 {far}, label %careful, label %step, !prof !0")
        code.do("careful:")  # an angle beyond the lane body's sine: row by row
        row = code.emit("phi i64 [0, %body], [%row1, %careful]")
        for k in range(n_args):
            offset = code.emit(f"mul i64 {row}, {code.load('i64', '%steps', k)}")
            address = code.emit(f"getelementptr i8, ptr {code.load('ptr', at, k)}, i64 {offset}")
            code.do(f"store ptr {address}, ptr {code.item('ptr', blocks, k)}")
        code.emit(f"call i1 @single(ptr {blocks}, ptr %steps)")
        code.do(f"%row1 = add i64 {row}, 1")
        again = code.emit(f"icmp slt i64 %row1, {width}")
        code.do(f"br i1 {again}, label %careful, label %step")
    else:
        code.emit(f"call i1 @single(ptr {at}, ptr %steps)")
        code.do("br label %step")
    code.do("step:")
    for k in range(n_args):
        bytes_ = code.emit(f"mul i64 {code.load('i64', '%steps', k)}, {width}")
        address = code.emit(f"getelementptr i8, ptr {code.load('ptr', at, k)}, i64 {bytes_}")
        code.do(f"store ptr {address}, ptr {code.item('ptr', at, k)}")
    code.do("br label %stepped")
    code.do("stepped:")
    code.do(f"%advanced = add i64 {i}, {width}")
    code.do("br label %whole")
    code.do("rest:")
    done = code.emit(f"icmp sge i64 {i}, {n}")
    code.do(f"br i1 {done}, label %end, label %copied")

    # padded blocks of copies: for the tail, and for strided entries
    code.do("copied:")
    first = code.emit(f"phi i64 [0, %start], [{i}, %rest]")
    if total <= SCRATCH_ON_STACK:
        scratch = code.emit(f"alloca {scalar}, i64 {max(1, total)}, align 64")
    else:
        scratch = code.emit(f"call ptr @malloc(i64 {size * total})")
    used = 0
    for k, slot in enumerate(slots):
        code.do(f"store ptr {code.item(scalar, scratch, used)}, ptr {code.item('ptr', blocks, k)}")
        used += slot.size * width
    sizes = [_shared(code, at, blocks, block_steps, k, slot, strides[k], size) for k, slot in enumerate(slots[:n_in])]
    code.do("br label %block")
    code.do("block:")
    i = code.emit(f"phi i64 [{first}, %copied], [%after_block, %block_done]")
    left = code.emit(f"sub i64 {n}, {i}")
    empty = code.emit(f"icmp sle i64 {left}, 0")
    code.do(f"br i1 {empty}, label %finish, label %fill")
    code.do("fill:")
    fewer = code.emit(f"icmp slt i64 {left}, {width}")
    rows = code.emit(f"select i1 {fewer}, i64 {left}, i64 {width}")
    last_row = code.emit(f"sub i64 {rows}, 1")
    code.do("br label %copy_in")
    code.do("copy_in:")  # lanes without a row repeat the last one
    lane = code.emit("phi i64 [0, %fill], [%lane1, %copy_in]")
    beyond = code.emit(f"icmp sgt i64 {lane}, {last_row}")
    source = code.emit(f"select i1 {beyond}, i64 {last_row}, i64 {lane}")
    for k, slot in enumerate(slots[:n_in]):
        _emit_copy(code, at, blocks, source, lane, k, size * slot.size, slot, strides[k], sizes[k], outwards=False)
    code.do(f"%lane1 = add i64 {lane}, 1")
    code.do(f"br i1 {code.emit(f'icmp slt i64 %lane1, {width}')}, label %copy_in, label %compute")
    code.do("compute:")
    if width > 1:
        far = lanes(f"ptr {blocks}, ptr {block_steps}", i)
        code.do(f"br i1 {far}, label %careful_block, label %copy_out, !prof !0")
        code.do("careful_block:")
        pointers = code.emit("phi i64 [0, %compute], [%r1, %careful_block]")
        lane_blocks = []
        for k in range(n_args):
            bytes_ = code.emit(f"mul i64 {pointers}, {code.load('i64', block_steps, k)}")
            lane_blocks.append(code.emit(f"getelementptr i8, ptr {code.load('ptr', blocks, k)}, i64 {bytes_}"))
        for k, address in enumerate(lane_blocks):
            code.do(f"store ptr {address}, ptr {code.item('ptr', one_row, k)}")
        code.emit(f"call i1 @single(ptr {one_row}, ptr {block_steps})")
        code.do(f"%r1 = add i64 {pointers}, 1")
        code.do(f"br i1 {code.emit(f'icmp slt i64 %r1, {width}')}, label %careful_block, label %copy_out")
        before_out = "[0, %compute], [0, %careful_block]"
    else:
        code.emit(f"call i1 @single(ptr {blocks}, ptr {block_steps})")
        code.do("br label %copy_out")
        before_out = "[0, %compute]"
    code.do("copy_out:")
    lane = code.emit(f"phi i64 {before_out}, [%lane2, %copy_out]")
    for k, slot in enumerate(slots[n_in:], n_in):
        if stores:
            _emit_copy(
                code, at, blocks, lane, lane, k, size * slot.size, slot, strides[k], str(slot.size), outwards=True
            )
    code.do(f"%lane2 = add i64 {lane}, 1")
    code.do(f"br i1 {code.emit(f'icmp slt i64 %lane2, {rows}')}, label %copy_out, label %block_done")
    code.do("block_done:")
    for k in range(n_args):
        bytes_ = code.emit(f"mul i64 {code.load('i64', '%steps', k)}, {rows}")
        address = code.emit(f"getelementptr i8, ptr {code.load('ptr', at, k)}, i64 {bytes_}")
        code.do(f"store ptr {address}, ptr {code.item('ptr', at, k)}")
    code.do(f"%after_block = add i64 {i}, {rows}")
    code.do("br label %block")
    code.do("finish:")
    if total > SCRATCH_ON_STACK:
        code.do(f"call void @free(ptr {scratch})")
    code.do("br label %end")
    code.do("end:")
    code.do("ret void")
    code.lines.append("}")
    return "\n".join(code.lines)


SHARED = 32
"""Entries of an argument from which blocks of copies do without copies of it, where all rows have the same."""


def _shared(
    code: FunctionBuilder, at: str, blocks: str, block_steps: str, k: int, slot: ArraySpec, strides: str, size: int
) -> str:
    """Return the number of entries of ``size`` bytes to copy: none if shared by all rows and contiguous."""
    if slot.size < SHARED:
        return str(slot.size)
    same = code.emit(f"icmp eq i64 {code.load('i64', '%steps', k)}, 0")
    expected = size
    for d in reversed(range(len(slot.shape))):
        stride = code.emit(f"icmp eq i64 {code.load('i64', strides, d)}, {expected}")
        same = code.emit(f"and i1 {same}, {stride}")
        expected *= slot.shape[d]
    place, step = code.item("ptr", blocks, k), code.item("i64", block_steps, k)
    copy, given = code.emit(f"load ptr, ptr {place}"), code.load("ptr", at, k)
    code.do(f"store ptr {code.emit(f'select i1 {same}, ptr {given}, ptr {copy}')}, ptr {place}")
    code.do(f"store i64 {code.emit(f'select i1 {same}, i64 0, i64 {slot.size * size}')}, ptr {step}")
    return code.emit(f"select i1 {same}, i64 0, i64 {slot.size}")


def _emit_copy(
    code: FunctionBuilder,
    at: str,
    blocks: str,
    row: str,
    lane: str,
    k: int,
    apart: int,
    slot: ArraySpec,
    strides: str,
    size: str,
    outwards: bool,
) -> None:
    """Copy one row of argument k to its lane's place in the block, ``apart`` bytes from the next, or back."""
    step = code.emit(f"mul i64 {row}, {code.load('i64', '%steps', k)}")
    strided = code.emit(f"getelementptr i8, ptr {code.load('ptr', at, k)}, i64 {step}")
    plain = code.emit(
        f"getelementptr i8, ptr {code.load('ptr', blocks, k)}, i64 {code.emit(f'mul i64 {lane}, {apart}')}"
    )
    code.do(
        f"call void @copy(ptr {strided}, ptr {plain}, i64 {size}, i64 {len(slot.shape)}, "
        f"ptr @lengths{k}, ptr {strides}, i1 {int(outwards)})"
    )
