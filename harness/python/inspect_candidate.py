"""Examines a candidate's source without running it: inspect_candidate.py SOURCE CONTRACT ANSWER.

Writes one JSON object to ANSWER: {"status", "message", "line", "entry", "extensions"}; see
kgrade_python/entry_points.py. It needs nothing but the standard library, and runs in the compilers' sandbox: the source
is hostile.
"""

import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from kgrade_python.entry_points import examine  # noqa: E402

if __name__ == "__main__":
    sys.setrecursionlimit(4000)
    with open(sys.argv[1], encoding="utf-8-sig", errors="replace") as source, open(sys.argv[2], encoding="utf-8") as contract:
        answer = examine(source.read(), json.load(contract))
    with open(sys.argv[3], "w", encoding="utf-8") as file:
        json.dump(answer, file)
