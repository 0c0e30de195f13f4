"""progress_test.py KGRADE: on a terminal the progress line has a clock that goes on during one long call."""

import os
import pty
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

KGRADE = Path(sys.argv[1]).resolve()

PROBLEM = """---
slug: slow
title: Slow
difficulty: EASY
parameters:
  - {name: out, type: "[VAR]", pointer: true, const: false, shape: [n]}
  - {name: n, type: size_t, pointer: false}
dtypes: [float32]
flops: n
cases:
  - {name: tiny, role: test, n: 64}
  - {name: large, role: bench, n: 128}
---
Ones.
"""
REFERENCE = """#include <cstddef>
__global__ void ones(KGRADE_ELEMENT* out, size_t n) {
  if (threadIdx.x < n) out[threadIdx.x] = 1.0f;
}
extern "C" void solution(KGRADE_ELEMENT* out, size_t n) { ones<<<1, 64>>>(out, n); }
"""
CANDIDATE = """#include <ctime>
__global__ void ones(float* out, size_t n) {
  if (threadIdx.x < n) out[threadIdx.x] = 1.0f;
}
extern "C" void solution(float* out, size_t n) {
  const timespec pause{4, 0};
  nanosleep(&pause, nullptr);
  ones<<<1, 64>>>(out, n);
}
"""


class ProgressTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        for name, text in {"problems/slow.md": PROBLEM, "reference/slow.cu": REFERENCE, "slow.cu": CANDIDATE}.items():
            path = self.folder / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        self.command = [KGRADE, "grade", "slow", "slow.cu", "--device", "emulated", "--case", "tiny", "--time-limit", "60"]

    def on_terminal(self):
        ours, theirs = pty.openpty()
        environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"} | {"TERM": "xterm"}
        with subprocess.Popen(self.command, cwd=self.folder, env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=theirs) as process:
            os.close(theirs)
            text = b""
            while True:
                try:
                    text += os.read(ours, 4096)
                except OSError:  # the other side is closed
                    break
            process.wait()
        os.close(ours)
        return text.decode()

    def test_the_clock_goes_on_during_one_call(self):
        text = self.on_terminal()
        seconds = {float(number) for number in re.findall(r"([0-9.]+) s  slow\.cu: tiny: call 1", text)}
        self.assertGreater(len(seconds), 1, text)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
