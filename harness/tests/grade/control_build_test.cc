
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>

#include "base/temporary_directory.h"
#include "grade/contestants.h"

namespace kgrade {
namespace control_build_test {

namespace fs = std::filesystem;
using testing::ElementsAre;

BuildOutcome failed() { return {}; }

BuildOutcome failed_as_the_machine_fails() {
  BuildOutcome outcome;
  outcome.machine_fault = Error{"the disk is full", "free some space there, or buy another disk", {}};
  return outcome;
}

BuildOutcome built() {
  BuildOutcome outcome;
  outcome.status = BuildStatus::built;
  return outcome;
}

// Gives what the test says for each source in turn, and notes what it was asked for.
class ScriptedToolchain : public Toolchain {
 public:
  explicit ScriptedToolchain(std::vector<BuildOutcome> outcomes) : outcomes_(std::move(outcomes)) {}
  std::string describe() const override { return "scripted"; }
  std::string identity() const override { return "scripted"; }
  Result<BuildOutcome> build(const Problem&, const BuildRequest& request) const override {
    asked_.push_back(request.source.filename().string() + (request.anew ? " anew" : ""));
    is_empty_.push_back(fs::is_empty(request.output_directory));
    if (asked_.size() == 1) std::ofstream(request.output_directory / "left over") << "x";
    return outcomes_.at(asked_.size() - 1);
  }
  const std::vector<std::string>& asked() const { return asked_; }
  bool was_emptied() const { return is_empty_.back(); }

 private:
  std::vector<BuildOutcome> outcomes_;
  mutable std::vector<std::string> asked_;
  mutable std::vector<bool> is_empty_;
};

class ControlBuild : public testing::Test {
 protected:
  ControlBuild() {
    for (const char* name : {"problems/a.md", "reference/a.cu", "mine/mine.cu", "out/x"}) {
      fs::create_directories(at(name).parent_path());
      std::ofstream(at(name)) << name;
    }
    fs::remove(at("out/x"));
    layout_.problems = {at("problems")};
    layout_.reference = at("reference");
    problem_.slug = "a";
    problem_.path = at("problems/a.md");
  }

  fs::path at(const std::string& name) const { return fs::canonical(folder_.path()) / name; }

  Result<BuildOutcome> build(const Toolchain& toolchain, Role role = Role::candidate) const {
    const fs::path source = role == Role::candidate ? at("mine/mine.cu") : at("reference/a.cu");
    return build_with_control(toolchain, problem_, role, request_for(role, source, at("out"), layout_),
                              layout_);
  }

  TemporaryDirectory folder_;
  Layout layout_;
  Problem problem_;
};

TEST_F(ControlBuild, AMistakeInTheSourceNeedsNone) {
  const ScriptedToolchain toolchain({failed()});
  const auto outcome = build(toolchain);
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome->status, BuildStatus::compile_error);
  EXPECT_THAT(toolchain.asked(), ElementsAre("mine.cu"));
}

TEST_F(ControlBuild, WhereTheReferenceFailsLikewiseTheMachineIsToBlame) {
  const ScriptedToolchain toolchain({failed_as_the_machine_fails(), failed_as_the_machine_fails()});
  const auto outcome = build(toolchain);
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error().message, "the disk is full");
  EXPECT_THAT(toolchain.asked(), ElementsAre("mine.cu", "a.cu anew"));
}

TEST_F(ControlBuild, WhereTheReferenceBuildsTheCandidateIsToBlameOnceItFailsAgain) {
  const ScriptedToolchain guilty({failed_as_the_machine_fails(), built(), failed_as_the_machine_fails()});
  const auto outcome = build(guilty);
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome->status, BuildStatus::compile_error);
  EXPECT_THAT(guilty.asked(), ElementsAre("mine.cu", "a.cu anew", "mine.cu"));
  EXPECT_TRUE(guilty.was_emptied()) << "what a build leaves takes room from the next";
}

TEST_F(ControlBuild, AMachineThatLackedSomethingForAMomentConvictsNoCandidate) {
  const ScriptedToolchain toolchain({failed_as_the_machine_fails(), built(), built()});
  const auto outcome = build(toolchain);
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome->status, BuildStatus::built);
}

TEST_F(ControlBuild, TheReferenceItselfIsHeldAgainstAnEmptyFunction) {
  const ScriptedToolchain toolchain({failed_as_the_machine_fails(), built(), failed_as_the_machine_fails()});
  EXPECT_TRUE(build(toolchain, Role::oracle).ok());
  EXPECT_THAT(toolchain.asked(), ElementsAre("a.cu", "control.cu anew", "a.cu"));
}

}  // namespace control_build_test
}  // namespace kgrade
