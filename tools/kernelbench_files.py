#!/usr/bin/env python3
"""kernelbench_files.py FOLDER OUTPUT [--kgrade KGRADE] [--device DEVICE,...] [--minutes M] [--limit SECONDS] [--jobs N]
grades KernelBench's files, or others in their form, with their own Model as the candidate and with wrong variants of it:

    right       Model itself: must be accepted
    half        Model in half precision: must be refused
    zero NAME   Model without one parameter, which is set to zero in each call: must be refused, one candidate for each

FOLDER holds level1, level2 and so on, or the files. All findings are kept in OUTPUT, one JSON per file, so that the
next call goes on where the last one ended. Interrupted work is done again. Instead of grading:

    --prepare       makes the problem files and candidates, without a device
    --table PATH    writes PATH.md and PATH.json: a row for each file, and the exceptions with their reasons
    --summary       prints the counts
    --self N        grades Model against itself as a user would, for N files, one at a time: faster, slower or same
    --eager N       compares kgrade's time of the reference with that of plain PyTorch (tools/kernelbench/plain.py)

Verdicts do not depend on times. So files are graded side by side, as cases of role `test`, and nothing is measured. A
file that ran out of memory or time, perhaps because of another one, is graded once more alone."""

import argparse
import os
import sys
import time
from pathlib import Path

from kernelbench import grading, report, times
from kernelbench.common import find_files, states_of

ROOT = Path(__file__).resolve().parents[1]


def parse(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0], formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--kgrade", default=str(ROOT / "build/release/bin/kgrade"))
    parser.add_argument("--python", default=os.environ.get("KGRADE_PYTHON", "python3"), help="a Python with PyTorch")
    parser.add_argument("--device", default="cuda", help="cuda, emulated, or several: cuda:0,cuda:1")
    parser.add_argument("--minutes", type=float, default=9.5, help="of this call (default: %(default)s)")
    parser.add_argument("--limit", type=float, default=60, help="seconds for a file (default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=4, help="files side by side on each device (default: %(default)s)")
    parser.add_argument("--first", type=int, default=8, metavar="N",
                        help="parameters that are tried before other files have had their turn (default: %(default)s)")
    parser.add_argument("--only", default="", help="only files whose name has this in it")
    parser.add_argument("--measured", action="store_true", help="grade files as they are, with --quick")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--prepare", action="store_true")
    what.add_argument("--table", type=Path)
    what.add_argument("--summary", action="store_true")
    what.add_argument("--self", type=int, metavar="N", dest="against_self")
    what.add_argument("--eager", type=int, metavar="N")
    options = parser.parse_args(arguments)
    options.devices = options.device.split(",")
    options.output = options.output.absolute()
    options.deadline = time.monotonic() + 60 * options.minutes
    return options


def main():
    options = parse()
    if not find_files(options.folder, options.only):
        print(f"error: {options.folder}: no level*/*.py and no *.py", file=sys.stderr)
        return 2
    if options.prepare:
        grading.prepare_only(options)
    elif options.table:
        report.write_table(options)
    elif options.summary:
        states = states_of(options)
        print(report.in_words(report.counts_of(states)) + "\nStages: " + report.stages_in_words(states))
    elif options.against_self is not None:
        times.against_self(options)
    elif options.eager is not None:
        times.against_eager(options)
    else:
        grading.grade_all(options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
