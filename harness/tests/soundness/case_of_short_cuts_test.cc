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
  const auto chosen = cases_of_short_cuts(problem_with("k"), {}, false, fits);
  ASSERT_EQ(chosen.size(), 2U);
  EXPECT_EQ(chosen[0].name, "large");
  EXPECT_EQ(chosen[0].terms, 131072);
  EXPECT_EQ(chosen[0].integers.at("k"), 131072);
  EXPECT_EQ(chosen[0].integers.at("n"), 16);
  EXPECT_EQ(chosen[1].name, "larger");
  EXPECT_EQ(chosen[1].terms, 262144);
}

TEST(CaseOfShortCuts, HalvesAnyExtentIfTermsDependOnAll) {
  for (const Case& chosen : cases_of_short_cuts(problem_with("n * k"), {}, false, fits)) {
    EXPECT_LE(chosen.tensor_bytes(), 1 << 24);
    EXPECT_GE(chosen.tensor_bytes(), 1 << 22);
  }
}

TEST(CaseOfShortCuts, TakesACheckedOneIfNoneFitsOrWithoutAGpu) {
  const Problem problem = problem_with("k");
  std::vector<Case> checked;
  for (const char* name : {"tiny", "small"})
    checked.push_back(*resolve_case(problem, *problem.find_case(name)));
  const auto names = [](const std::vector<Case>& cases) {
    std::vector<std::string> all;
    for (const Case& each : cases) all.push_back(each.name);
    return all;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names(cases_of_short_cuts(problem, checked, false, [](const Case&) { return false; })),
            Names({"small", "tiny"}));
  EXPECT_EQ(names(cases_of_short_cuts(problem, checked, true, fits)), Names({"small", "tiny"}));
  EXPECT_EQ(names(cases_of_short_cuts(problem, checked, false, fits)),
            Names({"large", "larger", "tiny", "small"}));
  EXPECT_TRUE(cases_of_short_cuts(problem, {}, true, fits).empty());
}

// Some eighty answers, on forty draws: what a case may take so that 150 problems take twenty minutes.
TEST(CaseOfShortCuts, IsQuickForEveryProblemOfTheCatalogue) {
  std::size_t problems = 0;
  for (const auto& file : std::filesystem::directory_iterator(std::string(KGRADE_SOURCE_DIR) + "/problems")) {
    if (file.path().extension() != ".md" || file.path().stem() == "README") continue;
    const auto problem = load_problem(file.path());
    ASSERT_TRUE(problem.ok()) << file.path();
    const auto cases = cases_of_short_cuts(*problem, {}, false, fits);
    ASSERT_FALSE(cases.empty()) << problem->slug;
    for (const Case& chosen : cases) {
      EXPECT_LE(chosen.tensor_bytes(), std::int64_t{1} << 24) << problem->slug << chosen.name;
      EXPECT_LE(chosen.flops.value_or(0), std::int64_t{1} << 32) << problem->slug << chosen.name;
    }
    problems += 1;
  }
  EXPECT_GT(problems, 100U);
}

}  // namespace case_of_short_cuts_test
}  // namespace kgrade::test
