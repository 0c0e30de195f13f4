"""Grades a model's answers to one of KernelBench's files: `grade_answers.py 23_Softmax.py answers/`.

The folder has one text file for each answer. The service is that of $KGRADE_URL; without one, this starts its own.
"""

import os
import sys
from pathlib import Path

import kgrade


def main(problem: str, folder: str) -> None:
    files = sorted(each for each in Path(folder).iterdir() if each.is_file())
    with kgrade.local() if not os.environ.get("KGRADE_URL") else kgrade.Client() as client:
        # The ending .md says that the text is an answer with code blocks.
        grades = client.grade_many((problem, each.read_text(errors="replace"), f"{each.stem}.md") for each in files)
    for file, grade in zip(files, grades):
        speedup = f"{grade.speedup:.2f}x" if grade.speedup else ""
        print(f"{file.name:30} {grade.verdict or grade.fault:20} {speedup:>8}  {grade.reason[:80]}")
    judged = [each for each in grades if each.ok]
    faster = sum(each.accepted and each.speedup_interval is not None and each.speedup_interval.low > 1 for each in judged)
    # An answer without a verdict is not a wrong answer, so it does not count.
    print(f"{len(judged)} of {len(grades)} answers have a verdict: {sum(each.correct for each in judged)} right, {faster} faster")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
