// Sweeps whose lanes misbehave: every candidate has its own result or is reported as one without, and nothing
// is left running.
#include "sweep/sweep.h"

#include <gmock/gmock.h>
#include <signal.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/cleanup.h"
#include "base/process_table.h"
#include "leaderboard/record_files.h"
#include "tests/support/scratch_checkout.h"

namespace kgrade::lanes_test {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::AnyOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

class Lanes : public testing::Test {
 protected:
  static void SetUpTestSuite() { adopt_orphans(); }

  void SetUp() override {
    fs::create_directory(checkout_.path() / "tmp");
    ::setenv("TMPDIR", (checkout_.path() / "tmp").c_str(), 1);
    options_.layout = checkout_.layout();
    options_.lane_command.words = {KGRADE_FAKE_LANE};
    options_.devices = {"emulated"};
    options_.note = [this](const std::string& note) { notes_.push_back(note); };
    options_.events.result = [this](const Record& record, std::size_t done, std::size_t all) {
      if (done_) {
        EXPECT_EQ(done, *done_ + 1);
      }
      done_ = done;
      EXPECT_EQ(all, plan_.tasks.size());
      EXPECT_FALSE(record.candidate().path.empty());
    };
  }

  void TearDown() override {
    ::unsetenv("TMPDIR");
    EXPECT_THAT(children(), IsEmpty());
    EXPECT_TRUE(fs::is_empty(checkout_.path() / "tmp"));
  }

  static std::vector<pid_t> children() {
    std::vector<pid_t> children;
    for (const ProcessEntry& record : process_table()) {
      if (record.parent == ::getpid()) children.push_back(record.pid);
    }
    return children;
  }

  void add(const std::string& slug, const std::vector<std::string>& names) {
    checkout_.add_problem(slug);
    for (const std::string& name : names) checkout_.add_candidate(slug + "/" + name + ".cu");
  }

  fs::path results() const { return checkout_.path() / "results.jsonl"; }

  Result<SweepOutcome> swept(ResultMode mode = ResultMode::create) {
    auto plan = make_plan({(checkout_.path() / "problems/*.md").string(), "*"}, checkout_.layout());
    EXPECT_TRUE(plan.ok()) << to_string(plan.errors());
    plan_ = std::move(*plan);
    auto file = ResultFile::open(results(), mode);
    EXPECT_TRUE(file.ok());
    done_.reset();
    return sweep(plan_, options_, *file);
  }

  // Each candidate has exactly one result, its own, in the outcome and in the file, or is reported.
  SweepOutcome outcome(ResultMode mode = ResultMode::create) {
    auto outcome = swept(mode);
    EXPECT_TRUE(outcome.ok()) << to_string(outcome.errors());
    if (!outcome) return {};
    std::vector<std::string> ended = names(outcome->records);
    EXPECT_EQ(names(*read_records(results())).size(), ended.size());
    EXPECT_THAT(names(*read_records(results())), testing::UnorderedElementsAreArray(ended));
    for (const UngradedCandidate& one : outcome->ungraded) ended.push_back(name_of(one.candidate));
    std::vector<std::string> wanted;
    for (const SweepTask& task : plan_.tasks) wanted.push_back(name_of(task.candidate));
    for (const UngradedCandidate& one : plan_.refused) wanted.push_back(name_of(one.candidate));
    EXPECT_THAT(ended, testing::UnorderedElementsAreArray(wanted));
    const TaskFinder finder(plan_, options_.lane.effort);
    for (const Record& record : outcome->records) EXPECT_TRUE(finder.find(record)) << record.candidate().path;
    return std::move(*outcome);
  }

  void expect_all_graded_in_spite_of(const std::string& device) {
    SCOPED_TRACE(device);
    for (const char* file : {"results.jsonl", "problems/refusals", "problems/results"})
      fs::remove(checkout_.path() / file);
    notes_.clear();
    options_.devices = {"patient", device};
    const SweepOutcome found = outcome();
    EXPECT_THAT(found.records, SizeIs(plan_.tasks.size()));
    EXPECT_THAT(ungraded(found), IsEmpty());
  }

  static std::string name_of(const fs::path& path) {
    return (path.parent_path().filename() / path.stem()).string();
  }
  static std::vector<std::string> names(const std::vector<Record>& records) {
    std::vector<std::string> names;
    for (const Record& record : records) names.push_back(name_of(fs::path(record.candidate().path)));
    return names;
  }

  // "a/killed: the process that graded ended with signal 9 (Killed)"
  static std::vector<std::string> ungraded(const SweepOutcome& outcome) {
    std::vector<std::string> lines;
    for (const UngradedCandidate& one : outcome.ungraded)
      lines.push_back(name_of(one.candidate) + ": " + one.message);
    return lines;
  }

  test::ScratchCheckout checkout_;
  SweepOptions options_;
  SweepPlan plan_;
  std::optional<std::size_t> done_;  // as was told last
  std::vector<std::string> notes_;
};

TEST_F(Lanes, ThatBehaveGradeEverything) {
  add("alpha", {"good", "good.2", "good.3"});
  add("beta", {"good", "twice", "garbage"});
  for (const std::size_t lanes : {1u, 3u, 9u}) {
    options_.devices.assign(lanes, "emulated");
    fs::remove(results());
    const SweepOutcome found = outcome();
    EXPECT_THAT(names(found.records), ElementsAre("alpha/good.2", "alpha/good.3", "alpha/good",
                                                  "beta/garbage", "beta/good", "beta/twice"));
    EXPECT_EQ(found.taken_over, 0u);
  }
}

TEST_F(Lanes, ThatDieCostNothingButWhatTheyWereGrading) {
  add("alpha", {"good", "killed", "good.2", "exits", "good.3"});
  add("beta", {"good", "once-killed", "good.2"});
  const SweepOutcome found = outcome();
  EXPECT_THAT(names(found.records), UnorderedElementsAre("alpha/good", "alpha/good.2", "alpha/good.3",
                                                         "beta/good", "beta/good.2", "beta/once-killed"));
  EXPECT_THAT(ungraded(found),
              UnorderedElementsAre("alpha/killed: the process that graded ended with signal 9 (Killed)",
                                   "alpha/exits: the process that graded ended with exit code 3"));
  for (const UngradedCandidate& one : found.ungraded) {
    if (name_of(one.candidate) != "alpha/killed") continue;
    EXPECT_EQ(one.exit_code, exit_machine) << "no fault of kgrade";
  }
}

TEST_F(Lanes, ThatHangUpInMidLineLoseThatLine) {
  add("alpha", {"good", "hangs-up", "once-hangs-up", "closes", "good.2"});
  const SweepOutcome found = outcome();
  EXPECT_THAT(names(found.records),
              UnorderedElementsAre("alpha/good", "alpha/good.2", "alpha/once-hangs-up"));
  EXPECT_THAT(
      ungraded(found),
      UnorderedElementsAre(HasSubstr("alpha/hangs-up"),
                           "alpha/closes: the process that graded closed its connection and went on"));
  for (const UngradedCandidate& one : found.ungraded)
    EXPECT_EQ(one.exit_code, exit_internal) << one.candidate;
}

TEST_F(Lanes, ThatDieTakeWhatTheyStartedAlong) {
  add("alpha", {"leaves", "good"});
  const SweepOutcome found = outcome();
  EXPECT_THAT(names(found.records), ElementsAre("alpha/good"));
  pid_t left = 0;
  std::ifstream(checkout_.path() / "solutions/alpha/leaves.cu.pid") >> left;
  ASSERT_GT(left, 1);
  EXPECT_EQ(::kill(left, 0), -1);
}

// A result counts for the candidate that it names, as it was when the sweep found it.
TEST_F(Lanes, ThatTellOfSomethingElseAreNotBelieved) {
  add("alpha", {"other-path", "other-content", "other-problem", "changed-problem", "other-dtype",
                "other-class", "other-effort", "two-candidates", "no-record", "no-json", "two-lines",
                "other-number", "once-other-path", "good"});
  options_.devices.assign(2, "emulated");
  const SweepOutcome found = outcome();
  EXPECT_THAT(names(found.records), UnorderedElementsAre("alpha/good", "alpha/once-other-path"));
  EXPECT_THAT(ungraded(found), testing::Each(AnyOf(HasSubstr("were files changed?"),
                                                   HasSubstr("not of the candidate that it was given"))));
}

TEST_F(Lanes, ACandidateThatIsChangedMeanwhileHasNoResult) {
  add("alpha", {"good", "good.2"});
  auto plan = make_plan({(checkout_.path() / "problems/*.md").string(), "*"}, checkout_.layout());
  ASSERT_TRUE(plan.ok());
  plan_ = std::move(*plan);
  checkout_.add_candidate("alpha/good.cu", "// changed\n");
  {
    auto file = ResultFile::open(results(), ResultMode::create);
    const auto found = sweep(plan_, options_, *file);
    ASSERT_TRUE(found.ok());
    EXPECT_THAT(names(found->records), ElementsAre("alpha/good.2"));
    EXPECT_THAT(ungraded(*found), ElementsAre(HasSubstr("alpha/good: ")));
  }
  EXPECT_THAT(names(outcome(ResultMode::resume).records), SizeIs(2));
}

TEST_F(Lanes, ThatEndEarlySaySo) {
  add("alpha", {"good", "ends-within"});
  add("beta", {"ends-before", "good.2", "ends-before.3", "ends-before.4", "ends-before.5"});
  const SweepOutcome found = outcome();
  EXPECT_THAT(names(found.records), testing::Contains("alpha/good"));
  EXPECT_THAT(ungraded(found),
              AllOf(testing::Contains("alpha/ends-within: no memory"),
                    testing::Contains("beta/ends-before: no memory"), testing::Each(HasSubstr("no memory"))));
}

// A broken GPU is faster than those that grade: it must not empty the queue.
TEST_F(Lanes, OfABrokenDeviceCostNobodyATry) {
  add("alpha", {"good", "good.2", "good.3", "good.4"});
  add("beta", {"good", "good.2"});
  expect_all_graded_in_spite_of("broken");
  expect_all_graded_in_spite_of("breaks");
  expect_all_graded_in_spite_of("deadly");
}

TEST_F(Lanes, OfABrokenDeviceCostNobodyATryWhereThereIsOneProblem) {
  add("alpha", {"good", "good.2", "good.3", "good.4", "good.5", "good.6", "good.7"});
  for (const char* device : {"broken", "breaks", "deadly"}) expect_all_graded_in_spite_of(device);
}

TEST_F(Lanes, EndTheSweepWhenNoneIsLeftThatGrades) {
  add("alpha", {"good", "good.2", "good.3", "good.4", "good.5", "good.6"});
  add("beta", {"good", "good.2", "good.3", "good.4", "good.5", "good.6"});
  options_.devices = {"breaks", "broken"};
  const auto found = swept();
  ASSERT_FALSE(found.ok());
  EXPECT_THAT(found.error().message, HasSubstr("no such device"));
  EXPECT_THAT(found.error().remedy, AllOf(HasSubstr("kgrade doctor"), HasSubstr("--resume")));
  EXPECT_THAT(notes_,
              UnorderedElementsAre(HasSubstr("breaks gets no work"), HasSubstr("broken gets no work")));
  EXPECT_THAT(*read_records(results()), SizeIs(2));
  options_.devices = {"emulated"};
  EXPECT_EQ(outcome(ResultMode::resume).records.size(), 12u);
}

// As if a file had disappeared since the plan was made.
TEST_F(Lanes, ThatRefuseABatchForOneOfItsCandidatesGradeTheOthers) {
  add("alpha", {"good", "good.2", "spoils", "good.3", "good.4"});
  add("beta", {"good", "spoils", "spoils.2"});
  const SweepOutcome found = outcome();
  EXPECT_THAT(names(found.records),
              ElementsAre("alpha/good.2", "alpha/good.3", "alpha/good.4", "alpha/good", "beta/good"));
  EXPECT_THAT(ungraded(found), UnorderedElementsAre("alpha/spoils: no such file", "beta/spoils: no such file",
                                                    "beta/spoils.2: no such file"));
}

TEST_F(Lanes, AreNotGivenWhatThePlanRefuses) {
  add("alpha", {"good", "good.2"});
  fs::create_symlink("nowhere.cu", checkout_.path() / "solutions/alpha/odd.cu");
  const SweepOutcome found = outcome();
  EXPECT_THAT(names(found.records), SizeIs(2));
  EXPECT_THAT(ungraded(found), ElementsAre(HasSubstr("alpha/odd: candidate: no such file")));
  EXPECT_EQ(found.ungraded.at(0).exit_code, exit_usage);
}

// Candidates in Python, on a machine whose only Python has no PyTorch.
class LanesWithoutPyTorch : public Lanes {
 protected:
  void SetUp() override {
    Lanes::SetUp();
    for (const char* name : {"PATH", "KGRADE_PYTHON"}) {
      const char* value = std::getenv(name);
      saved_.emplace_back(name, value != nullptr ? std::optional<std::string>(value) : std::nullopt);
    }
    fs::create_directory(bin());
    ::setenv("PATH", (bin().string() + ":/usr/bin:/bin").c_str(), 1);
    ::unsetenv("KGRADE_PYTHON");
    std::ofstream(python())
        << "#!/bin/sh\necho asked >>" << bin().string() << "/asked\necho hello\n"
        << R"(echo 'kgrade-python {"program": "/bin/python3", "version": "3.11.7", "torch": "", )"
        << R"("cuda": "", "triton": "", "torch_folder": "", "readable": []}')"
        << "\n";
    fs::permissions(python(), fs::perms::owner_all);
  }
  void TearDown() override {
    for (const auto& [name, value] : saved_) {
      if (value) ::setenv(name.c_str(), value->c_str(), 1);
      if (!value) ::unsetenv(name.c_str());
    }
    Lanes::TearDown();
  }

  fs::path bin() const { return checkout_.path() / "bin"; }
  fs::path python() const { return bin() / "python3"; }
  void add_python(const std::string& name) const {
    test::write_content(checkout_.path() / "solutions" / name, "def solution(input):\n    return input\n");
  }

  std::vector<std::pair<std::string, std::optional<std::string>>> saved_;
};

TEST_F(LanesWithoutPyTorch, GradeTheOtherCandidates) {
  add("alpha", {"good", "good.2"});
  add("beta", {});
  for (const char* name : {"alpha/a.py", "alpha/b.py", "alpha/c.py", "beta/a.py", "beta/b.py"})
    add_python(name);
  const SweepOutcome found = outcome();
  EXPECT_THAT(names(found.records), ElementsAre("alpha/good.2", "alpha/good"));
  const std::string why = ": is in Python, and no Python with PyTorch was found";
  EXPECT_THAT(ungraded(found),
              ElementsAre("alpha/a" + why, "alpha/b" + why, "alpha/c" + why, "beta/a" + why, "beta/b" + why));
  for (const UngradedCandidate& one : found.ungraded) EXPECT_EQ(one.exit_code, exit_machine);
  ASSERT_THAT(found.lacks, SizeIs(1));
  EXPECT_THAT(found.lacks.front().message, HasSubstr("PyTorch is not installed for Python 3.11.7"));
  EXPECT_THAT(notes_, IsEmpty()) << "no device is left out";
}

TEST_F(LanesWithoutPyTorch, GradeNothingWhereThePythonIsNamed) {
  add("alpha", {"good"});
  add_python("alpha/a.py");
  options_.lane.python = "/nonexistent";
  auto found = swept();
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().message, "--python: '/nonexistent' is no program that can be started");
  options_.lane.python.clear();
  ::setenv("KGRADE_PYTHON", python().c_str(), 1);
  found = swept();
  ASSERT_FALSE(found.ok());
  EXPECT_THAT(found.error().message, HasSubstr("PyTorch is not installed"));
  EXPECT_THAT(*read_records(results()), IsEmpty());
}

TEST_F(LanesWithoutPyTorch, AskNoPythonWhereNothingNeedsIt) {
  add("alpha", {"good"});
  options_.lane.python = "/nonexistent";
  EXPECT_THAT(names(outcome().records), ElementsAre("alpha/good"));
  options_.lane.python = python();
  fs::remove(results());
  EXPECT_THAT(outcome().lacks, IsEmpty());
  EXPECT_FALSE(fs::exists(bin() / "asked"));
}

TEST_F(Lanes, OfAWrongProgramGradeNothing) {
  add("alpha", {"good", "good.2"});
  add("beta", {"good"});
  options_.lane_command.words = {"/bin/false"};
  options_.devices.assign(4, "emulated");
  const auto found = swept();
  ASSERT_FALSE(found.ok());
  EXPECT_THAT(found.error().message, HasSubstr("ended with exit code 1"));
  options_.lane_command.words = {"/nowhere/at-all"};
  fs::remove(results());
  EXPECT_FALSE(swept().ok());
}

TEST_F(Lanes, OfTheUsersCommandGradeEverything) {
  add("alpha", {"good", "good.2", "once-killed", "once-hangs-up"});
  add("beta", {"good", "killed"});
  options_.lane_command = lane_command_of("echo Welcome to node2; exec " KGRADE_FAKE_LANE);
  options_.devices = {"lane 1", "lane 2", "lane 3"};
  const SweepOutcome found = outcome();
  EXPECT_THAT(found.records, SizeIs(5));
  EXPECT_THAT(ungraded(found),
              ElementsAre("beta/killed: the process that graded ended with signal 9 (Killed)"));
  EXPECT_EQ(found.ungraded.front().exit_code, exit_machine) << "a lane elsewhere is a machine";
}

TEST_F(Lanes, OfTheUsersCommandThatDoNotStartSayWhy) {
  add("alpha", {"good", "good.2"});
  options_.devices = {"lane 1", "lane 2"};
  const auto why_not = [this](const std::string& command) {
    options_.lane_command = lane_command_of(command);
    fs::remove(results());
    const auto outcome = swept();
    EXPECT_FALSE(outcome.ok());
    return outcome.ok() ? "" : to_string(outcome.errors());
  };
  EXPECT_THAT(why_not("echo 'ssh: no route to node2' >&2; exit 255"),
              HasSubstr("the lane ended with exit code 255: ssh: no route to node2"));
  EXPECT_THAT(why_not("nowhere/kgrade lane"), HasSubstr("not found"));
  EXPECT_THAT(
      why_not(R"(echo '{"protocol":1,"build":"0.0","device":"auto","host":"node2"}'; exec sleep 1000)"),
      AllOf(HasSubstr("is kgrade 0.0 on node2"), HasSubstr("install the same version")));
}

// It was started again for each candidate, and all of them were blamed.
TEST_F(Lanes, OfTheUsersCommandThatEndBeforeTheyBeginAreLeftOut) {
  add("alpha", {"good", "good.2", "good.3"});
  add("beta", {"good", "good.2", "good.3"});
  const std::string hello = to_line(hello_of_this_program("auto"));
  options_.lane_command = lane_command_of("echo '" + hello + "'; read line; echo no memory >&2; exit 1");
  options_.devices = {"lane 1"};
  const auto found = swept();
  ASSERT_FALSE(found.ok());
  EXPECT_THAT(to_string(found.errors()), HasSubstr("ended with exit code 1: no memory"));
}

// Nobody else was heard meanwhile.
TEST_F(Lanes, ThatDoNotReadTheirJobsHoldNobodyUp) {
  add("alpha", {});
  checkout_.add_candidate("alpha/large.cu", std::string(4'000'000, ' '));
  LaneJob job;
  job.problem = (checkout_.path() / "problems/alpha.md").string();
  job.candidates = {(checkout_.path() / "solutions/alpha/large.cu").string()};
  const std::string hello = to_line(hello_of_this_program("auto"));
  auto lane = Lane::start(lane_command_of("echo '" + hello + "'; read line; head -c 4000000 | wc -c"));
  ASSERT_TRUE(lane.ok());
  ASSERT_TRUE(lane->give(job));
  EXPECT_TRUE(lane->has_unsent());
  while (lane->has_unsent()) ASSERT_TRUE(lane->send());
}

TEST_F(Lanes, OfTheUsersCommandKnowTheirNumbers) {
  add("alpha", {"good", "good.2", "good.3"});
  const fs::path numbers = checkout_.path() / "numbers";
  options_.lane_command =
      lane_command_of("cd '" + numbers.parent_path().string() +
                      "'; echo $KGRADE_LANE >>numbers; until [ $(wc -l <numbers) = 2 ]; do sleep 0.01; done; "
                      "exec " KGRADE_FAKE_LANE);
  options_.devices = {"lane 1", "lane 2"};
  EXPECT_THAT(outcome().records, SizeIs(3));
  const std::string text = test::content_of(numbers);
  EXPECT_TRUE(text == "0\n1\n" || text == "1\n0\n") << text;
}

// A lane that waits for its machine keeps nobody from the work.
TEST_F(Lanes, ThatStillStartGetNoWork) {
  add("alpha", {"good", "good.2", "good.3"});
  const fs::path first = checkout_.path() / "first";
  options_.lane_command =
      lane_command_of("mkdir '" + first.string() + "' || exec sleep 1000; exec " KGRADE_FAKE_LANE);
  options_.devices = {"lane 1", "lane 2"};
  EXPECT_THAT(outcome().records, SizeIs(3));
}

TEST_F(Lanes, ThatSayNothingHaveEnded) {
  const LaneHello hello = hello_of_this_program("auto");
  auto lane = Lane::start(lane_command_of("echo '" + to_line(hello) + "'; exec sleep 1000"));
  ASSERT_TRUE(lane.ok());
  for (double now = 0; now < 3 * Lane::longest_silence_s; ++now)
    ASSERT_FALSE(lane->is_silent(now)) << "it may wait for its machine";
  while (!lane->hello()) ASSERT_TRUE(lane->read());
  EXPECT_FALSE(lane->is_silent(1e6)) << "this process has not looked for so long";
  double now = 1e6;
  while (!lane->is_silent(now += 0.5)) ASSERT_LT(now, 1e6 + 2 * Lane::longest_silence_s);
  EXPECT_NEAR(now - 1e6, Lane::longest_silence_s, 2);
  EXPECT_EQ(lane->end().description, "said nothing for 60 s");
}

TEST_F(Lanes, AreNotAskedForWhatTheFileHolds) {
  add("alpha", {"good", "killed", "good.2"});
  EXPECT_THAT(outcome().records, SizeIs(2));
  fs::rename(checkout_.path() / "solutions/alpha/killed.cu", checkout_.path() / "solutions/alpha/good.3.cu");
  SweepOutcome found = outcome(ResultMode::resume);
  EXPECT_THAT(names(found.records), ElementsAre("alpha/good.2", "alpha/good.3", "alpha/good"));
  EXPECT_EQ(found.taken_over, 2u);
  options_.lane_command.words = {"/nowhere/at-all"};  // none is started for nothing
  found = outcome(ResultMode::resume);
  EXPECT_EQ(found.taken_over, 3u);
}

TEST_F(Lanes, AreAskedAgainWhereSomethingHasChanged) {
  add("alpha", {"good", "good.2"});
  add("beta", {"good"});
  outcome();
  checkout_.add_candidate("alpha/good.cu", "// changed\n");
  checkout_.add_problem("beta", "dtypes: [float32]\nsource: elsewhere\n");
  {
    const auto found = swept(ResultMode::resume);
    EXPECT_EQ(found->taken_over, 1u);
    EXPECT_THAT(found->records, SizeIs(3));
  }
  options_.lane.effort = Effort::quick;
  const auto found = swept(ResultMode::resume);
  EXPECT_EQ(found->taken_over, 0u);
}

// From an earlier sweep of the same candidates with these options: how many results count, and what is
// printed.
TEST_F(Lanes, AreAskedAgainWhereResultsWereMadeInAnotherWay) {
  add("alpha", {"good", "good.2", "good.3"});
  const auto expect_none_counts = [this](const char* why) {
    SCOPED_TRACE(why);
    notes_.clear();
    const auto found = swept(ResultMode::resume);
    ASSERT_TRUE(found.ok());
    EXPECT_EQ(found->taken_over, 0u);
    EXPECT_THAT(found->records, SizeIs(3));
    EXPECT_THAT(notes_, ElementsAre(AllOf(HasSubstr("3 candidates have no result in"), HasSubstr(why))));
    notes_.clear();
    EXPECT_EQ(swept(ResultMode::resume)->taken_over, 3u) << "now there are results of that kind";
    EXPECT_THAT(notes_, IsEmpty());
  };
  outcome();
  options_.lane.warm = true;
  expect_none_counts("with other options: 3");
  options_.lane.time_limit_seconds = 7;
  expect_none_counts("with other options: 3");
  options_.lane.seed = 18446744073709551615u;
  expect_none_counts("with other options: 3");
  options_.lane.hidden_cases = 0;
  expect_none_counts("with other options: 3");
  options_.lane.baselines = WantedBaselines::none;
  expect_none_counts("with other options: 3");
  options_.lane.effort = Effort::quick;
  expect_none_counts("with another effort: 3");
  test::write_content(checkout_.path() / "reference/alpha.cu", "// another one\n");
  expect_none_counts("against another reference: 3");
  options_.devices = {"cuda:99"};  // no machine has it, and the fake lane does not ask
  expect_none_counts("on another device: 3");
}

// Only what a lane elsewhere sends says on which device it grades.
TEST_F(Lanes, OfTheUsersCommandGradeAgainWhatAnotherKindOfDeviceGraded) {
  add("alpha", {"good", "good.2"});
  options_.devices = {"cuda:99"};
  outcome();
  options_.lane_command = lane_command_of("exec " KGRADE_FAKE_LANE);
  options_.devices = {"lane 1"};
  EXPECT_EQ(outcome(ResultMode::resume).taken_over, 2u) << "nothing is new";
  checkout_.add_candidate("alpha/good.3.cu");
  notes_.clear();
  const auto found = swept(ResultMode::resume);
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->taken_over, 0u);
  EXPECT_THAT(found->records, SizeIs(3));
  for (const Record& record : found->records) EXPECT_EQ(record.device.kind, "emulated");
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("were made on another kind of device")));
}

TEST_F(Lanes, AreAskedAgainForSomeOnly) {
  add("alpha", {"good", "good.2", "good.3"});
  outcome();
  checkout_.add_candidate("alpha/good.2.cu", "// changed\n");
  notes_.clear();
  const auto found = swept(ResultMode::resume);
  EXPECT_EQ(found->taken_over, 2u);
  EXPECT_THAT(notes_,
              ElementsAre(AllOf(HasSubstr("1 candidate has no result"), HasSubstr("of other contents"))));
}

// The current file declares nothing, but the result is from a run with lower requirements.
TEST_F(Lanes, AreAskedAgainWhereAnotherClassWasAskedFor) {
  add("alpha", {"good"});
  outcome();
  auto line = nlohmann::ordered_json::parse(test::content_of(results()));
  EXPECT_EQ(line["problem"]["precision"], "fp32");
  line["problem"]["precision"] = "tf32";
  test::write_content(results(), line.dump() + "\n");
  notes_.clear();
  EXPECT_EQ(swept(ResultMode::resume)->taken_over, 0u);
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("for another precision class")));
}

TEST_F(Lanes, GradeEachCandidateForTheClassThatItDeclares) {
  add("alpha", {"good"});
  checkout_.add_candidate("alpha/good.2.cu", "// kgrade: precision tf32\n");
  const SweepOutcome found = outcome();
  ASSERT_THAT(names(found.records), UnorderedElementsAre("alpha/good", "alpha/good.2"));
  for (const Record& record : found.records)
    EXPECT_EQ(record.required_precision,
              record.candidate().path.ends_with("good.2.cu") ? Precision::tf32 : Precision::fp32);
}

// A compiler may take minutes for something that a lane has already found in another way.
TEST_F(Lanes, DoNotWaitForWhatIsBuiltAhead) {
  add("alpha", {"builds-for-ever", "good", "good.2", "good.3"});
  ::setenv("KGRADE_CACHE_DIR", (checkout_.path() / "cache").c_str(), 1);
  options_.build_jobs = 1;
  EXPECT_THAT(outcome().records, SizeIs(4));
  fs::remove(results());
  options_.devices = {"broken"};
  EXPECT_FALSE(swept().ok());
  ::unsetenv("KGRADE_CACHE_DIR");
}

}  // namespace kgrade::lanes_test
