"""For tests: the problems of modules/ and the answers to them. MODULES/NAME.py is a problem.

MODULES/NAME/ has its right answers, right*, and its wrong ones, wrong_*. Most wrong ones are rows of modules/planted.json,
which change a few words of right.py (tools/plant.py). MODULES is a copy of modules/ that has these files too.
"""

import pathlib
import sys

TESTS = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(TESTS.parents[2] / "tools"))
import plant  # noqa: E402  pylint: disable=wrong-import-position

MODULES = plant.expanded(TESTS / "modules")


def answers(problem):
    """The files of a problem's answers, sorted by name."""
    return sorted(file for file in (MODULES / problem.stem).iterdir() if file.suffix in (".py", ".cu"))
