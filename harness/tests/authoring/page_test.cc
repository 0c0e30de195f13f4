#include "authoring/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kgrade::authoring {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view scaled = R"page(---
slug: scaled
title: "Scaled <rows> $\\alpha$"
difficulty: EASY
author: "<script>1</script>"
tags: ["<b>"]
parameters:
  - {name: x, type: "[VAR]", pointer: true, const: true, shape: [rows, 2 * half], init: "uniform(0, 1)"}
  - {name: y, type: "[VAR]", pointer: true, const: false, shape: [rows, 2 * half]}
  - {name: rows, type: size_t, pointer: false}
  - {name: half, type: size_t, pointer: false}
  - {name: alpha, type: float, pointer: false}
let: {columns: 2 * half}
require: [half < rows || half >= rows]
flops: rows * columns
dtypes: [float32]
cases:
  - {name: tiny, role: test, rows: 2, half: 3, alpha: 0.5}
---
## Definition
$$
y = \alpha x
$$
<img src=x onerror=alert(1)>
)page";

std::string page_of(std::string_view text) {
  const auto problem = parse_problem(text, "scaled.md");
  EXPECT_TRUE(problem) << (problem ? "" : to_string(problem.errors()));
  std::vector<Case> cases;
  for (const CaseSpec& spec : problem->cases) cases.push_back(*resolve_case(*problem, spec));
  const auto page = problem_page(*problem, cases);
  EXPECT_TRUE(page);
  return page ? *page : "";
}

TEST(Page, ShowsStatementParametersAndCases) {
  const std::string page = page_of(scaled);
  EXPECT_THAT(page, HasSubstr("<h2>Definition</h2>\n<math display=\"block\""));
  EXPECT_THAT(page, HasSubstr("<code>[rows, 2 * half]</code>"));
  EXPECT_THAT(page, HasSubstr("<code>columns = 2 * half</code>"));
  EXPECT_THAT(page, HasSubstr("<code>half &lt; rows || half &gt;= rows</code>"));
  EXPECT_THAT(page, HasSubstr("<td>[2, 6]</td>"));
  EXPECT_THAT(page, HasSubstr("rows=2 half=3 alpha=0.5"));
}

TEST(Page, IsInTheElementTypeThatWasChosen) {
  std::string text(scaled);
  text.replace(text.find("[float32]"), 9, "[float32, bfloat16]");
  const auto problem = with_dtype(*parse_problem(text, "scaled.md"), "bfloat16");
  ASSERT_TRUE(problem);
  const auto page = problem_page(*problem, {*resolve_case(*problem, problem->cases[0])});
  ASSERT_TRUE(page);
  EXPECT_THAT(*page, HasSubstr("<code>const __nv_bfloat16*</code>"));
  EXPECT_THAT(*page, HasSubstr("const __nv_bfloat16* x"));
  EXPECT_THAT(*page, HasSubstr("<td>48 B</td>"));
  EXPECT_THAT(*page, HasSubstr("Memory: all tensors once, in bfloat16."));
  EXPECT_THAT(*page, Not(HasSubstr("float32")));
  EXPECT_THAT(page_of(text), HasSubstr("<td>96 B</td>"));
}

TEST(Page, NeedsNothingElseAndRunsNothing) {
  const std::string page = page_of(scaled);
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  for (const char* foreign : {"<script", "<img", "<link", "@import", "url(", "<b>", "<rows>"})
    EXPECT_THAT(page, Not(HasSubstr(foreign))) << foreign;
}

TEST(Page, AStatementBeyondReasonIsRefused) {
  auto problem = parse_problem(scaled, "scaled.md");
  ASSERT_TRUE(problem);
  problem->statement.assign((1 << 20) + 1, 'x');
  const auto page = problem_page(*problem, {});
  ASSERT_FALSE(page);
  EXPECT_THAT(page.error().message, HasSubstr("larger than 1.0 MiB"));
}

}  // namespace
}  // namespace kgrade::authoring
