"""leaderboard_browser.py KGRADE FOLDER: tests the leaderboard's page in a real browser, with 50,000 synthetic records.
Screenshots go to FOLDER, or where KGRADE_SCREENSHOTS says. Exit code 77, for a skipped test, if there is no Chromium."""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tools/leaderboard"))
sys.dont_write_bytecode = True

import synthetic  # noqa: E402
from browser import Browser, find_chromium  # noqa: E402
from page_records import (on_the_emulated_device, page_of, recorded_sweep, records_for_a_newcomer,  # noqa: E402
                          records_with_history, with_a_long_name)

RECORDS = 50_000
SKIPPED = 77
ROWS = "document.querySelectorAll('#rows tr:not(.details)').length"
NAMES = "[...document.querySelectorAll('#rows .name a')].map(a => a.textContent)"
HEAD = "document.querySelector('th[data-sort={0}]')"
STATUS = "document.getElementById('status').textContent"
WIDTH = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
OUTSIDE = ("[...document.querySelectorAll('figure svg text')].filter(t => { const [a, b] = [t, t.ownerSVGElement]"
           ".map(e => e.getBoundingClientRect()); return a.left < b.left - 1 || a.right > b.right + 1; })"
           ".map(t => t.textContent)")
SMALLEST_TEXT = ("Math.min(...[...document.querySelectorAll('figure svg text')].map(t => { const svg = t.ownerSVGElement;"
                 "return parseFloat(getComputedStyle(t).fontSize) * svg.getBoundingClientRect().width / svg.viewBox.baseVal.width; }))")
CLEAR = "document.querySelector('#filters button[type=reset]').click()"

failures: list[str] = []


def expect(what: str, seen, wanted=True) -> None:
    if seen != wanted:
        failures.append(f"{what}: {seen!r} and not {wanted!r}")


def column(browser: Browser, number: int) -> list[str]:
    return browser.evaluate(f"[...document.querySelectorAll('#rows tr > :nth-child({number})')].map(c => c.innerText)")


def view(browser: Browser, name: str) -> None:
    browser.evaluate(f"document.querySelector('#tabs a[data-view={name}]').click()")


def press_kind(browser: Browser, kind: str) -> None:
    browser.evaluate(f"document.querySelector('#kinds button[data-kind={kind}]').click()")


def choose(browser: Browser, control: str, text: str) -> None:
    browser.evaluate(f"(() => {{ const s = document.getElementById('{control}');"
                     f"s.value = [...s.options].find(o => o.text === '{text}').value;"
                     "s.dispatchEvent(new Event('input')); })()")


def opens(browser: Browser, url: str) -> None:
    browser.open(url)
    expect("a card for each problem", browser.evaluate("document.querySelectorAll('.card').length"), synthetic.PROBLEMS)
    expect("the plain table is away", browser.evaluate("document.querySelector('.plain').checkVisibility()"), False)
    expect("the status tells the number", browser.evaluate(STATUS).endswith(f"results on {synthetic.PROBLEMS} problems"))
    view(browser, "charts")
    expect("all charts are drawn", browser.evaluate("document.querySelectorAll('figure svg').length"), 4)
    view(browser, "results")
    expect("rows of the first page", browser.evaluate(ROWS), 25)
    # For any number of records: one page of rows, 750 points with titles in two charts, a dozen solutions in each table.
    expect("elements of the page are few", browser.evaluate("document.querySelectorAll('*').length < 12000"))


def sorts(browser: Browser) -> None:
    heads = browser.evaluate("[...document.querySelectorAll('#table thead th')].map(h => h.dataset.sort)")
    expect("columns", len(heads), 9)
    for name in heads:
        head = HEAD.format(name)
        orders = []
        for _ in range(2):
            browser.evaluate(f"{head}.querySelector('button').click()")
            orders.append((browser.evaluate(f"{head}.getAttribute('aria-sort')"), browser.evaluate(NAMES)))
        expect(f"two presses on {name} sort both ways", {order for order, _ in orders}, {"ascending", "descending"})
        expect(f"the order by {name} changes", orders[0][1] != orders[1][1])
        expect("one column is the sorted one", browser.evaluate(
            "document.querySelectorAll('th[aria-sort=ascending], th[aria-sort=descending]').length"), 1)
    browser.evaluate("document.querySelector('th[data-sort=speedup] button').click()")
    speeds = browser.evaluate("[...document.querySelectorAll('#rows .value')].map(v => parseFloat(v.textContent))")
    expect("the fastest comes first", speeds == sorted(speeds, reverse=True) and len(speeds) == 25)
    browser.evaluate(CLEAR)


def filters(browser: Browser) -> None:
    choose(browser, "device", "NVIDIA B")
    choose(browser, "precision", "tf32")
    view(browser, "problems")
    browser.evaluate("document.querySelector('.card a[data-problem=synthetic-problem-07]').click()")
    expect("only the GPU and the class asked for", set(column(browser, 4)), {"B\ntf32"})
    expect("only the problem asked for", set(column(browser, 3)), {"synthetic-problem-07"})
    ranks = [int(rank.rstrip("=")) for rank in column(browser, 1) if rank != "\u2013"]
    expect("one board by rank", ranks == sorted(ranks) and ranks[0] == 1)
    address = browser.evaluate("location.hash")
    shown = browser.evaluate(NAMES)
    browser.open(browser.evaluate("location.href.split('#')[0]") + "?again" + address)
    expect("the address brings the same view back", browser.evaluate(NAMES), shown)
    browser.evaluate(CLEAR)
    browser.evaluate("document.getElementById('q').focus()")
    browser.type("warp-split nvidia c")
    expect("a search finds by name and GPU", set(browser.evaluate(NAMES)), {"warp-split.cu"})
    browser.type(" nothing-like-it")
    expect("a search without a match says so", column(browser, 1), ["Nothing matches."])
    browser.evaluate(CLEAR)
    press_kind(browser, "failed")
    browser.evaluate("document.getElementById('q').focus()")
    browser.type("compile_error")
    shown = browser.evaluate("[...document.querySelectorAll('#rows .result')].map(c => c.innerText.split('\\n'))")
    expect("only the verdict asked for", {verdict for verdict, _ in shown}, {"compile_error"})
    expect("and why, without a click", all("undefined" in why for _, why in shown))
    browser.evaluate(CLEAR)
    browser.evaluate("document.getElementById('next').click()")
    expect("the next page", browser.evaluate("document.getElementById('range').textContent").startswith("26\u201350 of"))
    browser.evaluate(CLEAR)


def links_to_a_row(browser: Browser, url: str, board: dict) -> None:
    row = board["rows"][-1]
    browser.open("about:blank")
    browser.open(f"{url}#r-{row['id']}")
    chosen = "document.querySelector('#rows tr.chosen')"
    expect("the row that is linked", browser.evaluate(f"{chosen}.id"), f"r-{row['id']}")
    expect("its path is told", browser.evaluate(f"{chosen}.nextElementSibling.innerText").count(row["candidate"]), 1)
    expect("it has the focus", browser.evaluate(f"{chosen}.contains(document.activeElement)"))
    expect("it is on the screen", browser.evaluate(
        f"{chosen}.getBoundingClientRect().top > 0 && {chosen}.getBoundingClientRect().bottom < innerHeight"))
    browser.press("Enter")
    expect("pressing it again closes it", browser.evaluate("document.querySelectorAll('tr.details').length"), 0)
    browser.press("Enter")
    expect("and opens it", browser.evaluate("document.querySelectorAll('tr.details').length"), 1)


def keeps_the_filters(browser: Browser, url: str) -> None:
    """Whatever is opened, what was asked for stays."""
    browser.open("about:blank")
    browser.open(f"{url}#view=results&q=warp&device=NVIDIA+C&sort=-speedup&page=2")
    asked = "[document.getElementById('q').value, document.getElementById('device').value, document.getElementById('range').textContent]"
    before, names = browser.evaluate(asked), browser.evaluate(NAMES)
    browser.evaluate("document.querySelectorAll('#rows .name a')[3].click()")
    expect("opening a row changes no filter", (browser.evaluate(asked), browser.evaluate(NAMES)), (before, names))
    expect("it is open", browser.evaluate("document.querySelectorAll('tr.details').length"), 1)
    address = browser.evaluate("location.href")
    browser.open("about:blank")
    browser.open(address)
    expect("its address brings all back", (browser.evaluate(asked), browser.evaluate("document.querySelectorAll('tr.details').length")),
           (before, 1))
    view(browser, "problems")
    expect("nor does another view", browser.evaluate("document.getElementById('q').value"), "warp")
    expect("all cards have what was searched for", browser.evaluate(
        "[...document.querySelectorAll('.board .where')].every(w => w.innerText.startsWith('C'))"))


def explains_its_columns(browser: Browser, url: str) -> None:
    browser.open("about:blank")
    browser.open(f"{url}#view=results&rows=100")
    browser.evaluate("scrollTo({top: 2000, behavior: 'instant'})")
    places = browser.evaluate("['#filters', 'th[data-sort=speedup]'].map(s => document.querySelector(s).getBoundingClientRect())"
                              ".map(r => [Math.round(r.top), Math.round(r.bottom)])")
    expect("filters and heads stay in sight", (places[0][0], abs(places[1][0] - places[0][1]) <= 1), (0, True))
    shown = "[...document.querySelectorAll('.tip')].filter(t => t.checkVisibility()).map(t => t.id)"
    expect("no explanation unasked", browser.evaluate(shown), [])
    browser.evaluate("document.querySelector('th[data-sort=gpu] button').focus()")
    browser.press("Tab")
    expect("the focus shows the explanation", browser.evaluate(shown), ["tip-speedup"])
    expect("within the page", browser.evaluate(
        "(() => { const r = document.getElementById('tip-speedup').getBoundingClientRect(); return r.left >= 0 && r.right <= innerWidth; })()"))


def works_by_keyboard(browser: Browser, url: str) -> None:
    browser.open("about:blank")
    browser.open(f"{url}#view=results")
    browser.press("Tab")
    expect("the first stop skips to the table", browser.evaluate("document.activeElement.className"), "skip")
    reached = []
    for _ in range(40):
        browser.press("Tab")
        reached.append(browser.evaluate("document.activeElement.closest('th') ? 'by ' + document.activeElement.closest('th').dataset.sort"
                                        " : document.activeElement.id"))
        if reached[-1] == "by speedup":
            break
    expect("controls come before the columns", [name for name in reached if name in ("q", "device", "precision")],
           ["q", "device", "precision"])
    expect("the focus can be seen", browser.evaluate("getComputedStyle(document.activeElement).outlineStyle"), "solid")
    browser.press("Enter")
    expect("Enter sorts", browser.evaluate(HEAD.format("speedup") + ".getAttribute('aria-sort')"), "descending")
    browser.press(" ")
    expect("Space turns the order", browser.evaluate(HEAD.format("speedup") + ".getAttribute('aria-sort')"), "ascending")
    browser.evaluate(CLEAR)


def contrast_of(browser: Browser, kind: str) -> float:
    """The contrast (WCAG 2.2, 1.4.3) of text of this class on the page's background."""
    browser.evaluate(f"document.body.insertAdjacentHTML('beforeend', '<a id=\"probe\" class=\"{kind}\">x</a>')")
    luminance = ("c => [0.2126, 0.7152, 0.0722].reduce((sum, w, i) => { const v = c.match(/[\\d.]+/g)[i] / 255;"
                 "return sum + w * (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); }, 0)")
    colours = browser.evaluate(f"[getComputedStyle(document.getElementById('probe')).color,"
                               f"getComputedStyle(document.body).backgroundColor].map({luminance})")
    browser.evaluate("document.getElementById('probe').remove()")
    return (max(colours) + 0.05) / (min(colours) + 0.05)


def looks_right(browser: Browser, folder: Path) -> None:
    grounds = []
    for scheme in ("light", "dark"):
        browser.colours(scheme)
        grounds.append(browser.evaluate("getComputedStyle(document.body).backgroundColor"))
        for text in ("link", "about", "interval", "accepted", "refused", "neutral"):
            expect(f"contrast of {text}, {scheme}", contrast_of(browser, text) >= 4.5)
        for name in ("problems", "results", "charts"):
            view(browser, name)
            browser.screenshot(folder / f"{scheme}-{name}.png")
    expect("dark is dark", grounds, ["rgb(255, 255, 255)", "rgb(21, 24, 28)"])
    browser.colours("light")
    expect("nothing sticks out of a wide screen", browser.evaluate(WIDTH), 0)
    browser.resize(390, 844, phone=True, scale=2)
    expect("nothing sticks out of a phone's screen", browser.evaluate(WIDTH), 0)
    browser.screenshot(folder / "phone-charts.png")
    expect("texts of charts can be read on a phone", browser.evaluate(SMALLEST_TEXT) >= 11)
    expect("figures say of what they are", browser.evaluate(
        "new Set([...document.querySelectorAll('figure .where')].map(w => w.innerText)).size"), 1)
    for name in ("problems", "results"):
        view(browser, name)
        expect(f"nor of {name}", browser.evaluate(WIDTH), 0)
        browser.screenshot(folder / f"phone-{name}.png")
    expect("a row is a card on a phone", browser.evaluate("getComputedStyle(document.querySelector('#rows tr')).display"), "block")
    browser.resize(320, 640, phone=True)
    expect("nor of a narrow one", browser.evaluate(WIDTH), 0)


def fits(browser: Browser, url: str, folder: Path) -> None:
    """Names as long as those of kgrade's own problems; the synthetic ones are shorter."""
    for width in (1360, 1280, 1024, 800):
        browser.resize(width, 900)
        browser.open("about:blank")
        browser.open(url)
        for name in ("problems", "results", "solutions", "reading", "charts"):
            view(browser, name)
            expect(f"nothing of {name} sticks out of {width} pixels", browser.evaluate(WIDTH), 0)
        expect(f"texts of charts lie within, at {width} pixels", browser.evaluate(OUTSIDE), [])
    browser.resize(1280, 900)
    for name in ("charts", "results", "problems"):
        view(browser, name)
        browser.screenshot(folder / f"records-{name}.png")


def fits_long_names(browser: Browser, url: str, folder: Path) -> None:
    """GPU models with the longest names that drivers give."""
    for width in (1440, 1360, 1280, 1152, 1024, 961, 800, 390):
        browser.resize(width, 900)
        browser.open("about:blank")
        browser.open(url)
        for name in ("problems", "results", "charts"):
            view(browser, name)
            expect(f"with a long GPU name nothing of {name} sticks out of {width} pixels", browser.evaluate(WIDTH), 0)
        expect(f"nor of the texts of charts, at {width} pixels", browser.evaluate(OUTSIDE), [])
    browser.resize(1024, 900)
    view(browser, "results")
    browser.screenshot(folder / "long-names.png")


def open_without_scripts(browser: Browser, url: str) -> None:
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    browser.open("about:blank")
    browser.open(url)
    browser.call("Emulation.setScriptExecutionDisabled", value=False)


def has_only_verdicts(browser: Browser, url: str, folder: Path) -> None:
    """After a sweep on the emulated device, with and without scripts."""
    browser.resize(1280, 900)
    open_without_scripts(browser, url)
    expect("columns without scripts", browser.evaluate(
        "[...document.querySelectorAll('.plain th')].filter(h => h.offsetParent).map(h => h.innerText)"),
        ["problem", "candidate", "device", "verdict"])
    browser.open("about:blank")
    browser.open(url)
    view(browser, "charts")
    expect("charts say why they are empty", browser.evaluate(
        "[...document.querySelectorAll('figure')].filter(f => !f.querySelector('svg')).every(f => f.innerText.includes('measured'))"))
    view(browser, "results")
    expect("columns without speeds", browser.evaluate(
        "[...document.querySelectorAll('#table thead th')].filter(h => h.offsetParent).map(h => h.dataset.sort)"),
        ["candidate", "problem", "gpu", "result", "measured"])
    expect("no empty cells", browser.evaluate(
        "[...document.querySelectorAll('#rows td')].filter(c => c.offsetParent && !c.innerText.trim()).length"), 0)
    expect("why nothing has a rank", "the emulated device measures no speed" in browser.evaluate("document.getElementById('rows').innerText"))
    browser.screenshot(folder / "verdicts.png")


def shows_history_and_runs(browser: Browser, url: str) -> None:
    """The page of records_with_history()."""
    browser.open("about:blank")
    browser.open(f"{url}#view=results")
    expect("the problem's type, and other candidates of it", column(browser, 3), ["scale", "scale", "scale, float16"])
    cells = [column(browser, number)[0] for number in (1, 2, 4, 6, 7, 8, 9)]
    expect("a row", cells, ["1", "a.cu", "H200\nfp32", "4.00 ms", "2.0 %", "accepted", "2026-01-04"])
    expect("its speedup, against both", column(browser, 5)[0].split("\n"), ["2.00\u00d7 1.990\u20132.010", "vs cudnn-fp32, 3.00\u00d7 reference"])
    browser.evaluate("document.querySelector('#rows .name a').click()")
    facts = dict(browser.evaluate("[...document.querySelectorAll('.details dt')].map(d => [d.innerText, d.nextElementSibling.innerText])"))
    expect("results of another class have no speed, and new versions are marked", facts["Before"],
           "2026-01-01 accepted (then changed), 2026-01-02 2.00\u00d7 (then changed), 2026-01-03 2.00\u00d7")
    expect("what a library is to it", facts["Library"], "2.00\u00d7 cudnn-fp32 (1.990\u20132.010)")
    expect("why a candidate was refused, without a click", "<i>no</i>" in column(browser, 5)[1])
    view(browser, "charts")
    expect("points of the history, and those ringed", browser.evaluate(
        "['.dot', '.changed'].map(kind => document.querySelectorAll('#history ' + kind).length)"), [4, 2])
    view(browser, "problems")
    expect("a small history", browser.evaluate("document.querySelectorAll('.spark').length"), 1)
    view(browser, "solutions")
    tables = browser.evaluate("[...document.querySelectorAll('#suites table')].map(t => [...t.querySelectorAll('tbody tr')]"
                              ".map(r => [...r.cells].map(c => c.innerText)))")
    expect("runs and pass@k", tables[0], [["<b>", "1", "NVIDIA H200", "1", "1", "1", "pass@1 100.0 %"]])
    expect("a solution over all problems", tables[1],
           [["a", "1 of 1", "3.00\u00d7 2.990\u20133.010", "100 %", "100 %", "100 %", "100 %", "0 %", "0 %"]])
    expect("what solutions are compared with", browser.evaluate(
        "[...document.querySelectorAll('#suites summary')].map(s => s.innerText)"),
        [f"NVIDIA H200{kind}, fp32 against {against}" for kind in ("", ", float16")
         for against in ("the reference", "the strongest baseline")])


def answers_a_newcomer(browser: Browser, url: str, folder: Path) -> None:
    """The page of records_for_a_newcomer()."""
    for width in (1280, 390):
        browser.resize(width, 900, phone=width < 500)
        browser.open("about:blank")
        browser.open(url)
        notes = browser.evaluate("[...document.querySelectorAll('.notes li')].map(n => n.innerText.split('\\n')[0])")
        expect("why there are no ranks, before everything", notes[0],
               "1 of 6 results here is --quick: no interval, no rank. Grade without --quick for ranks.")
        expect("what was compared with a library", notes[2].startswith("1 of 2 problems was compared with a library."))
        expect("which problems are missing", notes[-1].endswith("problems have no result on NVIDIA H200"))
        browser.evaluate("document.getElementById('q').focus()")
        browser.type("softmax")
        card = browser.evaluate("document.querySelector('.card').innerText.split('\\n').filter(line => line.trim())")
        expect("who leads at softmax, and by how much", (card[0], card[1:]),
               ("softmax", ["statement", "H200 \u00b7 fp32", "faster than cudnn-fp32", "ada", "1.50\u00d7 1.490\u20131.510",
                            "25 % faster than bob", "4 entries, 2 failed", "2.0 % of roofline"]))
        browser.screenshot(folder / f"newcomer-{width}.png")
        browser.evaluate(CLEAR)
        view(browser, "results")
        press_kind(browser, "beats")
        expect("which kernels beat a library", browser.evaluate(NAMES), ["ada.cu", "bob.cu"])
        press_kind(browser, "unranked")
        seen = browser.evaluate("document.querySelector('#rows tr').innerText")
        expect("why a row has no rank", "no rank: --quick gives no interval" in seen)
        expect("nor was it compared with a library", "vs reference, no library" in seen)
        press_kind(browser, "failed")
        seen = browser.evaluate("[...document.querySelectorAll('#rows .result')].map(r => r.innerText.split('\\n'))")
        expect("what failed and why", seen, [["compile_error", "cyd.cu(6): error: expected a ;"],
                                             ["wrong_answer", "case 'tiny': all wrong"]])
        browser.screenshot(folder / f"newcomer-failed-{width}.png")
        press_kind(browser, "unsupported")
        colours = [browser.evaluate(f"getComputedStyle(document.querySelector('{what}')).color") for what in ("#rows .verdict", ".about")]
        expect("what only a GPU can run is not red", colours[0], colours[1])


def prints(browser: Browser, folder: Path) -> None:
    browser.resize(1360, 900)
    view(browser, "results")
    browser.medium("print")
    expect("controls are not printed", browser.evaluate("getComputedStyle(document.getElementById('filters')).display"), "none")
    browser.medium("")
    pages = len(re.findall(rb"/Type\s*/Page\b", browser.pdf(folder / "print.pdf")))
    expect("a few pages of paper", 1 < pages < 30)


def works_without_scripts(browser: Browser, url: str) -> None:
    open_without_scripts(browser, url)
    expect("leaders stand in the page", browser.evaluate(
        "[...document.querySelectorAll('.plain tbody tr')].filter(r => r.checkVisibility()).length"), 100)
    expect("controls and charts that would be empty are away", browser.evaluate(
        "['filters', 'table', 'pager', 'charts', 'suites', 'tabs'].filter(id => document.getElementById(id).checkVisibility())"), [])
    for width in (1280, 390):
        browser.resize(width, 900)
        expect(f"without scripts nothing sticks out of {width} pixels", browser.evaluate(WIDTH), 0)


def check_page(program: str, page: Path, board: dict, real: Path, long: Path, verdicts: Path, history: Path, newcomer: Path,
               folder: Path) -> None:
    url = page.as_uri()
    with Browser(program) as browser:
        browser.resize(1360, 900)
        opens(browser, url)
        sorts(browser)
        filters(browser)
        links_to_a_row(browser, url, board)
        keeps_the_filters(browser, url)
        explains_its_columns(browser, url)
        works_by_keyboard(browser, url)
        looks_right(browser, folder)
        prints(browser, folder)
        fits(browser, real.as_uri(), folder)
        fits_long_names(browser, long.as_uri(), folder)
        has_only_verdicts(browser, verdicts.as_uri(), folder)
        shows_history_and_runs(browser, history.as_uri())
        answers_a_newcomer(browser, newcomer.as_uri(), folder)
        expect("what the page complained about", browser.complaints(), [])
        expect("what the page asked for", browser.requests(), [])
        works_without_scripts(browser, url)


def main(kgrade: str, folder: str) -> int:
    program = find_chromium()
    if program is None:
        print("skipped: there is no Chromium\n  remedy: tools/setup.sh --all-tests, or KGRADE_CHROMIUM=<program>")
        return SKIPPED
    with tempfile.TemporaryDirectory() as work:
        records, page, form, real = (Path(work) / name for name in ("records.jsonl", "page.html", "leaderboard.json", "real.html"))
        synthetic.write(RECORDS, records, slim=True)
        subprocess.run([kgrade, "leaderboard", str(records), "--html", str(page), "--json", str(form)],
                       check=True, stdout=subprocess.DEVNULL)
        subprocess.run([kgrade, "leaderboard", str(ROOT / "results"), "--html", str(real)], check=True, stdout=subprocess.DEVNULL)
        long = page_of(kgrade, Path(work) / "long", recorded_sweep(with_a_long_name))
        verdicts = page_of(kgrade, Path(work) / "verdicts", recorded_sweep(on_the_emulated_device))
        history = page_of(kgrade, Path(work) / "history", records_with_history())
        newcomer = page_of(kgrade, Path(work) / "newcomer", records_for_a_newcomer())
        boards = json.loads(form.read_text(encoding="utf-8"))["boards"]
        check_page(program, page, max(boards, key=lambda board: len(board["rows"])), real, long, verdicts, history, newcomer,
                   Path(os.environ.get("KGRADE_SCREENSHOTS", folder)))
    print("\n".join(failures) or "the page does what it should")
    return 1 if failures else 0


sys.exit(main(*sys.argv[1:]))
