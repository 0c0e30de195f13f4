"""help_test.py KGRADE: on a terminal the help is as wide as the terminal, and says the same as elsewhere."""

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
import unittest

KGRADE = sys.argv[1]


def on_terminal(columns, *arguments):
    """The lines that the program prints on a terminal with so many columns."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    with subprocess.Popen([KGRADE, *arguments], stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        text = b""
        while True:
            try:
                text += os.read(ours, 4096)
            except OSError:  # the other side is closed
                break
        process.wait()
    os.close(ours)
    return text.decode().replace("\r\n", "\n").splitlines()


class HelpTest(unittest.TestCase):
    def test_it_wraps_to_the_width_of_the_terminal(self):
        for arguments in (["--help"], ["grade", "--help"], ["help", "sweep"], ["serve", "--help"]):
            elsewhere = subprocess.run([KGRADE, *arguments], capture_output=True, text=True, check=True).stdout
            self.assertGreater(max(map(len, elsewhere.splitlines())), 120, "elsewhere, nothing is wrapped")
            for columns in (40, 80, 120):
                with self.subTest(arguments=arguments, columns=columns):
                    lines = on_terminal(columns, *arguments)
                    # Only a word that is longer than a line remains longer.
                    self.assertEqual([line for line in lines if len(line) > columns and len(line.split()) > 1], [])
                    self.assertEqual(" ".join(lines).split(), elsewhere.split())

    def test_descriptions_stay_in_their_column(self):
        lines = on_terminal(80, "grade", "--help")
        place = next(i for i, line in enumerate(lines) if line.startswith("  --hidden N"))
        self.assertTrue(lines[place][30:].startswith("Draw N hidden shapes"), lines[place])
        self.assertRegex(lines[place + 1], r"^ {30}\S")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
