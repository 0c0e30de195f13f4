"""What the page makes of formulas: MathML, or text if it does not understand one. page_test.py calls shows_formulas()."""

import json
import re

# The element's name with its text or its children: mfrac(mi:a,mi:b). Spaces between terms are left out.
TREE = """(source, isDisplay) => {
  const tree = (each) => each.localName + (each.children.length ? `(${[...each.children].filter(part => part.localName !== 'mspace').map(tree)})`
      : each.textContent ? ':' + each.textContent : '');
  const made = formulaOf(source, isDisplay);
  return made && made.map(group => group.map(each => [...each.children].filter(part => part.localName !== 'mspace').map(tree).join(' ')));
}"""
# The names of all elements that are made of a statement, and milliseconds.
NAMES = """(statement) => {
  const [start, box] = [performance.now(), document.createElement('div')];
  box.append(...blocksOf(statement));
  document.body.append(box);
  const names = [...new Set([...box.querySelectorAll('*')].map(each => (each.namespaceURI.endsWith('MathML') ? 'math:' : '') + each.localName))].sort();
  const [text, height] = [box.innerText, box.clientHeight];
  box.remove();
  return {names, text, height, ms: performance.now() - start};
}"""

STRUCTURES = [
    (r"\frac{a}{b}", False, [["mfrac(mi:a,mi:b)"]]),
    (r"x_i^2", False, [["msubsup(mi:x,mi:i,mn:2)"]]),
    (r"H'", False, [["msup(mi:H,mo:′)"]]),
    (r"\sum_{k=0}^{n} a_k", True, [["munderover(mo:∑,mrow(mi:k,mo:=,mn:0),mi:n) msub(mi:a,mi:k)"]]),
    (r"\sum_{k=0}^{n} a_k", False, [["msubsup(mo:∑,mrow(mi:k,mo:=,mn:0),mi:n) msub(mi:a,mi:k)"]]),
    (r"\max_j x_j", True, [["munder(mi:max,mi:j) msub(mi:x,mi:j)"]]),
    (r"\log_2 x", True, [["msub(mi:log,mn:2) mi:x"]]),
    (r"\left\lfloor \tfrac{r}{2} \right\rfloor \bmod 4", False, [["mrow(mo:⌊,mfrac(mi:r,mn:2),mo:⌋) mo:mod mn:4"]]),
    (r"\text{d\_output}[i]", False, [["mtext:d_output mo:[ mi:i mo:]"]]),
    (r"\sqrt{\textstyle\sum_j p_j^2}", True, [["msqrt(mstyle(msub(mo:∑,mi:j),msubsup(mi:p,mi:j,mn:2)))"]]),
    (r"\lVert p \rVert \le \operatorname{softmax}(x)", False, [["mo:‖ mi:p mo:‖ mo:≤ mi:softmax mo:( mi:x mo:)"]]),
    (r"\begin{aligned} a &= b \\ c &= d \end{aligned}", True,
     [["mtable(mtr(mtd(mi:a),mtd(mo:=,mi:b)),mtr(mtd(mi:c),mtd(mo:=,mi:d)))"]]),
    (r"f = \begin{cases} x & x > 0 \\ 0 & \text{otherwise} \end{cases}", True,
     [["mi:f", "mo:= mrow(mo:{,mtable(mtr(mtd(mi:x),mtd(mi:x,mo:>,mn:0)),mtr(mtd(mn:0),mtd(mtext:otherwise))))"]]),
    # A line may end before a sign that no bracket encloses, and at a wide space.
    (r"y = a + f(b + c) \qquad a = 2", True, [["mi:y", "mo:= mi:a", "mo:+ mi:f mo:( mi:b mo:+ mi:c mo:)"], ["mi:a", "mo:= mn:2"]]),
    (r"(N, C_{\text{in}}, D, H, W)", False, [["mo:( mi:N mo:,", "msub(mi:C,mtext:in) mo:,", "mi:D mo:,", "mi:H mo:,", "mi:W mo:)"]]),
]
NOT_UNDERSTOOD = [r"\frac{a}{\unknown{b}}", r"\frac12", r"\sqrt[3]{x}", r"{a", r"a}", r"a_b_c", r"\left( a", r"a \right)", r"\begin{matrix} a \end{matrix}",
                  r"a & b", r"\href{javascript:hit=1}{x}", r"\text{a $b$}", "\\", "x^", r"\(a\)", "a" * 4001]
# Each nests, is long, or tries to be markup.
HOSTILE = [r"\text{<img src=x onerror=hit=1>}", "<img src=x onerror=hit=1>", r"\operatorname{<script>hit=1</script>}", "{" * 10000, "{" * 1900 + "}" * 1900,
           "x^{" * 900 + "}" * 900, r"\sqrt" * 700 + "x", r"\frac" * 700, r"\left(" * 600, r"\begin{cases}" * 300, "x^" * 1900,
           "a_{b}+" * 600 + "c", "'" * 4000, "|" * 4000, "|" * 100000, "\\textstyle" * 300]


def formulas_in(statement: str) -> int:
    """How many formulas a statement has outside of code."""
    prose = re.sub(r"^```.*?^```", "", statement, flags=re.S | re.M)
    displayed = re.findall(r"^\$\$.*?\$\$\s*$", prose, re.S | re.M)
    prose = re.sub(r"^\$\$.*?\$\$\s*$", "\n", prose, flags=re.S | re.M)
    return len(displayed) + len(re.findall(r"\$[^$]+\$", re.sub(r"`[^`\n]+`", "", prose)))


def shows_formulas(browser, url: str, service, expect) -> None:
    browser.open("about:blank")
    browser.open(url)
    call = lambda function, *values: browser.evaluate(f"({function})({', '.join(map(json.dumps, values))})")  # noqa: E731
    wanted = {slug: [formulas_in(problem["statement"]), []] for slug, problem in service.problems.items()}
    expect("problems with formulas", sum(1 for count, _ in wanted.values() if count) > 100)
    expect("every formula of every problem is drawn", {
        slug: call("""(statement) => {
          const box = document.createElement('div');
          box.append(...blocksOf(statement));
          return [box.querySelectorAll('.math').length, [...box.querySelectorAll('.formula')].map(each => each.textContent)];
        }""", problem["statement"]) for slug, problem in service.problems.items()}, wanted)
    for source, is_display, structure in STRUCTURES:
        expect(source, call(TREE, source, is_display), structure)
    sign = "(source) => { const made = formulaOf(source, false)[0][0].querySelectorAll('mo'); return [...made].map(each => each.getAttribute('form')); }"
    expect("a minus is a sign or stands between terms", [call(sign, source) for source in ("-1", "2 - 1", "2 \\le -1")],
           [["prefix"], ["infix"], ["infix", "prefix"]])
    expect("the alternative text is the source", call("(source) => formulaOf(source, true).flat().map(each => each.getAttribute('alttext'))",
                                                      r"y = \frac{a}{b} \qquad a > 2"), ["y", r"= \frac{a}{b}", "a", "> 2"])
    for source in NOT_UNDERSTOOD:
        expect(f"not understood: {source[:40]}", [call(TREE, source, True), call(TREE, source, False)], [None, None])
    shown = call(NAMES, "A $\\frac{a}{\\unknown}$.\n\n$$\n\\begin{matrix}\n$$")
    expect("what is not understood stays text", (shown["names"], r"\frac{a}{\unknown}" in shown["text"]), (["p", "pre", "span"], True))
    for source in HOSTILE:
        shown = call(NAMES, f"A ${source}$.\n\n$$\n{source}\n$$\n")
        others = {name for name in shown["names"] if not name.startswith("math:")} - {"p", "pre", "span", "div", "wbr"}
        expect(f"{source[:30]!r} makes only text and MathML, within five seconds", (others, shown["ms"] < 5000), (set(), True))
    expect("and runs nothing", browser.evaluate("'hit' in window"), False)
    together = """(statement) => {
      const box = document.createElement('div');
      box.append(...blocksOf(statement));
      document.body.append(box);
      const apart = [];
      for (let width = 20; width < 300; width += 1) {
        box.style.width = `${width}px`;
        const sign = document.createRange();
        sign.selectNodeContents(box.querySelector('.together').lastChild);
        if (sign.getBoundingClientRect().top > box.querySelector('math').getBoundingClientRect().bottom) apart.push(width);
      }
      box.remove();
      return apart;
    }"""
    expect("no line begins with the sign behind a formula", call(together, r"padding $0 \times 1$: the output"), [])
    wraps = """(statement) => {
      const box = document.createElement('div');
      box.append(...blocksOf(statement));
      document.body.append(box);
      box.style.width = '100px';
      const lines = new Set([...box.querySelectorAll('math')].map(each => Math.round(each.getBoundingClientRect().bottom / 10)));
      box.remove();
      return lines.size > 1;
    }"""
    expect("a long formula in a line of text wraps", call(wraps, r"$(N, C, D, H, W, N, C, D, H, W)$"))
    gap = """(statement) => {
      const box = document.createElement('div');
      box.append(...blocksOf(statement));
      document.body.append(box);
      const [whole, inner] = [box.firstElementChild, box.querySelector('math')].map(each => each.getBoundingClientRect());
      box.remove();
      return inner.top - whole.top < 30 && whole.bottom - inner.bottom < 30;
    }"""
    expect("there is little room around a formula", call(gap, "$$\n" + "\\frac{a + b + c}{2 + 3 + 4} + " * 4 + "1\n$$"))
    copied = """(statement) => {
      const box = document.getElementById('statement');
      box.replaceChildren(...blocksOf(statement));
      document.getElementById('view-problem').hidden = false;
      getSelection().selectAllChildren(box);
      const event = new ClipboardEvent('copy', { clipboardData: new DataTransfer(), bubbles: true, cancelable: true });
      box.firstElementChild.dispatchEvent(event);
      return event.clipboardData.getData('text/plain').trim();
    }"""
    expect("a copy has the source, once", call(copied, r"For $x_i \le 2$, say."), r"For $x_i \le 2$, say.")


def fits_a_phone(browser, url: str, service, soon, expect) -> None:
    """Long formulas scroll inside of their own box."""
    long = r"\sum_{c = N \lfloor o/M \rfloor}^{N \lfloor o/M \rfloor + N - 1} \; \sum_{(i,\,k):\; i s_h - p_h + k = y} \; \sum_{(j,\,l):\; j s_w - p_w + l = x} \text{input}[b, c, i, j]"
    service.problems["long"] = service.problems["softmax"] | {"slug": "long", "statement": f"$$\n{long}\n$$"}
    browser.resize(390, 900, phone=True)
    browser.open("about:blank")
    browser.open(url + "#problem=long")
    soon(browser, "the formula", "document.querySelector('#statement math')")
    expect("the page is as wide as the phone, and the formula scrolls", browser.evaluate(
        "[document.documentElement.scrollWidth, document.querySelector('div.math').scrollWidth > document.querySelector('div.math').clientWidth]"), [390, True])
    browser.resize(1280, 900)
    del service.problems["long"]
