// The file of results: what was written survives any end, and no results are lost by mistake.
#include "sweep/result_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/temporary_directory.h"
#include "leaderboard/record_files.h"
#include "tests/support/canned_results.h"

namespace kgrade::result_file_test {

namespace fs = std::filesystem;
using test::content_of;
using test::line_of;
using test::result_record;
using test::write_content;
using testing::HasSubstr;
using testing::IsEmpty;

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
  const rlimit limit{100, 100};
  ::setrlimit(RLIMIT_FSIZE, &limit);
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

}  // namespace kgrade::result_file_test
