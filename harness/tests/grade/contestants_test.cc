#include "grade/contestants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>

#include "base/temporary_directory.h"
#include "base/text.h"

namespace kgrade {
namespace contestants_test {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;

// A folder with problems, references and solutions, like a checkout.
class ContestantsTest : public testing::Test {
 protected:
  ContestantsTest() {
    for (const char* name : {"problems/a.md", "problems/b.h", "reference/a.cu", "reference/ops/conv.cuh",
                             "reference/local.cuh", "solutions/a/mine.cu", "solutions/a/other.cu",
                             "solutions/a/mine.cuh", "solutions/b/theirs.cuh", "loose.cu", "loose.h"}) {
      fs::create_directories(at(name).parent_path());
      std::ofstream(at(name)) << name;
    }
    layout_.problems = {at("problems")};
    layout_.reference = at("reference");
  }

  fs::path at(const std::string& name) const { return fs::canonical(folder_.path()) / name; }

  CandidateSource candidate(const std::string& name) const {
    return read_candidates({at(name)}, layout_).value().front();
  }

  TemporaryDirectory folder_;
  Layout layout_;
};

TEST_F(ContestantsTest, ACandidateIsBuiltFromItsOwnFilesAlone) {
  const BuildRequest request = request_for(candidate("solutions/a/mine.cu"), "/out", layout_);
  EXPECT_THAT(*request.readable, ElementsAre(at("solutions/a/mine.cu"), at("solutions/a/mine.cuh")));
  EXPECT_THAT(request.hidden,
              testing::UnorderedElementsAre(at("problems"), at("reference"), at("solutions")));
  EXPECT_TRUE(request.defines.empty());
}

TEST_F(ContestantsTest, ACandidateAboveTheProblemsSeesNothingOfThem) {
  const BuildRequest request = request_for(candidate("loose.cu"), "/out", layout_);
  EXPECT_THAT(*request.readable, ElementsAre(at("loose.cu"), at("loose.h")));
}

TEST_F(ContestantsTest, AReferenceIsBuiltWithTheOperators) {
  const BuildRequest request = request_for(Role::oracle, at("reference/a.cu"), "/out", layout_);
  EXPECT_THAT(*request.readable, Contains(at("reference/a.cu")));
  EXPECT_THAT(*request.readable, Contains(at("reference/local.cuh")));
  EXPECT_THAT(*request.readable, Contains(at("reference/ops")));
  EXPECT_EQ(request.defines.at("KGRADE_ACCUMULATOR"), "double");
}

TEST_F(ContestantsTest, TheHashCoversTheHeaders) {
  const CandidateSource with_header = candidate("loose.cu");
  EXPECT_NE(with_header.sha256, sha256_hex("loose.cu"));
  EXPECT_FALSE(change_of(with_header, layout_));
  fs::remove(at("loose.h"));
  EXPECT_TRUE(change_of(with_header, layout_));
  EXPECT_EQ(candidate("loose.cu").sha256, sha256_hex("loose.cu"));
}

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

}  // namespace contestants_test
}  // namespace kgrade
