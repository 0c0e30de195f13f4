#include "authoring/mathml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kgrade::authoring {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// What stands in <math>, without the row around it.
std::string content(std::string_view latex, bool display = false) {
  const std::string xml = to_mathml(latex, display);
  const std::size_t begin = xml.find("<mrow>");
  const std::string_view end = "</mrow></math>";
  if (begin == std::string::npos || !xml.ends_with(end)) return "no formula: " + xml;
  return xml.substr(begin + 6, xml.size() - begin - 6 - end.size());
}

TEST(MathMl, LettersNumbersAndOperators) {
  EXPECT_EQ(content("x + 10"), "<mi>x</mi><mo>+</mo><mn>10</mn>");
  EXPECT_EQ(content("a-0.5"), "<mi>a</mi><mo>−</mo><mn>0.5</mn>");
  EXPECT_EQ(content("a < b"), "<mi>a</mi><mo>&lt;</mo><mi>b</mi>");
}

TEST(MathMl, ScriptsTakeAGroupOrOneElement) {
  EXPECT_EQ(content("K_h"), "<msub><mi>K</mi><mi>h</mi></msub>");
  EXPECT_EQ(content("x^10"), "<msup><mi>x</mi><mn>1</mn></msup><mn>0</mn>");
  EXPECT_EQ(content("x_i^2"), "<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>");
  EXPECT_EQ(content("x^2_i"), content("x_i^2"));
  EXPECT_EQ(content("C_{\\text{in}}"), "<msub><mi>C</mi><mrow><mrow><mtext>in</mtext></mrow></mrow></msub>");
  EXPECT_EQ(content("f'"), "<msup><mi>f</mi><mrow><mo>′</mo></mrow></msup>");
}

TEST(MathMl, LimitsStandBelowAndAboveInADisplayAlone) {
  EXPECT_THAT(content("\\sum_{k=0}^{K-1} x_k", true),
              StartsWith("<munderover><mo movablelimits=\"false\">∑</mo>"));
  EXPECT_THAT(content("\\sum_{k=0}^{K-1} x_k"), StartsWith("<msubsup>"));
  EXPECT_THAT(content("\\max_j x_j", true), StartsWith("<munder><mi>max</mi><mi>j</mi></munder>"));
}

TEST(MathMl, FractionsRootsAndBrackets) {
  EXPECT_EQ(content("\\frac{a}{b}"), "<mfrac><mrow><mi>a</mi></mrow><mrow><mi>b</mi></mrow></mfrac>");
  EXPECT_EQ(content("\\frac12"), "<mfrac><mn>1</mn><mn>2</mn></mfrac>");
  EXPECT_EQ(content("\\sqrt{x}"), "<msqrt><mrow><mi>x</mi></mrow></msqrt>");
  EXPECT_EQ(content("\\sqrt[3]{x}"), "<mroot><mrow><mi>x</mi></mrow><mrow><mn>3</mn></mrow></mroot>");
  EXPECT_EQ(content("\\left\\lfloor x \\right\\rfloor"),
            "<mrow><mo form=\"prefix\" fence=\"true\" stretchy=\"true\">⌊</mo><mi>x</mi>"
            "<mo form=\"postfix\" fence=\"true\" stretchy=\"true\">⌋</mo></mrow>");
  EXPECT_THAT(content("\\max\\big(a,\\; b\\big)"), HasSubstr("minsize=\"1.2em\""));
}

TEST(MathMl, RowsOfEquationsAndCases) {
  EXPECT_THAT(
      content("\\begin{aligned} a &= b \\\\ c &= d \\end{aligned}", true),
      HasSubstr("<mtr><mtd><mi>a</mi></mtd><mtd><mo>=</mo><mi>b</mi></mtd></mtr><mtr><mtd><mi>c</mi>"));
  const std::string cases = content("\\begin{cases} x & x > 0 \\\\ 0 & \\text{otherwise} \\end{cases}");
  EXPECT_THAT(cases, HasSubstr(">{</mo>"));
  EXPECT_THAT(cases, HasSubstr("<mtext>otherwise</mtext>"));
}

TEST(MathMl, SymbolsAreThoseOfUnicode) {
  EXPECT_EQ(content("\\alpha \\le \\infty"), "<mi>α</mi><mo>≤</mo><mi mathvariant=\"normal\">∞</mi>");
  EXPECT_THAT(content("o \\bmod M"), HasSubstr(">mod</mo>"));
  EXPECT_EQ(content("\\mathbb{R}"), "<mi>ℝ</mi>");
  EXPECT_EQ(content("\\log x"), "<mi>log</mi><mspace width=\"0.167em\"/><mi>x</mi>");
  EXPECT_EQ(content("\\text{bn\\_weight}"), "<mrow><mtext>bn_weight</mtext></mrow>");
}

TEST(MathMl, WhatIsNotKnownStandsThereAsItsSource) {
  EXPECT_EQ(content("a \\foo b"), "<mi>a</mi><mtext class=\"unknown\">\\foo</mtext><mi>b</mi>");
  EXPECT_THAT(content("\\foo{x}{y}"), HasSubstr("<mi>x</mi></mrow><mrow><mi>y</mi>"));
}

TEST(MathMl, WhatCannotBeReadIsShownAsCode) {
  for (const std::string_view broken :
       {"{a", "a}", "\\frac{a}", "x_", "\\left( a", "a & b", "\\begin{foo} a \\end{foo}",
        "\\begin{aligned} a", "\\end{aligned}", "\\right)", "a_b_c", "a^b^c"}) {
    EXPECT_THAT(to_mathml(broken, true), Not(HasSubstr("<math"))) << broken;
    EXPECT_THAT(to_mathml(broken, true), StartsWith("<code class=\"latex\">")) << broken;
  }
}

TEST(MathMl, DepthAndLengthHaveAnEnd) {
  std::string deep;
  for (int i = 0; i < 5000; ++i) deep += "\\sqrt{";
  EXPECT_THAT(to_mathml(deep, false), StartsWith("<code"));
  std::string bare;
  for (int i = 0; i < 5000; ++i) bare += "\\hat";
  EXPECT_THAT(to_mathml(bare, false), StartsWith("<code"));
  EXPECT_THAT(to_mathml(std::string(20000, 'x'), false), StartsWith("<code"));
}

TEST(MathMl, MarkupOfTheSourceIsText) {
  for (const std::string_view hostile :
       {"<script>", "\\text{<img onerror=a>}", "\\operatorname{<b>}", "\\mathrm{<b>}", "\\<b>",
        "\\begin{<b>}\\end{<b>}", "\"onload=\"", "{<b>"}) {
    const std::string xml = to_mathml(hostile, false);
    for (const std::string_view tag : {"<script", "<img", "<b>", "\"onload"})
      EXPECT_THAT(xml, Not(HasSubstr(tag))) << hostile;
  }
}

}  // namespace
}  // namespace kgrade::authoring
