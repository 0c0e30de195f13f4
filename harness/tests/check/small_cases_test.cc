#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "check/check.h"

namespace kgrade {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Cases of n elements and n operations each.
Problem problem_with(const std::string& cases) {
  const std::string content =
      "---\nslug: copy\ntitle: Copy\ndifficulty: EASY\nparameters:\n"
      "  - {name: in, type: float, pointer: true, const: true, shape: [n], init: ones}\n"
      "  - {name: out, type: float, pointer: true, const: false, shape: [n]}\n"
      "  - {name: n, type: size_t, pointer: false, const: false}\n"
      "flops: n * work\nlet:\n  work: 100\ncases:\n" +
      cases + "---\nText.\n";
  auto problem = parse_problem(content, "copy.md");
  EXPECT_TRUE(problem.ok()) << to_string(problem.errors());
  return problem.ok() ? *problem : Problem{};
}

std::vector<std::string> run_of(const Problem& problem, const std::vector<std::string>& names) {
  const auto cases = select_small_cases(problem, names);
  EXPECT_TRUE(cases.ok());
  std::vector<std::string> run;
  for (const PlannedCase& planned : *cases) {
    if (planned.skipped.empty()) run.push_back(planned.bound.name);
  }
  return run;
}

const char* const cases =
    "  - {name: tiny, role: sample, n: 10}\n"
    "  - {name: c, role: test, n: 30}\n"
    "  - {name: a, role: test, n: 10}\n"
    "  - {name: b, role: test, n: 20}\n"
    "  - {name: huge, role: test, n: 200001}\n"
    "  - {name: bench, role: bench, n: 10}\n";

TEST(SmallCases, AllSamplesAndTestsThatAreSmallEnough) {
  EXPECT_THAT(run_of(problem_with(cases), {}), ElementsAre("tiny", "c", "a", "b"));
}

TEST(SmallCases, ANamedCaseRunsWhateverItsSize) {
  EXPECT_THAT(run_of(problem_with(cases), {"huge"}), ElementsAre("huge"));
  EXPECT_THAT(run_of(problem_with(cases), {"bench", "c"}), ElementsAre("c", "bench"));
}

TEST(SmallCases, SkippedOnesSayWhyAndHowToRunThem) {
  const auto selected = select_small_cases(problem_with(cases), {});
  ASSERT_TRUE(selected.ok());
  EXPECT_EQ(selected->at(4).skipped,
            "20000100 operations, checked runs take up to 20000000; --case huge runs it all the same");
}

TEST(SmallCases, AnUnknownCaseIsAnError) {
  const auto selected = select_small_cases(problem_with(cases), {"tinny"});
  ASSERT_FALSE(selected.ok());
  EXPECT_THAT(selected.error().remedy, HasSubstr("tiny"));
}

}  // namespace
}  // namespace kgrade
