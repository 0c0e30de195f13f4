"""lost_output_test.py KGRADE: a reader that leaves ends the program quietly, and a full disk does not."""

import os
import signal
import subprocess
import sys
import unittest

KGRADE = sys.argv[1]


def run_without_a_reader(arguments, disposition):
    """Runs the program with a pipe that nobody reads, under a parent that takes SIGPIPE so."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        return subprocess.run(
            [KGRADE, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=writer,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            restore_signals=False,
            preexec_fn=lambda: signal.signal(signal.SIGPIPE, disposition),
        )
    finally:
        os.close(writer)


class LostOutputTest(unittest.TestCase):
    def test_a_reader_that_left_ends_it_as_sigpipe_does(self):
        for disposition in (signal.SIG_DFL, signal.SIG_IGN):
            for arguments in (["list"], ["list", "--names"], ["man"], ["--help"], ["help", "grade"]):
                with self.subTest(arguments=arguments, disposition=disposition):
                    outcome = run_without_a_reader(arguments, disposition)
                    self.assertEqual((outcome.returncode, outcome.stderr), (-signal.SIGPIPE, ""))

    def test_a_full_disk_is_said(self):
        for arguments in (["list"], ["cache"], ["--version"]):
            with self.subTest(arguments=arguments), open("/dev/full", "w", encoding="utf-8") as full:
                outcome = subprocess.run(
                    [KGRADE, *arguments], stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE, text=True, check=False
                )
                self.assertEqual(outcome.returncode, 3)
                self.assertIn("No space left on device", outcome.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
