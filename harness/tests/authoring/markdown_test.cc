#include "authoring/markdown.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kgrade::authoring {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Markdown, HeadingsParagraphsAndRules) {
  EXPECT_EQ(markdown_to_html("## Input\nOne\ntwo.\n\nThree.\n---\n"),
            "<h2>Input</h2>\n<p>One\ntwo.</p>\n<p>Three.</p>\n<hr>\n");
}

TEST(Markdown, ListsHoldBlocksAndNumbersGoOn) {
  EXPECT_EQ(markdown_to_html("- a\n- b\n  c\n"), "<ul>\n<li>a\n</li>\n<li>b\nc\n</li>\n</ul>\n");
  EXPECT_EQ(markdown_to_html("1. a\n2. b\n"), "<ol>\n<li>a\n</li>\n<li>b\n</li>\n</ol>\n");
  EXPECT_THAT(markdown_to_html("1. a\n\n$$\nx\n$$\n\n2. b\n"), HasSubstr("<ol start=\"2\">"));
  EXPECT_THAT(markdown_to_html("- a\n  - b\n"), HasSubstr("<li>a\n<ul>\n<li>b\n</li>\n</ul>\n</li>"));
}

TEST(Markdown, TablesKeepBreaksAndAlignment) {
  const std::string html = markdown_to_html("| | a |\n| --- | --: |\n| `1 2`<br>`3 4` | x \\| y |\n");
  EXPECT_THAT(html, HasSubstr("<td><code>1 2</code><br><code>3 4</code></td><td class=\"right\">x | y</td>"));
}

TEST(Markdown, CodeIsLeftAlone) {
  EXPECT_EQ(markdown_to_html("```cpp\na < *b*;\n```\n"), "<pre><code>a &lt; *b*;\n</code></pre>\n");
  EXPECT_EQ(inline_markdown_to_html("`$x$ *y*` and ``a ` b``"),
            "<code>$x$ *y*</code> and <code>a ` b</code>");
}

TEST(Markdown, EmphasisLinksAndEscapes) {
  EXPECT_EQ(inline_markdown_to_html("**a** *b* snake_case_name 2 * 3"),
            "<strong>a</strong> <em>b</em> snake_case_name 2 * 3");
  EXPECT_EQ(inline_markdown_to_html("[K](https://example.org/a_b)."),
            "<a href=\"https://example.org/a_b\" rel=\"noreferrer\">K</a>.");
  EXPECT_EQ(inline_markdown_to_html("\\*a\\*"), "*a*");
}

TEST(Markdown, DollarsAreFormulasUnlessTheyAreMoney) {
  EXPECT_THAT(inline_markdown_to_html("$x_1$ and $y$"), HasSubstr("<msub>"));
  EXPECT_EQ(inline_markdown_to_html("costs $5 or $6"), "costs $5 or $6");
  EXPECT_THAT(markdown_to_html("$$\n- a\n= b\n$$\n"), HasSubstr("display=\"block\""));
  EXPECT_THAT(inline_markdown_to_html("$a * b$ and $c * d$"), Not(HasSubstr("<em>")));
}

TEST(Markdown, HtmlOfTheSourceIsText) {
  const std::string html = markdown_to_html(
      "<script>alert(1)</script>\n<img src=x onerror=y>\n[a](javascript:alert(1)) [b](data:text/html,x) "
      "![c](https://example.org/c.png) <b>d</b> a<br>b `<i>`\n\n# <u>\n\n| <s> |\n| --- |\n| <q> |\n");
  for (const char* tag : {"<script", "<img", "<b>", "<i>", "<u>", "<s>", "<q>", "javascript:", "data:"}) {
    EXPECT_THAT(html, Not(HasSubstr(tag))) << tag;
  }
  EXPECT_THAT(html, HasSubstr("a<br>b"));
  EXPECT_THAT(html, HasSubstr("&lt;script&gt;alert(1)&lt;/script&gt;"));
}

TEST(Markdown, UnfinishedMarkupIsText) {
  EXPECT_EQ(inline_markdown_to_html("**a `b $c [d](e <f"), "**a `b $c [d](e &lt;f");
  EXPECT_EQ(markdown_to_html("$$\na\n"), "<p>$$\na</p>\n");
}

// Each would take hours if every mark were looked for from every other.
TEST(Markdown, HostileRunsOfMarksAreReadInTimeThatGrowsWithTheirLength) {
  for (const char* mark :
       {"*a ", "_a ", "[", "[a](", "`a ``b ", "$a ", "$$", "> ", "- ", "![", "***a **b *c ", "<", "[[]"}) {
    std::string text;
    while (text.size() < 200000) text += mark;
    EXPECT_FALSE(markdown_to_html(text).empty()) << mark;
  }
}

}  // namespace
}  // namespace kgrade::authoring
