"""For tests of `kgrade serve`, which a program that was built without Boost does not have."""

import subprocess
import sys


def exit_without_boost(program):
    """Ends a test with 77, which skips it, if the program has no service."""
    tried = subprocess.run([program, "serve", "--listen", "x"], capture_output=True, text=True, check=False)
    if "without Boost" in tried.stderr:
        print(tried.stderr)
        sys.exit(77)
