// The outcome of a sweep, for people.
#include "sweep/report.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/temporary_directory.h"
#include "compile/contestant_cache.h"
#include "leaderboard/record_files.h"
#include "sweep/result_file.h"
#include "tests/support/canned_results.h"
#include "tests/support/scratch_checkout.h"

namespace kgrade::report_test {

namespace fs = std::filesystem;
using test::content_of;
using test::line_of;
using test::result_record;
using test::write_content;
using testing::DoubleEq;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Optional;

Record record(const std::string& candidate = "solutions/scale/good.cu") {
  return one_a_candidate(result_record(candidate)).front();
}

Record rejected(const std::string& message) {
  Record record = test::sample_record();
  record.candidates.erase(record.candidates.begin());
  record.candidates[0].message = message;
  return one_a_candidate(record).front();
}

TEST(SweepSummary, AResultIsALine) {
  EXPECT_EQ(result_line(record(), Style(false)), "accepted  scale/good.cu  2.00x [1.75, 2.25] reference");
  EXPECT_EQ(result_line(rejected("case 'tiny': all wrong\nmore"), Style(false)),
            "wrong_answer  scale/bad.cu  case 'tiny': all wrong");
}

TEST(SweepSummary, SaysHowManyCasesRanWhereNoneWasMeasured) {
  Record emulated = record();
  emulated.candidate().scores.clear();
  emulated.candidate().cases[1].run = false;
  EXPECT_EQ(result_line(emulated, Style(false)),
            "accepted  scale/good.cu  1 of 2 cases; measured ones need a GPU");
}

TEST(SweepSummary, NamesTheTypeWhereItIsNotTheUsualOne) {
  Record half = record();
  half.dtype = Dtype::float16;
  EXPECT_THAT(result_line(half, Style(false)), HasSubstr("scale (float16)/good.cu"));
}

TEST(SweepSummary, HasAColumnForTheVerdictsOfSets) {
  Record half = record();
  half.candidate().by_set = CandidateBySet{SetVerdict::wrong_answer, 2, 2, {"tiny"}, {}};
  EXPECT_THAT(result_line(half, Style(false)), HasSubstr("  by set: wrong_answer"));
  SweepOutcome outcome;
  outcome.records = {record()};
  EXPECT_THAT(render_summary(outcome, Style(false)), Not(HasSubstr("by set")));
  outcome.records.push_back(half);
  EXPECT_THAT(render_summary(outcome, Style(false)), HasSubstr("  reference  wrong_answer\n"));
}

// A candidate's messages and name cannot control the terminal.
TEST(SweepSummary, ShowsNoControlCharacters) {
  const Record hostile = rejected("\033[2J gone");
  EXPECT_THAT(result_line(hostile, Style(false)), Not(HasSubstr("\033")));
  SweepOutcome outcome;
  outcome.records = {record("solutions/scale/\033[2J.cu"), hostile};
  outcome.ungraded = {{"\033[31m.cu", "died \033[2J"}};
  EXPECT_THAT(render_summary(outcome, Style(false)), Not(HasSubstr("\033")));
}

TEST(SweepSummary, CountsWhatCameOut) {
  SweepOutcome outcome;
  outcome.records = {record(), record("solutions/scale/other.cu"), rejected("wrong")};
  outcome.ungraded = {{"d.cu", "the process that graded ended with signal 9 (Killed)"}};
  outcome.taken_over = 2;
  outcome.seconds = 12.34;
  const std::string text = render_summary(outcome, Style(false));
  EXPECT_THAT(text, HasSubstr("other.cu"));
  EXPECT_THAT(text, HasSubstr("not graded: d.cu: the process that graded ended with signal 9 (Killed)\n"));
  EXPECT_THAT(text, HasSubstr("Geometric mean of 2 speedups: 2.00x [1.83, 2.186].\n"));
  EXPECT_THAT(text, HasSubstr("4 candidates: 2 accepted, 1 not, 1 without a verdict; 2 of them from before; "
                              "12.3 s\n"));
}

TEST(SweepSummary, WhatNeedsAGpuIsCountedApart) {
  SweepOutcome outcome;
  outcome.records = {record(), rejected("wrong"), rejected("inline assembly")};
  outcome.records[2].candidate().verdict = Verdict::unsupported;
  outcome.records[2].device.kind = "emulated";
  EXPECT_THAT(render_summary(outcome, Style(false)),
              HasSubstr("3 candidates: 1 accepted, 1 not, 1 unsupported on this machine; "));
}

TEST(SweepSummary, NamesTheFirstFilesThatAreOfNoProblem) {
  SweepOutcome outcome;
  outcome.records = {record()};
  for (int i = 0; i < 12; ++i) outcome.unmatched.emplace_back(fmt::format("runs/mine/{:02}\033.py", i));
  const std::string text = render_summary(outcome, Style(false));
  EXPECT_THAT(text, HasSubstr("named after no problem, not graded: 12 files\n  runs/mine/00\\x1b.py\n"));
  EXPECT_THAT(text, HasSubstr("  runs/mine/09\\x1b.py\n  and 2 more\n"));
  EXPECT_THAT(text, Not(HasSubstr("mine/10")));
  EXPECT_THAT(text, HasSubstr("1 candidate: 1 accepted, 0 not; "));
}

TEST(SweepSummary, CiSystemsAreToldOfWhatHasNoVerdict) {
  SweepOutcome outcome;
  outcome.records = {record()};
  SweepPlan plan;
  plan.groups.resize(1);
  plan.groups[0].problem.slug = "scale";
  plan.tasks = {{0, "a.cu", ""}, {0, "b.cu", ""}};
  outcome.ungraded = {without_verdict(plan, 1, "killed")};
  const std::vector<Ungraded> told = ungraded_of(outcome);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].path, "b.cu");
  EXPECT_EQ(told[0].slug, "scale");
  EXPECT_EQ(told[0].message, "killed");
  EXPECT_EQ(told[0].device, outcome.records[0].device.name) << "they are of one suite";
  EXPECT_EQ(told[0].at.size(), std::string("2026-01-02T03:04:05Z").size());
}

TEST(SweepSummary, SaysNothingOfWhatDidNotHappen) {
  SweepOutcome outcome;
  outcome.records = {rejected("wrong")};
  const std::string text = render_summary(outcome, Style(false));
  EXPECT_THAT(text, HasSubstr("1 candidate: 0 accepted, 1 not; 0.0 s\n"));
  EXPECT_THAT(text, Not(HasSubstr("Geometric mean")));
  EXPECT_THAT(text, Not(HasSubstr("verdict;")));
  EXPECT_THAT(text, Not(HasSubstr("before")));
}

TEST(TimeLeft, IsUnknownBeforeTheSecondResult) {
  TimeLeft left(100);
  EXPECT_FALSE(left.seconds(10, 101));
  left.result_at(102);
  EXPECT_FALSE(left.seconds(9, 103));
  left.result_at(104);
  EXPECT_THAT(left.seconds(8, 104), Optional(DoubleEq(16)));
}

TEST(TimeLeft, GoesDownWhileTheNextResultIsAwaitedButNotBelowZero) {
  TimeLeft left(0);
  left.result_at(2);
  left.result_at(4);
  EXPECT_THAT(left.seconds(3, 5), Optional(DoubleEq(5)));
  EXPECT_THAT(left.seconds(3, 100), Optional(DoubleEq(0)));
  EXPECT_THAT(left.seconds(0, 4), Optional(DoubleEq(0)));
}

TEST(TimeLeft, FollowsTheRateOfTheLastResults) {
  TimeLeft left(0);
  double now = 0;
  for (int i = 0; i < 10; ++i) left.result_at(now += 100);
  for (std::size_t i = 0; i < TimeLeft::window; ++i) left.result_at(now += 1);
  EXPECT_THAT(left.seconds(60, now), Optional(DoubleEq(60)));
}

TEST(TimeLeft, IsSaidRoughly) {
  EXPECT_EQ(describe_time_left(0), "less than a minute left");
  EXPECT_EQ(describe_time_left(59.9), "less than a minute left");
  EXPECT_EQ(describe_time_left(180), "about 3 min left");
  EXPECT_EQ(describe_time_left(9000), "about 2.5 h left");
  EXPECT_EQ(describe_time_left(200000), "about 2 days left");
}

TEST(LogInterval, IsOnceInSoManySeconds) {
  LogInterval log(1000, 60);
  int lines = 0;
  for (double now = 1000; now <= 1600; now += 0.5) lines += log.is_due(now) ? 1 : 0;
  EXPECT_EQ(lines, 10);
  EXPECT_FALSE(log.is_due(1659));
  EXPECT_TRUE(log.is_due(1700));
  EXPECT_FALSE(log.is_due(1720)) << "from when it was said, not from when it was due";
  LogInterval often(1000, LogInterval::of_reading);
  EXPECT_FALSE(often.is_due(1004));
  EXPECT_TRUE(often.is_due(1006));
}

// How the cache of contestants knows its size: with several processes in its folder, and without looking at
// every file for every new entry.

constexpr std::uint64_t limit = 100000;

class CacheSize : public testing::Test {
 protected:
  fs::path folder() const { return folder_.path() / "cache"; }

  static void keep(const ContestantCache& cache, int number, std::size_t bytes = 9000) {
    cache.keep(key_of(number), {std::string(bytes, 'x'), "", "a.cu", 1});
  }

  static std::string key_of(int number) {
    const std::string digits = std::to_string(number);
    return std::string(64 - digits.size(), '0') + digits;
  }

  // An entry that was not added by keep().
  void plant(const std::string& name, std::uint64_t bytes) const {
    test::write_content(folder() / (name + ".contestant"), std::string(bytes, 'y'));
    fs::last_write_time(folder() / (name + ".contestant"),
                        fs::file_time_type::clock::now() - std::chrono::hours(2));
  }

  TemporaryDirectory folder_;
};

TEST_F(CacheSize, NeverGoesOverTheLimitWhoeverKeeps) {
  const ContestantCache one(folder(), limit);
  const ContestantCache other(folder(), limit);
  for (int number = 0; number < 60; ++number) {
    keep(number % 3 == 0 ? one : other, number, 1000 + 500 * static_cast<std::size_t>(number % 20));
    ASSERT_LE(one.use().bytes, limit) << number;
  }
  EXPECT_GT(one.use().bytes, limit / 2);
  EXPECT_TRUE(one.find(key_of(59)));
}

TEST_F(CacheSize, IsLookedUpWhenTheSumOfWhatWasAddedSaysSo) {
  const ContestantCache cache(folder(), limit);
  keep(cache, 0);
  plant("behind-its-back", 95000);
  for (int number = 1; number < 10; ++number) keep(cache, number);
  EXPECT_TRUE(fs::exists(folder() / "behind-its-back.contestant")) << "it has not looked at all files";
  for (int number = 10; number < 13; ++number) keep(cache, number);
  EXPECT_FALSE(fs::exists(folder() / "behind-its-back.contestant"));
  EXPECT_LE(cache.use().bytes, limit);
}

TEST_F(CacheSize, IsLookedUpWhereTheSumIsDamagedOrGone) {
  const ContestantCache cache(folder(), limit);
  for (const char* const damage : {"", "17", "000000000000000000x7", "99999999999999999999"}) {
    SCOPED_TRACE(damage);
    keep(cache, 0);
    plant("too-much", 95000);
    test::write_content(folder() / "size", damage);
    keep(cache, 1);
    EXPECT_FALSE(fs::exists(folder() / "too-much.contestant"));
    EXPECT_TRUE(cache.find(key_of(1)));
  }
  fs::remove(folder() / "size");
  plant("too-much", 95000);
  keep(cache, 2);
  EXPECT_LE(cache.use().bytes, limit);
}

// The file of results: what was written survives any end, and no results are lost by mistake.

class ResultFileTest : public testing::Test {
 protected:
  std::string refusal(ResultMode mode) const { return refusal(file_, mode); }
  std::string refusal(const fs::path& path, ResultMode mode) const {
    const auto file = ResultFile::open(path, mode);
    return file ? "none" : to_string(file.errors());
  }

  static std::vector<std::string> candidates(const ResultFile& file) {
    std::vector<std::string> paths;
    for (const Record& result : file.before()) paths.push_back(result.candidate().path);
    return paths;
  }

  TemporaryDirectory folder_;
  fs::path file_ = folder_.path() / "results.jsonl";
  std::string one_ = line_of(result_record("one.cu"));
  std::string two_ = line_of(result_record("two.cu"));
};

TEST_F(ResultFileTest, IsMadeAndGrowsByLines) {
  auto file = ResultFile::open(file_, ResultMode::create);
  ASSERT_TRUE(file.ok());
  EXPECT_THAT(file->before(), IsEmpty());
  EXPECT_EQ(file->path(), file_);
  ASSERT_TRUE(file->append(one_).ok());
  EXPECT_EQ(content_of(file_), one_ + "\n");  // at once, not at the end
  ASSERT_TRUE(file->append(two_).ok());
  EXPECT_EQ(content_of(file_), one_ + "\n" + two_ + "\n");
  EXPECT_EQ(read_records(file_)->size(), 2u);
}

TEST_F(ResultFileTest, CreateRefusesWhatHoldsSomething) {
  write_content(file_, one_ + "\n");
  EXPECT_THAT(refusal(ResultMode::create), HasSubstr("holds results already"));
  EXPECT_THAT(refusal(ResultMode::create), HasSubstr("--resume"));
  EXPECT_EQ(content_of(file_), one_ + "\n");
  write_content(file_, "");
  EXPECT_EQ(refusal(ResultMode::create), "none");
}

TEST_F(ResultFileTest, OverwriteBeginsAnew) {
  write_content(file_, "anything at all");
  auto file = ResultFile::open(file_, ResultMode::overwrite);
  ASSERT_TRUE(file.ok());
  EXPECT_THAT(file->before(), IsEmpty());
  ASSERT_TRUE(file->append(two_).ok());
  EXPECT_EQ(content_of(file_), two_ + "\n");
}

TEST_F(ResultFileTest, ResumeReadsWhatIsThereAndAppends) {
  write_content(file_, one_ + "\n");
  auto file = ResultFile::open(file_, ResultMode::resume);
  ASSERT_TRUE(file.ok());
  EXPECT_THAT(candidates(*file), testing::ElementsAre("one.cu"));
  ASSERT_TRUE(file->append(two_).ok());
  EXPECT_EQ(content_of(file_), one_ + "\n" + two_ + "\n");
}

TEST_F(ResultFileTest, ResumeMakesWhatIsNotThere) {
  const auto file = ResultFile::open(file_, ResultMode::resume);
  ASSERT_TRUE(file.ok());
  EXPECT_THAT(file->before(), IsEmpty());
  EXPECT_EQ(content_of(file_), "");
}

// Wherever the write stopped when the sweep was killed.
TEST_F(ResultFileTest, ResumeCutsTheUnfinishedLineAndOnlyThat) {
  for (const std::size_t length : {std::size_t{1}, two_.size() / 2, two_.size() - 1}) {
    write_content(file_, one_ + "\n" + two_.substr(0, length));
    const auto file = ResultFile::open(file_, ResultMode::resume);
    ASSERT_TRUE(file.ok());
    EXPECT_THAT(candidates(*file), testing::ElementsAre("one.cu"));
    EXPECT_EQ(content_of(file_), one_ + "\n");
  }
  write_content(file_, two_.substr(0, 10));
  EXPECT_EQ(refusal(ResultMode::resume), "none");
  EXPECT_EQ(content_of(file_), "");
}

TEST_F(ResultFileTest, ResumeGivesAWholeRecordTheLineBreakThatItLacks) {
  write_content(file_, one_ + "\n" + two_);
  const auto file = ResultFile::open(file_, ResultMode::resume);
  ASSERT_TRUE(file.ok());
  EXPECT_THAT(candidates(*file), testing::ElementsAre("one.cu", "two.cu"));
  EXPECT_EQ(content_of(file_), one_ + "\n" + two_ + "\n");
}

TEST_F(ResultFileTest, ResumeLeavesAloneWhatIsNoneOfASweeps) {
  for (const std::string& text : {std::string("precious notes without a line break"), one_ + "\nnotes"}) {
    write_content(file_, text);
    EXPECT_THAT(refusal(ResultMode::resume), HasSubstr("no record of a sweep"));
    EXPECT_EQ(content_of(file_), text);
  }
}

TEST_F(ResultFileTest, ResumeSkipsADamagedLineAndGoesOn) {
  const std::string damaged = one_ + "\n" + two_.substr(0, 100) + "\n" + two_ + "\nnotes\n";
  write_content(file_, damaged);
  auto file = ResultFile::open(file_, ResultMode::resume);
  ASSERT_TRUE(file.ok());
  EXPECT_THAT(candidates(*file), testing::ElementsAre("one.cu", "two.cu"));
  EXPECT_EQ(file->skipped().count, 2u);
  EXPECT_THAT(to_string(file->skipped().first), HasSubstr("results.jsonl:2"));
  EXPECT_EQ(content_of(file_), damaged) << "it stays as it was";
  ASSERT_TRUE(file->append(two_).ok());
  EXPECT_EQ(content_of(file_), damaged + two_ + "\n");
}

TEST_F(ResultFileTest, ResumeLeavesAFileWithoutARecordAlone) {
  write_content(file_, "\"text\"\n");
  EXPECT_THAT(refusal(ResultMode::resume), HasSubstr("results.jsonl:1"));
  EXPECT_EQ(content_of(file_), "\"text\"\n");
}

TEST_F(ResultFileTest, TwoWritersAreRefused) {
  write_content(file_, one_ + "\n");
  {
    const auto first = ResultFile::open(file_, ResultMode::resume);
    ASSERT_TRUE(first.ok());
    for (const ResultMode mode : {ResultMode::create, ResultMode::resume, ResultMode::overwrite})
      EXPECT_THAT(refusal(mode), HasSubstr("another sweep writes to it"));
    EXPECT_EQ(content_of(file_), one_ + "\n");
  }
  EXPECT_EQ(refusal(ResultMode::resume), "none");
}

TEST_F(ResultFileTest, OnlyAFileWillDo) {
  ASSERT_EQ(::mkfifo(file_.c_str(), 0600), 0);
  EXPECT_THAT(refusal(ResultMode::create), HasSubstr("is no file"));
  EXPECT_THAT(refusal(ResultMode::resume), HasSubstr("is no file"));
  fs::remove(file_);
  fs::create_directory(file_);
  for (const ResultMode mode : {ResultMode::create, ResultMode::resume, ResultMode::overwrite})
    EXPECT_THAT(refusal(mode), HasSubstr("directory"));
  EXPECT_THAT(refusal(folder_.path() / "none/results.jsonl", ResultMode::create),
              HasSubstr("cannot be opened"));
  EXPECT_FALSE(fs::exists(folder_.path() / "none"));
}

TEST_F(ResultFileTest, ALinkIsFollowed) {
  fs::create_symlink("target.jsonl", file_);
  auto file = ResultFile::open(file_, ResultMode::create);
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE(file->append(one_).ok());
  EXPECT_EQ(content_of(folder_.path() / "target.jsonl"), one_ + "\n");
  fs::remove(file_);
  fs::create_symlink("nowhere/target.jsonl", file_);
  EXPECT_THAT(refusal(ResultMode::create), HasSubstr("cannot be opened"));
}

// This extension tells readers of results that there is a record on each line.
TEST_F(ResultFileTest, HasTheEndingOfSuchFiles) {
  for (const char* name : {"results.json", "results", "results.jsonl.txt"}) {
    EXPECT_THAT(refusal(folder_.path() / name, ResultMode::create), HasSubstr(".jsonl"));
    EXPECT_FALSE(fs::exists(folder_.path() / name));
  }
}

TEST_F(ResultFileTest, IsNotStandardOutput) {
  EXPECT_THAT(refusal("-", ResultMode::create),
              AllOf(HasSubstr("'-' would be standard output"), HasSubstr("name a file")));
}

bool append_with_little_room(ResultFile& file) {
  ::signal(SIGXFSZ, SIG_IGN);
  const rlimit room{100, 100};
  ::setrlimit(RLIMIT_FSIZE, &room);
  return file.append(line_of(result_record())).ok();
}

TEST_F(ResultFileTest, SaysWhenTheDiskIsFull) {
  // There is no full file system to test with; a limit on file size ends a write in the same way.
  auto file = ResultFile::open(file_, ResultMode::create);
  ASSERT_TRUE(file.ok());
  EXPECT_EXIT(::_exit(append_with_little_room(*file) ? 1 : 0), testing::ExitedWithCode(0), "");
  EXPECT_EQ(content_of(file_), line_of(result_record()).substr(0, 100));
  file = ResultFile::open(folder_.path() / "other.jsonl", ResultMode::create);
  EXPECT_EQ(refusal(ResultMode::resume), "none");  // what was half written goes
  EXPECT_EQ(content_of(file_), "");
}

}  // namespace kgrade::report_test
