// The case on which lint tries short cuts.
#include "soundness/case_of_short_cuts.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "problem/catalogue.h"

namespace kgrade::test {
namespace case_of_short_cuts_test {

bool fits(const Case&) { return true; }

Problem problem_with(const std::string& terms) {
  auto problem = parse_problem(R"yaml(---
slug: sample
title: Sample
difficulty: EASY
parameters:
  - {name: x, type: float, pointer: true, const: true, shape: [n, k]}
  - {name: y, type: float, pointer: true, const: false, shape: [n]}
  - {name: n, type: int, pointer: false, const: false}
  - {name: k, type: int, pointer: false, const: false}
terms: )yaml" + terms + R"yaml(
cases:
  - {name: small, role: test, n: 40, k: 50}
  - {name: tiny, role: test, n: 2, k: 5}
  - {name: large, role: bench, n: 65536, k: 131072}
  - {name: larger, role: bench, n: 65536, k: 262144}
---
text
)yaml",
                               "sample.md");
  EXPECT_TRUE(problem.ok());
  return std::move(*problem);
}

TEST(CaseOfShortCuts, KeepsTheTermsOfTheSmallestMeasuredCase) {
  const auto chosen = case_of_short_cuts(problem_with("k"), {}, false, fits);
  ASSERT_TRUE(chosen);
  EXPECT_EQ(chosen->name, "large");
  EXPECT_EQ(chosen->terms, 131072);
  EXPECT_EQ(chosen->integers.at("k"), 131072);
  EXPECT_EQ(chosen->integers.at("n"), 16);
}

TEST(CaseOfShortCuts, HalvesAnyExtentIfTermsDependOnAll) {
  const auto chosen = case_of_short_cuts(problem_with("n * k"), {}, false, fits);
  ASSERT_TRUE(chosen);
  EXPECT_LE(chosen->tensor_bytes(), 1 << 24);
  EXPECT_GE(chosen->tensor_bytes(), 1 << 22);
}

TEST(CaseOfShortCuts, TakesACheckedOneIfNoneFitsOrWithoutAGpu) {
  const Problem problem = problem_with("k");
  std::vector<Case> checked;
  for (const char* name : {"tiny", "small"})
    checked.push_back(*resolve_case(problem, *problem.find_case(name)));
  EXPECT_EQ(case_of_short_cuts(problem, checked, false, [](const Case&) { return false; })->name, "small");
  EXPECT_EQ(case_of_short_cuts(problem, checked, true, fits)->name, "small");
  EXPECT_FALSE(case_of_short_cuts(problem, {}, true, fits));
}

// Some eighty answers, on forty draws: what a case may take so that 150 problems take twenty minutes.
TEST(CaseOfShortCuts, IsQuickForEveryProblemOfTheCatalogue) {
  std::size_t problems = 0;
  for (const auto& file : std::filesystem::directory_iterator(std::string(KGRADE_SOURCE_DIR) + "/problems")) {
    if (file.path().extension() != ".md" || file.path().stem() == "README") continue;
    const auto problem = load_problem(file.path());
    ASSERT_TRUE(problem.ok()) << file.path();
    const auto chosen = case_of_short_cuts(*problem, {}, false, fits);
    ASSERT_TRUE(chosen) << problem->slug;
    EXPECT_LE(chosen->tensor_bytes(), std::int64_t{1} << 24) << problem->slug;
    EXPECT_LE(chosen->flops.value_or(0), std::int64_t{1} << 32) << problem->slug;
    problems += 1;
  }
  EXPECT_GT(problems, 100U);
}

}  // namespace case_of_short_cuts_test
}  // namespace kgrade::test
