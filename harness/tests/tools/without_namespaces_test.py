"""without_namespaces_test.py KGRADE: what tools/without_namespaces.py refuses to the programs that it runs, and what they can do
all the same. Exit code 77: its machine has no numbers for the filter."""

import os
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tools"))
import without_namespaces  # noqa: E402

KGRADE = sys.argv.pop(1)
SLUG = "conv-depthwise-2d-square-input-asym-kernel"


def run(*command: str) -> subprocess.CompletedProcess:
    return subprocess.run([str(ROOT / "tools/without_namespaces.py"), *command], capture_output=True, text=True, check=False, cwd=ROOT)


class WithoutNamespaces(unittest.TestCase):
    def test_programs_and_threads_start_and_their_exit_codes_come_back(self):
        program = "import threading, subprocess; threading.Thread(target=print).start(); subprocess.run(['true']); exit(7)"
        result = run(sys.executable, "-c", program)
        self.assertEqual(result.returncode, 7, result.stderr)

    def test_nothing_gets_a_namespace(self):
        for flag in ("--user", "--mount", "--pid", "--net"):
            result = run("unshare", flag, "true")
            self.assertNotEqual(result.returncode, 0, flag)
            self.assertIn("Operation not permitted", result.stderr)

    def test_the_sandbox_does_not_confine_and_candidates_are_graded(self):
        self.assertRegex(run(KGRADE, "doctor").stdout, r"(?m)^lacks +namespaces")
        graded = run(KGRADE, "grade", SLUG, f"solutions/{SLUG}/naive.cu", "--case", "tiny", "--device", "emulated")
        self.assertEqual(graded.returncode, 0, graded.stdout + graded.stderr)
        self.assertIn("not confined: namespaces are missing", graded.stdout + graded.stderr)
        refused = run(KGRADE, "grade", SLUG, f"solutions/{SLUG}/naive.cu", "--case", "tiny", "--device", "emulated", "--require-sandbox")
        self.assertEqual(refused.returncode, 3, refused.stdout + refused.stderr)


if __name__ == "__main__":
    if os.uname().machine not in without_namespaces.MACHINES:
        sys.exit(77)
    unittest.main()
