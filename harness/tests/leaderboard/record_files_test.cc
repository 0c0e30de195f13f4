#include "leaderboard/record_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/temporary_directory.h"
#include "base/text.h"
#include "record/record_json.h"
#include "tests/support/sample_record.h"

namespace kgrade::record_files_test {

namespace fs = std::filesystem;
using testing::HasSubstr;

class EntryFiles : public testing::Test {
 protected:
  fs::path write(const std::string& name, const std::string& content) {
    const fs::path path = folder_.path() / name;
    fs::create_directories(path.parent_path());
    EXPECT_TRUE(write_file_atomically(path, content).ok());
    return path;
  }
  static std::string line(const std::string& candidate) {
    Record record = test::sample_record();
    record.candidates.resize(1);
    record.candidates[0].path = candidate;
    return to_json(record).dump() + "\n";
  }
  static std::vector<std::string> paths(const Result<std::vector<Record>>& records) {
    std::vector<std::string> all;
    if (!records) return {to_string(records.errors())};
    for (const Record& record : *records) all.push_back(record.candidate().path);
    return all;
  }
  TemporaryDirectory folder_;
};

using Names = std::vector<std::string>;

TEST_F(EntryFiles, OfASweepAreReadWithTheirLines) {
  const auto records =
      read_records(write("sweep.jsonl", line("a.cu") + "\n" + line("b.cu") + "{\"schema\": \"kgr"));
  EXPECT_EQ(paths(records), (Names{"a.cu", "b.cu"}));
  EXPECT_EQ((*records)[1].read_from.line, 3);
}

TEST_F(EntryFiles, ASweepThatIsCutOffIsToldOf) {
  const fs::path path = write("sweep.jsonl", line("a.cu") + "{\"schema\": \"kgr");
  const auto read = read_results(path);
  ASSERT_EQ(read->unfinished.size(), 1u);
  EXPECT_EQ(to_string(read->unfinished[0]),
            path.string() +
                ":2: error: ends in the middle of a line: the last result of a sweep is missing\n"
                "  hint: finish the sweep: the same kgrade sweep with --resume");
  write("whole.jsonl", line("b.cu") + " \t");
  EXPECT_EQ(read_results(folder_.path())->unfinished.size(), 1u);
  EXPECT_EQ(read_results(folder_.path())->records.size(), 2u);
  const auto broken = read_results(write("broken.jsonl", line("a.cu") + "{\"schema\"\n"));
  ASSERT_TRUE(broken.ok()) << "a broken line is skipped";
  EXPECT_EQ(broken->unreadable_count, 1u);
  EXPECT_FALSE(read_results(write("none.jsonl", "{\"schema\"\n")).ok());
}

TEST_F(EntryFiles, ABrokenLineOfASweepIsNamed) {
  const auto records = read_records(write("sweep.jsonl", line("a.cu") + "{\"schema\"\n" + line("b.cu")));
  ASSERT_FALSE(records.ok());
  EXPECT_EQ(records.error().location.line, 2);
  const auto other = read_records(write("sweep.jsonl", line("a.cu") + "{}\n"));
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().location.line, 2);
}

TEST_F(EntryFiles, ManyBrokenLinesAreTenErrors) {
  std::string broken = line("a.cu");
  for (int i = 0; i < 100; ++i) broken += "{\n";
  EXPECT_EQ(read_records(write("sweep.jsonl", broken)).errors().size(), 10u);
}

TEST_F(EntryFiles, ASweepThatHasJustBegunHasNone) {
  EXPECT_EQ(paths(read_records(write("s.jsonl", ""))), Names{});
}

TEST_F(EntryFiles, OfAFolderAreReadInOrderOfName) {
  write("b/one.json", line("1.cu"));
  write("a.jsonl", line("2.cu") + line("3.cu"));
  write("c.json", "{\"schema\": \"something else\"}");
  write("d.jsonl", "[]\n");
  write(".hidden/e.json", line("4.cu"));
  write("f.txt", "no JSON");
  EXPECT_EQ(paths(read_records(folder_.path())), (Names{"2.cu", "3.cu", "1.cu"}));
}

TEST_F(EntryFiles, ABrokenFileInAFolderIsNotPassedOver) {
  write("a.json", line("1.cu"));
  const fs::path broken = write("b.json", "{");
  const auto records = read_records(folder_.path());
  ASSERT_FALSE(records.ok());
  EXPECT_EQ(records.error().location.file, broken.string());
}

TEST_F(EntryFiles, WhatIsBrokenIsLeftOutAndNamed) {
  write("a.json", line("1.cu"));
  const fs::path broken = write("b.json", "{");
  const fs::path sweep = write("c.jsonl", line("2.cu") + "{\n" + line("3.cu"));
  const auto read = read_what_can_be(folder_.path());
  EXPECT_EQ(read->records.size(), 3u);
  ASSERT_EQ(read->unreadable.size(), 2u);
  EXPECT_EQ(read->unreadable[0].location.file, broken.string());
  EXPECT_EQ(read->unreadable[1].location.file, sweep.string());
  EXPECT_EQ(read->unreadable[1].location.line, 2);
  EXPECT_EQ(read->unreadable_count, 2u);
}

TEST_F(EntryFiles, WhatHoldsNoRecordIsAnError) {
  EXPECT_THAT(paths(read_records(write("a.json", "{}")))[0], HasSubstr("is no record of kgrade grade"));
  EXPECT_THAT(paths(read_records(folder_.path()))[0], HasSubstr("holds no record"));
  EXPECT_THAT(paths(read_records(folder_.path() / "none.json"))[0], HasSubstr("no such file"));
}

}  // namespace kgrade::record_files_test
