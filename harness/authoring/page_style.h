// The style of a problem's page: light and dark as the reader's system has it, on paper and on phones.
#pragma once

#include <string_view>

namespace kgrade::authoring {

inline constexpr std::string_view page_style = R"css(
:root { color-scheme: light dark; --text: #1c1e21; --dim: #5b6169; --back: #ffffff; --soft: #f3f4f6;
  --line: #d5d9de; --accent: #0b5cad; }
@media (prefers-color-scheme: dark) { :root { --text: #e4e6e9; --dim: #9aa1aa; --back: #16181b;
  --soft: #22262b; --line: #3a4048; --accent: #7db8f5; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 58rem; color: var(--text);
  background: var(--back); font: 1rem/1.6 system-ui, sans-serif; overflow-wrap: break-word; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: 0 0 .4rem; }
h2 { font-size: 1.25rem; margin: 2.2rem 0 .6rem; padding-bottom: .2rem; border-bottom: 1px solid var(--line); }
h3, h4, h5, h6 { font-size: 1.05rem; margin: 1.6rem 0 .4rem; }
a { color: var(--accent); }
code, pre { font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: .88em; }
code { background: var(--soft); padding: .1em .3em; border-radius: 3px; }
pre { background: var(--soft); padding: .8rem 1rem; border-radius: 6px; overflow-x: auto; }
pre code { padding: 0; background: none; }
.about { color: var(--dim); margin: 0 0 1.2rem; }
.about span + span::before { content: "\00b7"; margin: 0 .5em; }
.scroll { overflow-x: auto; margin: .8rem 0; }
table { border-collapse: collapse; font-size: .92rem; }
th, td { padding: .3rem .7rem; border: 1px solid var(--line); text-align: left; vertical-align: top; }
th { background: var(--soft); font-weight: 600; }
.right { text-align: right; }
.middle { text-align: center; }
.values { font-size: .85em; color: var(--dim); min-width: 18rem; }
blockquote { margin: .8rem 0; padding-left: 1rem; border-left: 3px solid var(--line); color: var(--dim); }
hr { border: 0; border-top: 1px solid var(--line); }
math { font-family: "STIX Two Math", "Latin Modern Math", "Cambria Math", "Libertinus Math", math; }
math[display="block"] { display: block math; margin: .9rem 0; overflow-x: auto; overflow-y: hidden; padding: .15rem 0; }
mtable.equations > mtr > mtd { text-align: left; padding: .3em 0; }
mtable.equations > mtr > mtd:nth-child(odd) { text-align: right; }
mtable.cases > mtr > mtd { text-align: left; padding: .1em .6em .1em 0; }
.unknown, code.latex { color: #b3261e; }
@media (prefers-color-scheme: dark) { .unknown, code.latex { color: #ff9a8f; } }
@media (max-width: 40rem) { body { padding: 1.2rem .9rem 3rem; } h1 { font-size: 1.35rem; }
  th, td { padding: .25rem .45rem; } }
@media print { :root { color-scheme: light; --text: #000; --dim: #333; --back: #fff; --soft: #fff; --line: #999;
  --accent: #000; }
  body { max-width: none; padding: 0; font-size: 10pt; } .scroll, pre, math { overflow: visible; }
  pre { white-space: pre-wrap; border: 1px solid var(--line); } h2 { break-after: avoid; } tr { break-inside: avoid; } }
)css";

}  // namespace kgrade::authoring
