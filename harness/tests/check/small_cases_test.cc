#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "check/check.h"

namespace kgrade {
namespace small_cases_test {

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

RunOptions named(const std::vector<std::string>& names) {
  RunOptions options;
  options.cases = names;
  return options;
}

std::vector<std::string> run_of(const Problem& problem, const std::vector<std::string>& names) {
  const auto chosen = select_small_cases(problem, named(names));
  EXPECT_TRUE(chosen.ok());
  std::vector<std::string> run;
  for (const PlannedCase& planned : chosen->cases) {
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
  EXPECT_EQ(selected->cases.at(4).skipped,
            "20000100 operations, checked runs take up to 20000000; --case huge --force runs it all the same");
}

TEST(SmallCases, AnUnknownCaseIsAnError) {
  const auto selected = select_small_cases(problem_with(cases), named({"tinny"}));
  ASSERT_FALSE(selected.ok());
  EXPECT_THAT(selected.error().remedy, HasSubstr("tiny"));
}

// A hidden shape that was refused in a grade can be checked alone, whatever its size.
TEST(SmallCases, HiddenOnesAreDrawnAsInAGrade) {
  const Problem problem = problem_with(std::string(cases) + "fuzz: {n: 1..300000}\n");
  RunOptions options;
  options.hidden_seed = 7;
  const auto drawn = select_small_cases(problem, options);
  ASSERT_TRUE(drawn.ok()) << to_string(drawn.errors());
  EXPECT_EQ(drawn->hidden_seed, 7U);
  ASSERT_EQ(drawn->cases.size(), 6U + usual_hidden_cases);
  options.cases = {"hidden-3"};
  const auto alone = select_small_cases(problem, options);
  ASSERT_TRUE(alone.ok());
  ASSERT_EQ(alone->cases.size(), 1U);
  EXPECT_EQ(alone->cases[0].bound.integers, drawn->cases[8].bound.integers);
  EXPECT_EQ(alone->cases[0].skipped, "");
  options.hidden_seed.reset();
  EXPECT_THAT(select_small_cases(problem, options).error().remedy, HasSubstr("--hidden-seed"));
}

}  // namespace small_cases_test
}  // namespace kgrade
