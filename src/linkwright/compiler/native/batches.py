"""The way in from Python for batches: one function, in machine code, for all kernels.

A kernel's own entry (`entry.py`) hands it what is no single row. Where the arguments are float64 arrays of one batch
dimension (or one row that all share), and the batch is short enough to be done here and now, it makes the results and
calls the loop over the rows; all else it hands on to a function written in Python, and to NumPy. What it must know of
a kernel stands in the kernel's :class:`Way`.
"""

from __future__ import annotations

import functools
import hashlib

import numpy as np

from linkwright.compiler.emit.rows import plain_steps
from linkwright.compiler.ir.program import ProgramSignature
from linkwright.compiler.native import cache, machine
from linkwright.compiler.native.entry import (
    ALIGNED,
    ARRAY_FIELDS,
    DECLARATIONS,
    NUMBER_AT,
    WAY_AT,
    WRITEABLE,
    addresses,
)

_MOST, _LOOP, _INPUTS, _OUTPUTS, _STEPS, _PLAIN, _SLOTS = range(7)
"""Places in a way: how many rows are done at once at the most; the loop; how many arguments and results there are;
how many steps, and where they are; where all arguments are described: dimensions, bytes, lengths, strides."""

_MOST_DIMENSIONS = 32


class Way:
    """What the entry must know of one kernel, in words of memory."""

    def __init__(self, program: ProgramSignature):
        slots = (*program.inputs, *program.outputs)
        described = []
        for slot in slots:
            strides = [8 * int(np.prod(slot.shape[d + 1 :], dtype=int)) for d in range(len(slot.shape))]
            described.append([len(slot.shape), 8 * slot.size, *slot.shape, *strides])
        steps = plain_steps(program)
        first = _SLOTS + len(slots)
        self._words = np.zeros(first + len(steps) + sum(map(len, described)), dtype=np.int64)
        self.address = self._words.ctypes.data
        self._words[[_INPUTS, _OUTPUTS, _STEPS]] = len(program.inputs), len(program.outputs), len(steps)
        self._words[_PLAIN] = self.address + 8 * first
        self._words[first : first + len(steps)] = steps
        first += len(steps)
        for k, words in enumerate(described):
            self._words[_SLOTS + k] = self.address + 8 * first
            self._words[first : first + len(words)] = words
            first += len(words)

    def open(self, loop: int, rows: int) -> None:
        """From now on batches of at most so many rows go straight to the loop at the address."""
        self._words[_LOOP] = loop
        self._words[_MOST] = rows

    def close(self) -> None:
        """From now on batches go through Python, also one whose loop is running."""
        self._words[_MOST] = 0


_TYPE, _DATA, _NDIM, _SHAPE, _STRIDES, _DTYPE, _FLAGS = ARRAY_FIELDS

_NEW = "ptr @ndarray, ptr @float64, i32 %ndim, ptr %lengths, ptr null, ptr null, i32 0, ptr null"

_TEXT = f"""{DECLARATIONS}
@slow = external global i8

; the same call, of the function written in Python, with the kernel as first argument
define internal ptr @in_python(ptr %kernel, ptr %args, i64 %n, ptr %names) #1 {{
start:
  %named = icmp ne ptr %names, null
  br i1 %named, label %more, label %counted
more:
  %extra = call i64 @PyTuple_Size(ptr %names)
  br label %counted
counted:
  %k = phi i64 [0, %start], [%extra, %more]
  %all = add i64 %n, %k
  %size = add i64 %all, 1
  %new = alloca ptr, i64 %size
  store ptr %kernel, ptr %new
  %bytes = mul i64 %all, 8
  %rest = getelementptr ptr, ptr %new, i64 1
  call void @llvm.memcpy.p0.p0.i64(ptr %rest, ptr %args, i64 %bytes, i1 0)
  %n1 = add i64 %n, 1
  %result = call ptr @PyObject_Vectorcall(ptr @slow, ptr %new, i64 %n1, ptr %names)
  ret ptr %result
}}
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

; the bytes between the rows of an argument, 0 for one row that all share, -1 for what does not fit; where they begin
; is left at %data, and how many there are at %rows, where that is told before, too (-1: not yet)
define internal i64 @fit(ptr %array, ptr %slot, ptr %data, ptr %rows, i32 %flags) #1 {{
start:
  %type_at = getelementptr i8, ptr %array, i64 {_TYPE}
  %type = load ptr, ptr %type_at
  %n = load i64, ptr %slot
  %is_array = icmp eq ptr %type, @ndarray
  br i1 %is_array, label %an_array, label %other
other:
  %is_float = icmp eq ptr %type, @float
  %is_number = icmp eq ptr %type, @number
  %either = or i1 %is_float, %is_number
  %scalar = icmp eq i64 %n, 0
  %taken = and i1 %either, %scalar
  br i1 %taken, label %one_number, label %unfit
one_number:
  %inside = getelementptr i8, ptr %array, i64 {NUMBER_AT}
  store ptr %inside, ptr %data
  ret i64 0
an_array:
  %dtype_at = getelementptr i8, ptr %array, i64 {_DTYPE}
  %dtype = load ptr, ptr %dtype_at
  %is_float64 = icmp eq ptr %dtype, @float64
  %flags_at = getelementptr i8, ptr %array, i64 {_FLAGS}
  %present = load i32, ptr %flags_at
  %needed = and i32 %present, %flags
  %flagged = icmp eq i32 %needed, %flags
  %ndim_at = getelementptr i8, ptr %array, i64 {_NDIM}
  %ndim_short = load i32, ptr %ndim_at
  %ndim = zext i32 %ndim_short to i64
  %more = sub i64 %ndim, %n
  %few = icmp ule i64 %more, 1
  %kind = and i1 %is_float64, %flagged
  %kind_few = and i1 %kind, %few
  br i1 %kind_few, label %lengths, label %unfit
lengths:
  %shape_at = getelementptr i8, ptr %array, i64 {_SHAPE}
  %shape = load ptr, ptr %shape_at
  %strides_at = getelementptr i8, ptr %array, i64 {_STRIDES}
  %strides = load ptr, ptr %strides_at
  %core_shape = getelementptr i64, ptr %shape, i64 %more
  %core_strides = getelementptr i64, ptr %strides, i64 %more
  %slot_lengths = getelementptr i64, ptr %slot, i64 2
  %slot_strides = getelementptr i64, ptr %slot_lengths, i64 %n
  br label %next
next:
  %d = phi i64 [0, %lengths], [%d1, %same]
  %any = icmp ult i64 %d, %n
  br i1 %any, label %dimension, label %fits
dimension:
  %length_at = getelementptr i64, ptr %core_shape, i64 %d
  %length = load i64, ptr %length_at
  %wanted_at = getelementptr i64, ptr %slot_lengths, i64 %d
  %wanted = load i64, ptr %wanted_at
  %same_length = icmp eq i64 %length, %wanted
  %stride_at = getelementptr i64, ptr %core_strides, i64 %d
  %stride = load i64, ptr %stride_at
  %plain_at = getelementptr i64, ptr %slot_strides, i64 %d
  %plain = load i64, ptr %plain_at
  %same_stride = icmp eq i64 %stride, %plain
  %both = and i1 %same_length, %same_stride
  br i1 %both, label %same, label %unfit
same:
  %d1 = add i64 %d, 1
  br label %next
fits:
  %entries_at = getelementptr i8, ptr %array, i64 {_DATA}
  %entries = load ptr, ptr %entries_at
  store ptr %entries, ptr %data
  %batch = icmp eq i64 %more, 1
  br i1 %batch, label %many, label %shared
shared:
  ret i64 0
many:
  %count = load i64, ptr %shape
  %told = load i64, ptr %rows
  %untold = icmp eq i64 %told, -1
  %agreed = icmp eq i64 %told, %count
  %right = or i1 %untold, %agreed
  store i64 %count, ptr %rows
  br i1 %right, label %counted, label %unfit
counted:
  %step = load i64, ptr %strides
  ret i64 %step
unfit:
  ret i64 -1
}}

; where the entries of an argument begin and end
define internal void @extent(ptr %begin, i64 %step, i64 %rows, i64 %bytes, ptr %first, ptr %end) #1 {{
  %last = sub i64 %rows, 1
  %way = mul i64 %last, %step
  %back = icmp slt i64 %way, 0
  %down = select i1 %back, i64 %way, i64 0
  %up = select i1 %back, i64 0, i64 %way
  %whole = add i64 %up, %bytes
  %low = getelementptr i8, ptr %begin, i64 %down
  %high = getelementptr i8, ptr %begin, i64 %whole
  store ptr %low, ptr %first
  store ptr %high, ptr %end
  ret void
}}

; an array for so many rows of a result
define internal ptr @made(ptr %slot, i64 %rows) #1 {{
  %lengths = alloca i64, i64 {_MOST_DIMENSIONS + 1}
  store i64 %rows, ptr %lengths
  %n = load i64, ptr %slot
  %from = getelementptr i64, ptr %slot, i64 2
  %to = getelementptr i64, ptr %lengths, i64 1
  %bytes = mul i64 %n, 8
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 %bytes, i1 0)
  %n1 = add i64 %n, 1
  %ndim = trunc i64 %n1 to i32
  call void @Py_IncRef(ptr @float64)
  %array = call ptr @PyArray_NewFromDescr({_NEW})
  ret ptr %array
}}

define ptr @entry(ptr %kernel, ptr %args, i64 %count, ptr %names) #1 {{
start:
  %rows_at = alloca i64
  store i64 -1, ptr %rows_at
  %low = alloca ptr
  %high = alloca ptr
  %low_other = alloca ptr
  %high_other = alloca ptr
  %n = and i64 %count, {2**63 - 1}
  %way_at = getelementptr i8, ptr %kernel, i64 {WAY_AT}
  %way = load ptr, ptr %way_at
  %most = load i64, ptr %way
  %open = icmp sgt i64 %most, 0
  br i1 %open, label %opened, label %slow
opened:
  %inputs_at = getelementptr i64, ptr %way, i64 {_INPUTS}
  %inputs = load i64, ptr %inputs_at
  %outputs_at = getelementptr i64, ptr %way, i64 {_OUTPUTS}
  %outputs = load i64, ptr %outputs_at
  %all = add i64 %inputs, %outputs
  %several = icmp ugt i64 %outputs, 1
  %slots = getelementptr i64, ptr %way, i64 {_SLOTS}
  %right_count = icmp eq i64 %n, %inputs
  br i1 %right_count, label %counted, label %slow
counted:
  %data = alloca ptr, i64 %all
  %results = alloca ptr, i64 %outputs
  %steps_at = getelementptr i64, ptr %way, i64 {_STEPS}
  %number_of_steps = load i64, ptr %steps_at
  %steps = alloca i64, i64 %number_of_steps
  %plain_at = getelementptr i64, ptr %way, i64 {_PLAIN}
  %plain = load ptr, ptr %plain_at
  %steps_bytes = mul i64 %number_of_steps, 8
  call void @llvm.memcpy.p0.p0.i64(ptr %steps, ptr %plain, i64 %steps_bytes, i1 0)
  br label %input
input:
  %i = phi i64 [0, %counted], [%i1, %input_fits]
  %input_left = icmp ult i64 %i, %inputs
  br i1 %input_left, label %look_at_input, label %sized
look_at_input:
  %arg_at = getelementptr ptr, ptr %args, i64 %i
  %arg = load ptr, ptr %arg_at
  %arg_slot_at = getelementptr ptr, ptr %slots, i64 %i
  %arg_slot = load ptr, ptr %arg_slot_at
  %arg_data = getelementptr ptr, ptr %data, i64 %i
  %arg_step = call i64 @fit(ptr %arg, ptr %arg_slot, ptr %arg_data, ptr %rows_at, i32 {ALIGNED})
  %arg_step_at = getelementptr i64, ptr %steps, i64 %i
  store i64 %arg_step, ptr %arg_step_at
  %arg_fits = icmp ne i64 %arg_step, -1
  br i1 %arg_fits, label %input_fits, label %slow
input_fits:
  %i1 = add i64 %i, 1
  br label %input
sized:
  %rows = load i64, ptr %rows_at
  %some = icmp sgt i64 %rows, 0
  %not_many = icmp sle i64 %rows, %most
  %short = and i1 %some, %not_many
  br i1 %short, label %where, label %slow
where:
  %named = icmp ne ptr %names, null
  br i1 %named, label %given, label %make

given:
  %named_count = call i64 @PyTuple_Size(ptr %names)
  %named_once = icmp eq i64 %named_count, 1
  br i1 %named_once, label %one_name, label %slow
one_name:
  %name = call ptr @PyTuple_GetItem(ptr %names, i64 0)
  %is_out = icmp eq ptr %name, @out
  br i1 %is_out, label %outs, label %slow
outs:
  %out_at = getelementptr ptr, ptr %args, i64 %inputs
  %out = load ptr, ptr %out_at
  br i1 %several, label %tuple_type, label %each_out
tuple_type:
  %out_type_at = getelementptr i8, ptr %out, i64 {_TYPE}
  %out_type = load ptr, ptr %out_type_at
  %is_tuple = icmp eq ptr %out_type, @tuple
  br i1 %is_tuple, label %tuple_size, label %slow
tuple_size:
  %out_count = call i64 @PyTuple_Size(ptr %out)
  %right_outs = icmp eq i64 %out_count, %outputs
  br i1 %right_outs, label %each_out, label %slow
each_out:
  br label %output
output:
  %o = phi i64 [0, %each_out], [%o1, %apart]
  %output_left = icmp ult i64 %o, %outputs
  br i1 %output_left, label %pick, label %run
pick:
  br i1 %several, label %of_tuple, label %alone
of_tuple:
  %item = call ptr @PyTuple_GetItem(ptr %out, i64 %o)
  br label %look_at_output
alone:
  br label %look_at_output
look_at_output:
  %target = phi ptr [%item, %of_tuple], [%out, %alone]
  %oi = add i64 %inputs, %o
  %out_slot_at = getelementptr ptr, ptr %slots, i64 %oi
  %out_slot = load ptr, ptr %out_slot_at
  %out_data = getelementptr ptr, ptr %data, i64 %oi
  %out_step = call i64 @fit(ptr %target, ptr %out_slot, ptr %out_data, ptr %rows_at, i32 {ALIGNED | WRITEABLE})
  %out_step_at = getelementptr i64, ptr %steps, i64 %oi
  store i64 %out_step, ptr %out_step_at
  %out_bad = icmp eq i64 %out_step, -1
  %out_shared = icmp eq i64 %out_step, 0
  %out_unfit = or i1 %out_bad, %out_shared
  br i1 %out_unfit, label %slow, label %placed
placed:
  %out_begin = load ptr, ptr %out_data
  %out_bytes_at = getelementptr i64, ptr %out_slot, i64 1
  %out_bytes = load i64, ptr %out_bytes_at
  call void @extent(ptr %out_begin, i64 %out_step, i64 %rows, i64 %out_bytes, ptr %low, ptr %high)
  br label %against
against:
  %k = phi i64 [0, %placed], [%k1, %beside]
  %before = icmp ult i64 %k, %oi
  br i1 %before, label %compare, label %apart
compare:
  %other_slot_at = getelementptr ptr, ptr %slots, i64 %k
  %other_slot = load ptr, ptr %other_slot_at
  %other_bytes_at = getelementptr i64, ptr %other_slot, i64 1
  %other_bytes = load i64, ptr %other_bytes_at
  %other_data = getelementptr ptr, ptr %data, i64 %k
  %other_begin = load ptr, ptr %other_data
  %other_step_at = getelementptr i64, ptr %steps, i64 %k
  %other_step = load i64, ptr %other_step_at
  call void @extent(ptr %other_begin, i64 %other_step, i64 %rows, i64 %other_bytes, ptr %low_other, ptr %high_other)
  %a0 = load ptr, ptr %low
  %a1 = load ptr, ptr %high
  %b0 = load ptr, ptr %low_other
  %b1 = load ptr, ptr %high_other
  %a_before = icmp ule ptr %a1, %b0
  %b_before = icmp ule ptr %b1, %a0
  %disjoint = or i1 %a_before, %b_before
  br i1 %disjoint, label %beside, label %slow
beside:
  %k1 = add i64 %k, 1
  br label %against
apart:
  %o1 = add i64 %o, 1
  br label %output

make:
  %m = phi i64 [0, %where], [%m1, %kept]
  %to_make = icmp ult i64 %m, %outputs
  br i1 %to_make, label %new, label %run
new:
  %mi = add i64 %inputs, %m
  %new_slot_at = getelementptr ptr, ptr %slots, i64 %mi
  %new_slot = load ptr, ptr %new_slot_at
  %array = call ptr @made(ptr %new_slot, i64 %rows)
  %none = icmp eq ptr %array, null
  br i1 %none, label %release, label %kept
kept:
  %result_at = getelementptr ptr, ptr %results, i64 %m
  store ptr %array, ptr %result_at
  %array_data_at = getelementptr i8, ptr %array, i64 {_DATA}
  %array_data = load ptr, ptr %array_data_at
  %new_data = getelementptr ptr, ptr %data, i64 %mi
  store ptr %array_data, ptr %new_data
  %m1 = add i64 %m, 1
  br label %make

run:
  %results_given = phi ptr [%out, %output], [null, %make]
  %loop_at = getelementptr i64, ptr %way, i64 {_LOOP}
  %loop = load ptr, ptr %loop_at
  call void %loop(ptr %data, ptr %rows_at, ptr %steps, ptr null)
  %still = load volatile i64, ptr %way
  %failed = icmp eq i64 %still, 0
  br i1 %named, label %was_given, label %was_made
was_given:
  br i1 %failed, label %slow, label %give
give:
  call void @Py_IncRef(ptr %results_given)
  ret ptr %results_given
was_made:
  br i1 %failed, label %release, label %hand_over
hand_over:
  br i1 %several, label %tuple, label %single
single:
  %only = load ptr, ptr %results
  ret ptr %only
tuple:
  %made = call ptr @PyTuple_New(i64 %outputs)
  %no_tuple = icmp eq ptr %made, null
  br i1 %no_tuple, label %release, label %fill
fill:
  %f = phi i64 [0, %tuple], [%f1, %filled]
  %to_fill = icmp ult i64 %f, %outputs
  br i1 %to_fill, label %filled, label %full
filled:
  %part_at = getelementptr ptr, ptr %results, i64 %f
  %part = load ptr, ptr %part_at
  %set = call i32 @PyTuple_SetItem(ptr %made, i64 %f, ptr %part)
  %f1 = add i64 %f, 1
  br label %fill
full:
  ret ptr %made

release:
  %made_before = phi i64 [%m, %new], [%outputs, %was_made], [%outputs, %tuple]
  %again = phi i1 [0, %new], [1, %was_made], [0, %tuple]
  br label %each
each:
  %r = phi i64 [0, %release], [%r1, %released]
  %to_release = icmp ult i64 %r, %made_before
  br i1 %to_release, label %released, label %gone
released:
  %gone_at = getelementptr ptr, ptr %results, i64 %r
  %gone_array = load ptr, ptr %gone_at
  call void @Py_DecRef(ptr %gone_array)
  %r1 = add i64 %r, 1
  br label %each
gone:
  br i1 %again, label %slow, label %error
error:
  ret ptr null

slow:
  %result = call ptr @in_python(ptr %kernel, ptr %args, i64 %n, ptr %names)
  ret ptr %result
}}
attributes #1 = {{ noinline nounwind }}
"""


@functools.cache
def entry(slow: int) -> int:
    """Address of the way in for batches; ``slow``: where the function written in Python is."""
    name = cache.key(hashlib.sha256(_TEXT.encode()).hexdigest(), machine.target(), 1)
    code, _ = cache.code(name, lambda: _TEXT, addresses() | {"slow": slow}, ("entry",))
    machine.stay(code)
    return code.exported["entry"]
