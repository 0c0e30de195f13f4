// Short cuts that lint tries, with oracles that are functions on the host.
#include "soundness/short_cuts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <set>
#include <string>

#include "problem/catalogue.h"
#include "soundness/short_cut_search.h"
#include "tests/soundness/fake_runner.h"

namespace kgrade::test {
namespace short_cuts_test {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

constexpr const char* text = R"yaml(---
slug: sample
title: Sample
difficulty: EASY
parameters:
  - {name: x, type: "[VAR]", pointer: true, const: true, shape: [n, m], init: "normal(0, 1)"}
  - {name: kinds, type: int, pointer: true, const: true, shape: [n], init: "integers(0, 300)"}
  - {name: out, type: "[VAR]", pointer: true, const: false, shape: [n, m]}
  - {name: n, type: int, pointer: false, const: false}
  - {name: m, type: int, pointer: false, const: false}
dtypes: [float32]
thresholds: {fp32: 1e-5}
cases:
  - {name: small, role: test, n: 40, m: 50}
---
text
)yaml";

Problem problem_with(const std::string& from = "", const std::string& to = "") {
  std::string edited = text;
  if (!from.empty()) edited.replace(edited.find(from), from.size(), to);
  auto problem = parse_problem(edited, "sample.md");
  EXPECT_TRUE(problem.ok());
  return std::move(*problem);
}

// The names of the short cuts that are accepted, with their tensors.
std::vector<std::string> accepted(const Function& function, const Problem& problem = problem_with(),
                                  std::span<const ShortCut> tried = short_cuts()) {
  FakeRunner runner(problem, function);
  const auto bound = resolve_case(problem, problem.cases.front());
  EXPECT_FALSE(runner.set_case(*bound));
  const auto found = find_accepted_short_cuts(runner, problem, *bound, 7, tried);
  EXPECT_TRUE(found.ok());
  std::vector<std::string> names;
  for (const AcceptedShortCut& each : *found)
    names.push_back(std::string(each.short_cut->name) + " " + each.tensor);
  return names;
}

// Everything in `x` and `kinds` counts.
std::vector<Values> sound(const std::vector<Values>& in, const Case& bound) {
  const std::size_t row = in[0].size() / in[1].size();
  EXPECT_EQ(row, static_cast<std::size_t>(bound.integers.at("m")));
  Values out(in[0].size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = in[0][i] * (1 + in[1][i / row]);
  return {out};
}

TEST(ShortCuts, AreManyAndEachHasAName) {
  std::set<std::string_view> names;
  for (const ShortCut& each : short_cuts()) {
    EXPECT_TRUE(names.insert(each.name).second) << each.name;
    EXPECT_NE(each.what.find("{}"), std::string_view::npos) << each.what;
  }
  EXPECT_GE(names.size(), 60U);
  EXPECT_NE(find_short_cut("first-half"), nullptr);
  EXPECT_EQ(find_short_cut("first-hal"), nullptr);
}

TEST(ShortCuts, ChangeWhatTheySay) {
  const ShortCutTensor tensor{10, 30, 4, 2.5, 127};
  const auto changed = [&](std::string_view name, float value, std::uint64_t place = 0) {
    return find_short_cut(name)->element(value, place, tensor);
  };
  EXPECT_EQ(changed("input-at-most-3", -7), -3);
  EXPECT_EQ(changed("input-mean", -7), 2.5);
  EXPECT_EQ(changed("operands-in-int8", -6.6F), -7);
  EXPECT_EQ(changed("input-first", -7), 4);
  EXPECT_EQ(changed("first-half", 5, 14), 5);
  EXPECT_EQ(changed("first-half", 5, 15), 0);
  EXPECT_EQ(changed("first-half-of-rows", 5, 14), 5);
  EXPECT_EQ(changed("first-half-of-rows", 5, 15), 0);
  EXPECT_EQ(changed("blocks-of-4-of-rows", 5, 17), 5);
  EXPECT_EQ(changed("blocks-of-4-of-rows", 5, 18), 0);
  EXPECT_EQ(changed("last-row-left-out", 5, 19), 5);
  EXPECT_EQ(changed("last-row-left-out", 5, 20), 0);
  EXPECT_EQ(changed("one-in-2", 5, 2), 10);
  EXPECT_EQ(changed("one-in-2", 5, 3), 0);
  EXPECT_EQ(changed("counters-of-8-bits", 259), 3);
  EXPECT_EQ(changed("counters-at-most-255", 259), 255);
  EXPECT_EQ(changed("integers-without-a-bit", 7), 6);
  EXPECT_EQ(changed("operands-in-bf16", 1.001F), 1);
}

TEST(ShortCuts, NoneIsAcceptedWhereEverythingCounts) { EXPECT_THAT(accepted(sound), IsEmpty()); }

// An answer without any error is right, however it was found.
TEST(ShortCuts, ThatChangeNoAnswerAreRight) {
  EXPECT_THAT(accepted([](const auto& in, const Case& bound) {
                auto outputs = sound(in, bound);
                for (float& value : outputs[0]) value = std::fabs(value);
                return outputs;
              }),
              IsEmpty());
}

TEST(ShortCuts, ALooseThresholdLetsOneThrough) {
  const Problem loose = problem_with("fp32: 1e-5", "fp32: 3e-4");
  EXPECT_THAT(accepted(sound, loose),
              UnorderedElementsAre("operands-in-tf32 the operands", "operands-in-fp16 the operands",
                                   "input-in-fp16 'x'", "output-in-fp16 'out'"));
}

// Rounding to TF32 must be off by twice the bound: 1.5e-4 refuses it, but not by enough.
TEST(ShortCuts, LeaveAMarginToTheLowerClass) {
  EXPECT_THAT(accepted(sound, problem_with("fp32: 1e-5", "fp32: 1.5e-4")),
              Contains("operands-in-tf32 the operands"));
}

TEST(ShortCuts, OneComputesInTheClassBelow) {
  const Problem loose = problem_with("fp32: 1e-5", "fp32: 3e-4");
  EXPECT_THAT(accepted(sound, loose, short_cut_of_class_below(Precision::fp32)),
              ElementsAre("operands-in-tf32 the operands"));
  const Problem lower = problem_with("thresholds: {fp32: 1e-5}", "precision: tf32\nthresholds: {tf32: 9e-3}");
  EXPECT_THAT(accepted(sound, lower, short_cut_of_class_below(Precision::tf32)),
              ElementsAre("operands-in-bf16 the operands"));
  EXPECT_TRUE(short_cut_of_class_below(Precision::bf16).empty());
}

TEST(ShortCuts, AreLeftOutIfTheProblemSaysWhy) {
  const Problem loose = problem_with("fp32: 1e-5}", "fp32: 3e-4}\nharmless: {operands-in-tf32: no matter}");
  EXPECT_EQ(loose.harmless.at("operands-in-tf32").why, "no matter");
  EXPECT_THAT(accepted(sound, loose), Not(Contains("operands-in-tf32 the operands")));
}

TEST(ShortCuts, AClassAllowsItsOwnFormats) {
  const Problem lower = problem_with("thresholds: {fp32: 1e-5}", "precision: tf32");
  EXPECT_THAT(accepted(sound, lower), AllOf(Not(Contains("operands-in-tf32 the operands")),
                                            Not(Contains("operands-in-fp16 the operands"))));
}

// An index beyond its range would make the oracle read memory that is not its own.
TEST(ShortCuts, KeepIntegersInTheirRange) {
  const Problem from_1 = problem_with("integers(0, 300)", "integers(1, 300)");
  accepted(
      [](const auto& in, const Case& bound) {
        for (const float kind : in[1]) EXPECT_GE(kind, 1);
        return sound(in, bound);
      },
      from_1);
}

TEST(ShortCuts, ACallThatFailsIsAnError) {
  const Problem problem = problem_with();
  FakeRunner runner(problem, sound);
  runner.failing_call = 5;
  const auto bound = resolve_case(problem, problem.cases.front());
  EXPECT_FALSE(runner.set_case(*bound));
  EXPECT_FALSE(find_accepted_short_cuts(runner, problem, *bound, 7).ok());
}

// The case on which lint tries short cuts.
bool fits(const Case&) { return true; }

Problem problem_of_terms(const std::string& terms) {
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
  const auto chosen = cases_of_short_cuts(problem_of_terms("k"), {}, false, fits);
  ASSERT_EQ(chosen.size(), 2U);
  EXPECT_EQ(chosen[0].name, "large");
  EXPECT_EQ(chosen[0].terms, 131072);
  EXPECT_EQ(chosen[0].integers.at("k"), 131072);
  EXPECT_EQ(chosen[0].integers.at("n"), 16);
  EXPECT_EQ(chosen[1].name, "larger");
  EXPECT_EQ(chosen[1].terms, 262144);
}

TEST(CaseOfShortCuts, HalvesAnyExtentIfTermsDependOnAll) {
  for (const Case& chosen : cases_of_short_cuts(problem_of_terms("n * k"), {}, false, fits)) {
    EXPECT_LE(chosen.tensor_bytes(), 1 << 24);
    EXPECT_GE(chosen.tensor_bytes(), 1 << 22);
  }
}

TEST(CaseOfShortCuts, TakesACheckedOneIfNoneFitsOrWithoutAGpu) {
  const Problem problem = problem_of_terms("k");
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

}  // namespace short_cuts_test
}  // namespace kgrade::test
