// Of a module's cases: which run, and what is said of the others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "grade/case_choice.h"
#include "problem/catalogue.h"

namespace kgrade {
namespace module_cases_test {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
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

}  // namespace module_cases_test
}  // namespace kgrade
