"""Machine code is loaded into memory that other things have filled and cut up."""

import subprocess
import sys

import pytest

UNSUITED = 77
"""Status of a process in which other memory was freed meanwhile."""

# what a long session leaves: gigabytes taken, and small holes far above all that is free
CROWDED = """
import ctypes
import ctypes.util
import sys

from linkwright.compiler.native import machine

PAGE = 4096
TERMS = 5000
system = ctypes.CDLL(None)
system.mmap.restype = ctypes.c_void_p
system.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
system.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]


def take(pages):
    address = system.mmap(None, pages * PAGE, 0, 0x4022, -1, 0)  # no access, private, not reserved
    assert address not in (None, ctypes.c_void_p(-1).value)
    return address


def code(text):
    return machine.generate(f"define double @f(double %y0) nounwind {{\\n{text}\\n}}")


terms = [f"  %y{i + 1} = fadd double %y{i}, {1.1 + i % 4}" for i in range(TERMS)]
image = code("\\n".join([*terms, f"  ret double %y{TERMS}"]))
machine.Code(code("  ret double %y0"), {}, ["f"])  # a linker is there before memory is scarce
upper = [take(80) for _ in range(400)]
lowest = [take(3 << 18) for _ in range(2)][-1]  # 3 GB each


def fill():
    for pages in (4096, 512, 64, 16, 8):
        while (address := take(pages)) > lowest:  # nothing of this size is left above them
            pass
        system.munmap(address, pages * PAGE)


fill()
for address in upper[::8]:
    system.munmap(address + 8 * PAGE, 3 * PAGE)
above = []
while (loaded := machine.Code(image, {}, ["f"])).exported["f"] > lowest:  # in memory that was freed meanwhile
    above.append(loaded)
    if len(above) == 50:
        sys.exit(77)
    fill()
print(ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(loaded.exported["f"])(0.0))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="where memory is found is known of Linux")
def test_code_and_its_constants_stay_within_reach_of_each_other():
    for _ in range(10):  # until the code lies far below the small holes, as it does where no other memory is freed
        run = subprocess.run([sys.executable, "-c", CROWDED], capture_output=True, text=True, timeout=120)
        if run.returncode != UNSUITED:
            break
    assert run.returncode == 0, run.stderr
    assert float(run.stdout) == pytest.approx(sum(1.1 + i % 4 for i in range(5000)))
