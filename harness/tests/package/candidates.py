"""Candidates for tests with a real service, by the verdict that each gets."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SLUG = "vector-addition"
RIGHT = (ROOT / "solutions" / SLUG / "naive.cu").read_text()
CANDIDATES = {
    "accepted": RIGHT,
    "wrong_answer": RIGHT.replace("] + ", "] - "),
    "compile_error": "this is no kernel\n",
    "runtime_error": RIGHT + "\nstruct Crash { Crash() { *(volatile int*)8 = 1; } } crash;\n",
}
# A grade of less than a second.
SMALL = {"cases": ["tiny"], "hidden": 0}
