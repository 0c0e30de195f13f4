"""terminal_test.py KGRADE [CLASS...]: help and progress on a terminal, and output that gets lost."""

import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import tempfile
import termios
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


def on_terminal(arguments, columns=None, own_output=None, **options):
    """What the program prints on a terminal, with so many columns; its own output may go elsewhere."""
    ours, theirs = pty.openpty()
    if columns:
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    with subprocess.Popen([KGRADE, *arguments], stdin=subprocess.DEVNULL, stdout=own_output or theirs, stderr=theirs,
                          **options) as process:
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


class HelpTest(unittest.TestCase):
    """On a terminal the help is as wide as the terminal, and says the same as elsewhere."""

    @staticmethod
    def lines(columns, *arguments):
        return on_terminal(arguments, columns).replace("\r\n", "\n").splitlines()

    def test_it_wraps_to_the_width_of_the_terminal(self):
        for arguments in (["--help"], ["grade", "--help"], ["help", "sweep"], ["serve", "--help"]):
            elsewhere = subprocess.run([KGRADE, *arguments], capture_output=True, text=True, check=True).stdout
            self.assertGreater(max(map(len, elsewhere.splitlines())), 120, "elsewhere, nothing is wrapped")
            for columns in (40, 80, 120):
                with self.subTest(arguments=arguments, columns=columns):
                    lines = self.lines(columns, *arguments)
                    # Only a word that is longer than a line remains longer.
                    self.assertEqual([line for line in lines if len(line) > columns and len(line.split()) > 1], [])
                    self.assertEqual(" ".join(lines).split(), elsewhere.split())

    def test_descriptions_stay_in_their_column(self):
        lines = self.lines(80, "grade", "--help")
        place = next(i for i, line in enumerate(lines) if line.startswith("  --hidden N"))
        self.assertTrue(lines[place][30:].startswith("Draw N hidden shapes"), lines[place])
        self.assertRegex(lines[place + 1], r"^ {30}\S")


class ProgressTest(unittest.TestCase):
    """On a terminal the progress line has a clock that goes on during one long call."""

    def test_the_clock_goes_on_during_one_call(self):
        environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"} | {"TERM": "xterm"}
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {"problems/slow.md": PROBLEM, "reference/slow.cu": REFERENCE, "slow.cu": CANDIDATE}.items():
                path = Path(folder, name)
                path.parent.mkdir(exist_ok=True)
                path.write_text(text)
            text = on_terminal(["grade", "slow", "slow.cu", "--device", "emulated", "--case", "tiny", "--time-limit", "60"],
                               own_output=subprocess.DEVNULL, cwd=folder, env=environment)
        seconds = {float(number) for number in re.findall(r"([0-9.]+) s  slow\.cu: tiny: call 1", text)}
        self.assertGreater(len(seconds), 1, text)


def run_without_a_reader(arguments, disposition):
    """Runs the program with a pipe that nobody reads, under a parent that takes SIGPIPE so."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        return subprocess.run([KGRADE, *arguments], stdin=subprocess.DEVNULL, stdout=writer, stderr=subprocess.PIPE, text=True,
                              check=False, restore_signals=False, preexec_fn=lambda: signal.signal(signal.SIGPIPE, disposition))
    finally:
        os.close(writer)


class LostOutputTest(unittest.TestCase):
    """A reader that leaves ends the program quietly, and a full disk does not."""

    def test_a_reader_that_left_ends_it_as_sigpipe_does(self):
        for disposition in (signal.SIG_DFL, signal.SIG_IGN):
            for arguments in (["list"], ["list", "--names"], ["man"], ["--help"], ["help", "grade"]):
                with self.subTest(arguments=arguments, disposition=disposition):
                    outcome = run_without_a_reader(arguments, disposition)
                    self.assertEqual((outcome.returncode, outcome.stderr), (-signal.SIGPIPE, ""))

    def test_a_full_disk_is_said(self):
        for arguments in (["list"], ["cache"], ["--version"]):
            with self.subTest(arguments=arguments), open("/dev/full", "w", encoding="utf-8") as full:
                outcome = subprocess.run([KGRADE, *arguments], stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE,
                                         text=True, check=False)
                self.assertEqual(outcome.returncode, 3)
                self.assertIn("No space left on device", outcome.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)
