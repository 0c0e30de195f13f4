"""For tests: the answers to the problems of modules/. modules/NAME.py is a problem.

modules/NAME/ has its right answers, right*, and its wrong ones: files wrong_*, and mistakes for right.py in wrong.json.
A mistake is an entry with text that occurs once in right.py, and the text that stands in its place:

    {"name": "last_left_out", "replace": "powers.sum(", "with": "powers[:, :-1].sum("}
"""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "tools"))
from wrong_operators import plant  # noqa: E402  pylint: disable=wrong-import-position

MODULES = pathlib.Path(__file__).resolve().parent / "modules"


def answers(problem, folder):
    """The files of a problem's answers, sorted by name. Each mistake becomes a file wrong_* in `folder`/NAME."""
    right = MODULES / problem.stem / "right.py"
    files = [file for file in right.parent.iterdir() if file.suffix in (".py", ".cu")]
    planted = pathlib.Path(folder, problem.stem)
    planted.mkdir()
    for mistake in json.loads((right.parent / "wrong.json").read_text(encoding="utf-8")):
        files.append(planted / f"wrong_{mistake['name']}.py")
        files[-1].write_text(plant(mistake, right, f"{problem.stem}/wrong.json"), encoding="utf-8")
    return sorted(files, key=lambda file: file.name)
