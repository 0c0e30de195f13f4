#!/usr/bin/env python3
"""Measures what a leaderboard of many records costs: the size of the records, the time to read them, the size of the
output, and the time until the page can be used in a browser. Prints a Markdown table; asserts nothing.

    tools/leaderboard/scale.py [--kgrade PROGRAM] [--records 1000,10000,50000] [--openings N]

The page is opened N times; the table gives the median and the largest time, from the start of the navigation to the first
frame that shows the table and the charts."""

import argparse
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True

import synthetic
from browser import Browser, find_chromium

ROOT = Path(__file__).resolve().parents[2]


def megabytes(path: Path) -> str:
    return f"{path.stat().st_size / 1e6:.1f} MB"


def timed(command: list) -> tuple[float, str]:
    """Seconds, and the peak memory of the program, if there is time(1) to measure it."""
    begin = time.perf_counter()
    with_memory = Path("/usr/bin/time").exists()
    done = subprocess.run((["/usr/bin/time", "-v"] if with_memory else []) + list(map(str, command)), check=True,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    seconds = time.perf_counter() - begin
    kib = re.search(r"Maximum resident set size \(kbytes\): (\d+)", done.stderr)
    return seconds, f"{int(kib[1]) / 1024:.0f} MiB" if kib else "-"


def action_times(browser: Browser) -> tuple[float, float]:
    """The seconds to sort all rows, and to search in all rows, until the next frame."""
    measure = ("(() => {{ const begin = performance.now(); {0}; return new Promise(done => requestAnimationFrame(() =>"
               " setTimeout(() => done((performance.now() - begin) / 1e3)))); }})()")
    sort = browser.evaluate(measure.format("document.querySelector('th[data-sort=speedup] button').click()"))
    search = ("const q = document.getElementById('q'); q.value = 'warp-split'; q.dispatchEvent(new Event('input'))")
    return sort, browser.evaluate(measure.format(search))


def row_of(count: int, kgrade: str, browser: Browser | None, openings: int) -> list[str]:
    with tempfile.TemporaryDirectory() as work:
        records, form, page = (Path(work) / name for name in ("records.jsonl", "leaderboard.json", "leaderboard.html"))
        synthetic.write(count, records, slim=False)
        seconds, memory = timed([kgrade, "leaderboard", records, "--json", form, "--html", page])
        cells = [f"{count}", megabytes(records), f"{seconds:.2f} s", memory, megabytes(form), megabytes(page)]
        if browser is None:
            return [*cells, "-", "-", "-"]
        opened = []
        for _ in range(openings):
            browser.open("about:blank")
            browser.open(page.as_uri())
            # This is the time after the first frame that begins when the whole page is built.
            opened.append(browser.evaluate("performance.now()") / 1e3)
        sort, search = action_times(browser)
        return [*cells, f"{statistics.median(opened):.2f} s, {max(opened):.2f} s", f"{sort:.2f} s", f"{search:.2f} s"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kgrade", default=str(ROOT / "build/release/bin/kgrade"))
    parser.add_argument("--records", default="1000,10000,50000")
    parser.add_argument("--openings", type=int, default=5)
    arguments = parser.parse_args()
    print("| records | size | read and written in | memory | JSON | page | opens in (median, largest) | sort | search |")
    print("| --: | --: | --: | --: | --: | --: | --: | --: | --: |")
    program = find_chromium()
    for count in map(int, arguments.records.split(",")):
        if program is None:
            cells = row_of(count, arguments.kgrade, None, 0)
        else:
            with Browser(program) as browser:
                browser.resize(1360, 900)
                cells = row_of(count, arguments.kgrade, browser, arguments.openings)
        print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
