// The cases of a run: which of them a module can state, and how long they take on the emulated device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "grade/case_choice.h"
#include "grade/time_estimate.h"
#include "problem/catalogue.h"
#include "tests/support/fake_contest.h"

namespace kgrade {
namespace planned_cases_test {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Problem shipped(const std::string& slug) {
  const auto problem = load_problem(fs::path(KGRADE_SOURCE_DIR) / "problems" / (slug + ".md"));
  if (problem) return *problem;
  ADD_FAILURE() << to_string(problem.errors());
  return {};
}

// Cases of the file by name; those with "!" are skipped for their size.
std::vector<PlannedCase> planned(const Problem& problem, const std::vector<std::string>& names) {
  std::vector<PlannedCase> cases;
  for (std::string name : names) {
    const bool too_large = name.ends_with('!');
    if (too_large) name.pop_back();
    const CaseSpec* const spec = problem.find_case(name);
    if (spec == nullptr) {
      ADD_FAILURE() << "no case " << name;
      continue;
    }
    cases.push_back({resolve_case(problem, *spec).value(), too_large ? "sized for a GPU" : ""});
  }
  return cases;
}

class ModuleCasesOf : public testing::Test {
 protected:
  ModuleCases of(const std::vector<std::string>& names) {
    return stated_cases(problem_, planned(problem_, names));
  }

  // Its module has neither padding nor groups.
  const Problem problem_ = shipped("conv-1d-dilated-strided");
};

TEST_F(ModuleCasesOf, ThatAreAllStatedHaveNoNote) {
  const ModuleCases found = of({"plain", "kernelbench!"});
  EXPECT_EQ(found.note, "");
  EXPECT_EQ(found.unsupported, "");
  EXPECT_EQ(found.cases.at(1).skipped, "sized for a GPU");
}

TEST_F(ModuleCasesOf, ThatAreNotAllStatedAreCounted) {
  const ModuleCases found = of({"plain", "padding-2"});
  EXPECT_EQ(found.note, "1 of 2 cases can run here: the problem's module cannot state 1");
  EXPECT_EQ(found.unsupported, "");
  EXPECT_EQ(found.cases.at(0).skipped, "");
  EXPECT_THAT(found.cases.at(1).skipped, HasSubstr("cannot state it"));
}

TEST_F(ModuleCasesOf, ThatAreTooLargeAreCountedByWhetherTheyCanBeStated) {
  EXPECT_EQ(of({"plain", "padding-2", "kernelbench!"}).note,
            "1 of 3 cases can run here: the problem's module cannot state 1, and 1 is left out for its size");
  const ModuleCases found = of({"plain", "padding-2!"});
  EXPECT_EQ(found.note, "1 of 2 cases can run here: the problem's module cannot state 1");
  EXPECT_THAT(found.cases.at(1).skipped, Not(HasSubstr("GPU"))) << "a GPU would not help";
}

TEST_F(ModuleCasesOf, OfWhichNoneIsStatedNameOthers) {
  const ModuleCases found = of({"padding-2"});
  EXPECT_THAT(found.unsupported,
              HasSubstr("none of the cases can be stated by the problem's module; cases of the problem's "
                        "file that can: "));
  EXPECT_THAT(found.unsupported, HasSubstr("plain"));
  EXPECT_THAT(found.unsupported, Not(HasSubstr("padding-2")));
  EXPECT_EQ(found.note, "") << "the verdict says it";
}

TEST_F(ModuleCasesOf, OfWhichThoseThatAreStatedAreTooLargeSaySo) {
  EXPECT_THAT(of({"padding-2", "kernelbench!"}).unsupported, HasSubstr("too large"));
}

// What a user is told before a case that takes long on the emulated device.
// n * m operations on n + m elements; m is a multiple of 3.
Problem problem() {
  auto parsed = parse_problem(
      "---\nslug: outer\ntitle: Outer\ndifficulty: EASY\nparameters:\n"
      "  - {name: in, type: \"[VAR]\", pointer: true, const: true, shape: [n], init: ones}\n"
      "  - {name: out, type: \"[VAR]\", pointer: true, const: false, shape: [m]}\n"
      "  - {name: n, type: size_t, pointer: false}\n  - {name: m, type: size_t, pointer: false}\n"
      "dtypes: [float32]\nflops: n * m\nrequire:\n  - m % 3 == 0\ncases:\n"
      "  - {name: tiny, role: test, n: 4, m: 3}\n  - {name: large, role: bench, n: 1000000, m: 3000}\n"
      "---\nText.\n",
      "outer.md");
  EXPECT_TRUE(parsed.ok()) << to_string(parsed.errors());
  return parsed.ok() ? *parsed : Problem{};
}

struct Foreseen {
  Failure failure;
  std::vector<std::string> notices;
};

// On a device that makes so many operations a second.
Foreseen foreseen(const std::vector<std::string>& names, double rate, bool force = false) {
  Foreseen result;
  RunOptions options;
  options.candidates = {{"a.cu", Submission{}}};
  options.cases = names;
  options.force = force;
  options.notice = [&](const std::string& text) { result.notices.push_back(text); };
  const Problem outer = problem();
  const auto cases = select_cases(outer, names, true);
  EXPECT_TRUE(cases.ok());
  test::FakeClock clock;
  test::FakeContest contest(clock);
  contest.before_call = [&](Role role, const Draw&) {
    const double flops = static_cast<double>(*contest.cases.at(role).flops);
    EXPECT_LE(flops, 20e6);
    clock.advance(flops / rate);
  };
  contest.seconds_per_call = 0;
  result.failure = foresee_time(outer, options, *cases, 10, contest, clock);
  return result;
}

TEST(TimeEstimate, WhatTakesHoursIsRefusedWithoutForce) {
  const Foreseen hours = foreseen({"large"}, 1e6);  // 3e9 operations, ten times
  ASSERT_TRUE(hours.failure);
  EXPECT_EQ(exit_code_of(*hours.failure), exit_usage);
  EXPECT_EQ((*hours.failure)[0].message, "--case large: takes about 8 hours on the emulated device");
  EXPECT_THAT((*hours.failure)[0].remedy, HasSubstr("--force"));
  const Foreseen forced = foreseen({"large"}, 1e6, true);
  EXPECT_FALSE(forced.failure);
  EXPECT_THAT(forced.notices, ElementsAre("case large takes about 8 hours on the emulated device"));
}

TEST(TimeEstimate, HalfAMinuteIsToldAndSecondsAreNot) {
  EXPECT_THAT(foreseen({"large"}, 1e9).notices,
              ElementsAre("case large takes about 30 s on the emulated device"));
  EXPECT_THAT(foreseen({"large"}, 1e11).notices, IsEmpty());
  EXPECT_THAT(foreseen({"tiny"}, 1).notices, IsEmpty());
}

TEST(CaseChoice, InAHurryLeavesOutWhatTheAuthorSays) {
  Problem outer = problem();
  for (CaseSpec& spec : outer.cases) spec.quick = spec.name != "large";
  const auto skipped = [&](const std::vector<std::string>& names, Effort effort) {
    std::vector<std::string> left_out;
    const auto planned_cases = select_cases(outer, names, true, effort);
    for (const PlannedCase& planned : *planned_cases) {
      if (!planned.skipped.empty()) left_out.push_back(planned.bound.name + ": " + planned.skipped);
    }
    return left_out;
  };
  EXPECT_THAT(skipped({}, Effort::quick),
              ElementsAre("large: too long for --quick; --case large runs it all the same"));
  EXPECT_THAT(skipped({"large"}, Effort::quick), IsEmpty());
  EXPECT_THAT(skipped({}, Effort::normal), IsEmpty());
}

TEST(TimeEstimate, WithoutNamesCasesAreChosenForTheDeviceAlready) {
  const Foreseen all = foreseen({}, 1);
  EXPECT_FALSE(all.failure);
  EXPECT_THAT(all.notices, IsEmpty());
}

TEST(TimeEstimate, TheSmallerCaseFulfilsWhatTheProblemRequires) {
  const Problem outer = problem();
  const auto large = resolve_case(outer, *outer.find_case("large"));
  const auto smaller = smaller_case(outer, *large);
  ASSERT_TRUE(smaller);
  EXPECT_EQ(smaller->integers.at("m") % 3, 0);
  EXPECT_FALSE(smaller_case(outer, *smaller));
}

}  // namespace planned_cases_test
}  // namespace kgrade
