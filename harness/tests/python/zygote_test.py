#!/usr/bin/env python3
"""What a zygote imports, and that it may be forked afterwards. Needs PyTorch."""

import os
import subprocess
import sys
import unittest
from pathlib import Path

PROGRAMS = Path(__file__).resolve().parents[2] / "python"

BEGIN = f"""
import os, sys
sys.argv = ["zygote.py"]
sys.path.insert(0, {str(PROGRAMS)!r})
import worker, zygote
worker.set_defaults()
"""


def printed_by(program):
    """What a new interpreter prints, which may not start threads or look at a GPU."""
    ended = subprocess.run([sys.executable, "-I", "-B", "-c", BEGIN + program], capture_output=True, text=True,
                           check=False, timeout=300, env={"LC_ALL": "C", "HOME": "/tmp"})
    if ended.returncode != 0:
        raise AssertionError(ended.stderr)
    return ended.stdout.split("\n")[:-1]


class Zygote(unittest.TestCase):
    def test_it_can_be_forked(self):
        lines = printed_by("""
zygote.import_what_workers_need()
zygote.import_triton(True)
import torch
print(len(os.listdir("/proc/self/task")))
print([os.readlink(f"/proc/self/fd/{name}") for name in ("3", "4", "5") if os.path.exists(f"/proc/self/fd/{name}")])
print(torch.cuda.is_initialized(), torch._C._cuda_isInBadFork(), "TRITON_INTERPRET" in os.environ)
""")
        self.assertEqual(lines, ["1", "[]", "False False True"])

    def test_what_a_worker_imports_is_there_but_what_looks_for_a_toolkit(self):
        lines = printed_by("""
zygote.import_what_workers_need()
import torch
is_available = torch.cuda.is_available
print("torch.utils.cpp_extension" in sys.modules, hasattr(torch.utils, "cpp_extension"))
before = set(sys.modules)
from kgrade_python import frameworks, serving, contestant
frameworks.import_all(False)
print(sorted(set(sys.modules) - before))
print(torch.utils.cpp_extension.load_inline.__name__, is_available.__module__)
""")
        self.assertEqual(lines, ["False False", "['torch.utils.cpp_extension']", "load_inline torch.cuda"])

    def test_a_worker_has_seeds_of_its_own(self):
        lines = printed_by("""
zygote.import_what_workers_need()
import numpy.random, torch
from kgrade_python import forking
def state():
    return torch.initial_seed(), torch.rand(1).item(), numpy.random.rand(), len(torch.cuda._queued_calls)
seen = []
for _ in range(2):
    reader, writer = os.pipe()
    if os.fork() == 0:
        forking.draw_seeds()
        os.write(writer, repr(state()).encode())
        os._exit(0)
    seen.append(eval(os.read(reader, 1000)))
print([one != other for one, other in zip(*seen)], torch.rand(1).item() not in (seen[0][1], seen[1][1]))
""")
        self.assertEqual(lines, ["[True, True, True, False] True"])


if __name__ == "__main__":
    os.environ.pop("PYTHONPATH", None)
    unittest.main()
