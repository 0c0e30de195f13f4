#!/usr/bin/env python3
"""Makes the picture of the leaderboard that the documents show: the page of records, as Chromium draws it.

    tools/leaderboard/picture.py [--kgrade PROGRAM] [--records PATH] [--address '#show=ranked'] [--output PICTURE]

The ending of PICTURE selects its format, .webp or .png. A WebP file is a third as large as a PNG file.
The default is results/leaderboard.webp."""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True

from browser import Browser, find_chromium

ROOT = Path(__file__).resolve().parents[2]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kgrade", default=str(ROOT / "build/release/bin/kgrade"))
    parser.add_argument("--records", default="results")
    parser.add_argument("--address", default="", help="the part of the page's address that says the view: #view=charts")
    parser.add_argument("--size", default="1280x860")
    parser.add_argument("--output", type=Path, default=ROOT / "results/leaderboard.webp")
    arguments = parser.parse_args()
    program = find_chromium()
    if program is None:
        sys.exit("picture.py: there is no Chromium; tools/setup.sh --all-tests installs it")
    with tempfile.TemporaryDirectory() as work, Browser(program) as browser:
        page = Path(work) / "page.html"
        subprocess.run([str(Path(arguments.kgrade).absolute()), "leaderboard", arguments.records, "--html", str(page)],
                       check=True, stdout=subprocess.DEVNULL, cwd=ROOT)
        browser.resize(*map(int, arguments.size.split("x")))
        browser.open(page.as_uri() + arguments.address)
        browser.evaluate("scrollTo({top: 0, behavior: 'instant'})")
        browser.screenshot(arguments.output.absolute())
    print(f"{arguments.output}: {arguments.output.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
