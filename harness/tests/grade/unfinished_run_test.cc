// A run that ends half-way keeps the records of the finished candidates: `grade` and `check` with real
// workers of the emulated device, and a toolchain that fails where a test wants it to.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <new>
#include <stdexcept>
#include <system_error>

#include "base/temporary_directory.h"
#include "check/check.h"
#include "grade/failure.h"
#include "grade/grade.h"
#include "grade/run_setup.h"
#include "problem/catalogue.h"

namespace kgrade {
namespace unfinished_run_test {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

const fs::path checks = fs::path(KGRADE_SOURCE_DIR) / "harness/tests/checks";

// The real toolchain, except for candidates: the first never compiles, and the test decides what happens to
// the second.
class FaultyToolchain : public Toolchain {
 public:
  using Builder =
      std::function<Result<BuildOutcome>(const Toolchain& real, const Problem&, const BuildRequest&)>;
  FaultyToolchain(std::unique_ptr<Toolchain> real, Builder build_second)
      : real_(std::move(real)), build_second_(std::move(build_second)) {}

  std::string describe() const override { return real_->describe(); }
  std::string identity() const override { return real_->identity(); }
  Result<BuildOutcome> build(const Problem& problem, const BuildRequest& request) const override {
    if (request.source.filename() == "first.cu") return BuildOutcome{};
    if (request.source.filename() == "second.cu") return build_second_(*real_, problem, request);
    return real_->build(problem, request);
  }

 private:
  std::unique_ptr<Toolchain> real_;
  Builder build_second_;
};

// The results of both commands.
struct Ending {
  std::vector<std::string> finished;  // candidates in the record; empty without one
  bool has_record = false;
  Failure failure;
};

template <class RecordType>
Ending ending_of(const RunOutcome<RecordType>& outcome) {
  Ending ending;
  ending.failure = outcome.failure;
  ending.has_record = outcome.record.has_value();
  if (!outcome.record) return ending;
  for (const auto& candidate : outcome.record->candidates) ending.finished.push_back(candidate.path);
  EXPECT_GT(outcome.record->total_seconds, 0);
  return ending;
}

enum class Command { grade, check };

class UnfinishedRun : public testing::TestWithParam<Command> {
 protected:
  UnfinishedRun() {
    fs::create_directory(folder_.path() / "problems");
    fs::create_directory(folder_.path() / "reference");
    fs::copy_file(checks / "problems/neighbour-sum.md", folder_.path() / "problems/neighbour-sum.md");
    fs::copy_file(checks / "reference/neighbour-sum.cu", reference());
    for (const char* name : {"first.cu", "second.cu", "third.cu"}) {
      fs::copy_file(checks / "candidates/race_in_order_clean.cu", folder_.path() / name);
    }
  }

  fs::path reference() const { return folder_.path() / "reference/neighbour-sum.cu"; }
  fs::path second() const { return folder_.path() / "second.cu"; }

  Ending run(const std::vector<std::string>& candidates, const FaultyToolchain::Builder& build_second) {
    const Layout layout = Layout::find(folder_.path() / "problems");
    const auto problem = find_problem("neighbour-sum", layout.problems);
    DeviceChoice device;
    device.kind = DeviceChoice::Kind::emulated;
    Machinery machinery = real_machinery(device, layout);
    const auto real = machinery.make_toolchain;
    machinery.make_toolchain = [&]() -> Result<std::unique_ptr<Toolchain>> {
      auto made = real();
      if (!made) return made.errors();
      return std::unique_ptr<Toolchain>(std::make_unique<FaultyToolchain>(std::move(*made), build_second));
    };
    if (GetParam() == Command::grade) {
      return ending_of(
          grade(*problem, options<GradeOptions>(candidates, layout), std::make_shared<Bench>(machinery)));
    }
    return ending_of(
        check(*problem, options<CheckOptions>(candidates, layout), std::make_shared<Bench>(machinery)));
  }

  template <class Options>
  Options options(const std::vector<std::string>& candidates, const Layout& layout) const {
    Options options;
    std::vector<std::filesystem::path> paths;
    for (const std::string& name : candidates) paths.push_back(folder_.path() / name);
    options.candidates = read_candidates(paths, layout).value();
    options.cases = {"ragged"};
    options.layout = layout;
    return options;
  }

  const TemporaryDirectory folder_;
};

Result<BuildOutcome> build_as_it_is(const Toolchain& real, const Problem& problem,
                                    const BuildRequest& request) {
  return real.build(problem, request);
}

TEST_P(UnfinishedRun, WhatIsThrownEndsItAfterTheCandidatesThatAreFinished) {
  const Ending ending =
      run({"first.cu", "second.cu", "third.cu"},
          [](const Toolchain&, const Problem&, const BuildRequest&) -> Result<BuildOutcome> {
            throw std::runtime_error("the compiler is haunted");
          });
  EXPECT_THAT(ending.finished, ElementsAre(EndsWith("first.cu")));
  ASSERT_TRUE(ending.failure);
  EXPECT_EQ(exit_code_of(*ending.failure), exit_internal);
  EXPECT_THAT(ending.failure->at(0).message, HasSubstr("the compiler is haunted"));
}

TEST_P(UnfinishedRun, AnOracleThatFailsIsNoMatterOfTheCandidatesBefore) {
  std::ofstream(reference()) << "#include <cstdlib>\n"
                                "extern \"C\" void solution(const float*, float*, size_t) { abort(); }\n";
  const Ending ending = run({"first.cu", "second.cu", "third.cu"}, build_as_it_is);
  EXPECT_THAT(ending.finished, ElementsAre(EndsWith("first.cu")));
  ASSERT_TRUE(ending.failure);
  EXPECT_EQ(exit_code_of(*ending.failure), exit_usage);
  EXPECT_THAT(ending.failure->at(0).message, HasSubstr("the oracle fails on case 'ragged'"));
  EXPECT_THAT(ending.failure->at(0).location.file, EndsWith("neighbour-sum.md"));
}

TEST_P(UnfinishedRun, ACandidateThatChangesWhileItIsCompiledIsNotJudged) {
  const Ending ending = run({"first.cu", "second.cu"}, [this](const Toolchain& real, const Problem& problem,
                                                              const BuildRequest& request) {
    std::ofstream(second(), std::ios::app) << "// another kernel\n";
    return real.build(problem, request);
  });
  EXPECT_THAT(ending.finished, ElementsAre(EndsWith("first.cu")));
  ASSERT_TRUE(ending.failure);
  EXPECT_EQ(exit_code_of(*ending.failure), exit_usage);
  EXPECT_THAT(ending.failure->at(0).message, HasSubstr("candidate: changed while it was being"));
  EXPECT_EQ(ending.failure->at(0).location.file, second().string());
}

TEST_P(UnfinishedRun, WithNoCandidateFinishedThereIsNoRecord) {
  const Ending ending =
      run({"second.cu", "first.cu"},
          [](const Toolchain&, const Problem&, const BuildRequest&) -> Result<BuildOutcome> {
            return Error{"there is no compiler", "install one", {}};
          });
  EXPECT_FALSE(ending.has_record);
  ASSERT_TRUE(ending.failure);
  EXPECT_EQ(exit_code_of(*ending.failure), exit_machine);
}

TEST_P(UnfinishedRun, AFinishedOneHasARecordAndNoFailure) {
  const Ending ending = run({"first.cu", "second.cu"}, build_as_it_is);
  EXPECT_THAT(ending.finished, ElementsAre(EndsWith("first.cu"), EndsWith("second.cu")));
  EXPECT_FALSE(ending.failure);
}

class GradingOrder : public UnfinishedRun {
 protected:
  // Numbers in the order in which they started, with a seed that reverses them.
  std::vector<std::size_t> began(bool measures_speed) {
    const Layout layout = Layout::find(folder_.path() / "problems");
    const auto problem = find_problem("neighbour-sum", layout.problems);
    DeviceChoice device;
    device.kind = DeviceChoice::Kind::emulated;
    Machinery machinery = real_machinery(device, layout);
    machinery.measures_speed = measures_speed;
    std::vector<std::size_t> numbers;
    auto asked = options<GradeOptions>({"first.cu", "second.cu"}, layout);
    asked.shuffled = true;
    for (asked.seed = 0; grading_order(2, *asked.seed).front() == 0;) ++*asked.seed;
    asked.on_start = [&](std::size_t number) { numbers.push_back(number); };
    const auto outcome = grade(*problem, asked, std::make_shared<Bench>(machinery));
    EXPECT_THAT(ending_of(outcome).finished, ElementsAre(EndsWith("first.cu"), EndsWith("second.cu")));
    return numbers;
  }
};

TEST_P(GradingOrder, IsByTheSeedWhereSpeedIsMeasuredAndTheRecordsTheGivenOne) {
  EXPECT_THAT(began(true), ElementsAre(1, 0));
  EXPECT_THAT(began(false), ElementsAre(0, 1));
}

INSTANTIATE_TEST_SUITE_P(Grade, GradingOrder, testing::Values(Command::grade));

TEST(GradingOrderOf, TakesEveryCandidateOnceAndEveryOrderAsOften) {
  std::map<std::vector<std::size_t>, int> seen;
  for (std::uint64_t seed = 0; seed < 6000; ++seed) seen[grading_order(3, seed)] += 1;
  ASSERT_EQ(seen.size(), 6u);
  // Six standard deviations of a count of 1000.
  for (const auto& [order, count] : seen) EXPECT_NEAR(count, 1000, 6 * 29);
  EXPECT_THAT(grading_order(0, 1), testing::IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Commands, UnfinishedRun, testing::Values(Command::grade, Command::check),
                         [](const auto& test) { return test.param == Command::grade ? "Grade" : "Check"; });

// The exit code follows from whose fault errors are, and from nothing else about them.
TEST(ExitCode, FollowsFromTheBlameAndNotFromThePlace) {
  const Location place{"a.md", 3, 1};
  for (const Location& where : {Location{}, place}) {
    EXPECT_EQ(exit_code_of({{"wrong", "", where}}), exit_usage);
    EXPECT_EQ(exit_code_of({machine_error("the disk is full", "", where)}), exit_machine);
    EXPECT_EQ(exit_code_of({{"a bug", "", where, Blame::ours}}), exit_internal);
  }
}

TEST(ExitCode, OfSeveralErrorsIsTheHighest) {
  const Error wrong{"wrong", "", {}};
  const Error lack = machine_error("the disk is full");
  EXPECT_EQ(exit_code_of({wrong, lack}), exit_machine);
  EXPECT_EQ(exit_code_of({lack, wrong}), exit_machine);
  EXPECT_EQ(exit_code_of({wrong, {"a bug", "", {}, Blame::ours}, lack}), exit_internal);
}

TEST(ExitCode, OfAnExceptionIsOursUnlessTheMachineRanOutOfSomething) {
  const std::system_error full(ENOSPC, std::generic_category(), "cannot write");
  EXPECT_EQ(exit_code_of(errors_of(full)), exit_machine);
  EXPECT_EQ(exit_code_of(errors_of(std::bad_alloc())), exit_machine);
  EXPECT_EQ(exit_code_of(errors_of(std::logic_error("cannot be"))), exit_internal);
}

}  // namespace unfinished_run_test
}  // namespace kgrade
