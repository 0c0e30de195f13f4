"""For tests on the Slurm test bed: calls of tools/slurm_cluster.py, and the end of a test where Slurm is not installed."""

import subprocess
import sys
import tempfile
from pathlib import Path

TOOL = Path(__file__).resolve().parents[3] / "tools" / "slurm_cluster.py"
NOT_INSTALLED = 3
SKIPPED = 77


def tool(*arguments, **options):
    return subprocess.run([sys.executable, TOOL, *map(str, arguments)], capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL, **options)


def exit_without_slurm():
    """Ends a test with 77, which skips it, if Slurm is not installed."""
    with tempfile.TemporaryDirectory() as folder:
        outcome = tool("status", folder)
    if outcome.returncode == NOT_INSTALLED:
        print(f"skipped: Slurm is not installed; {outcome.stderr}")
        sys.exit(SKIPPED)
