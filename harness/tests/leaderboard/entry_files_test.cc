#include "leaderboard/entry_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/temporary_directory.h"
#include "base/text.h"
#include "record/json.h"
#include "tests/support/sample_record.h"

namespace kgrade {
namespace {

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
  static std::vector<std::string> paths(const Result<std::vector<Entry>>& entries) {
    std::vector<std::string> all;
    if (!entries) return {to_string(entries.errors())};
    for (const Entry& entry : *entries) all.push_back(entry.path);
    return all;
  }
  TemporaryDirectory folder_;
};

using Names = std::vector<std::string>;

TEST_F(EntryFiles, OfASweepAreReadWithTheirLines) {
  const auto entries =
      read_entries(write("sweep.jsonl", line("a.cu") + "\n" + line("b.cu") + "{\"schema\": \"kgr"));
  EXPECT_EQ(paths(entries), (Names{"a.cu", "b.cu"}));
  EXPECT_EQ((*entries)[1].line, 3);
}

TEST_F(EntryFiles, ASweepThatIsCutOffIsToldOf) {
  const fs::path path = write("sweep.jsonl", line("a.cu") + "{\"schema\": \"kgr");
  const auto read = read_results(path);
  ASSERT_EQ(read->unfinished.size(), 1u);
  EXPECT_EQ(to_string(read->unfinished[0]),
            path.string() +
                ":2: error: ends in the middle of a line: the last result of a sweep is missing\n"
                "  hint: finish the sweep: kgrade sweep --resume");
  write("whole.jsonl", line("b.cu") + " \t");
  EXPECT_EQ(read_results(folder_.path())->unfinished.size(), 1u);
  EXPECT_EQ(read_results(folder_.path())->entries.size(), 2u);
}

TEST_F(EntryFiles, ABrokenLineOfASweepIsNamed) {
  const auto entries = read_entries(write("sweep.jsonl", line("a.cu") + "{\"schema\"\n" + line("b.cu")));
  ASSERT_FALSE(entries.ok());
  EXPECT_EQ(entries.error().location.line, 2);
  const auto other = read_entries(write("sweep.jsonl", line("a.cu") + "{}\n"));
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().location.line, 2);
}

TEST_F(EntryFiles, ManyBrokenLinesAreTenErrors) {
  std::string broken = line("a.cu");
  for (int i = 0; i < 100; ++i) broken += "{\n";
  EXPECT_EQ(read_entries(write("sweep.jsonl", broken)).errors().size(), 10u);
}

TEST_F(EntryFiles, ASweepThatHasJustBegunHasNone) {
  EXPECT_EQ(paths(read_entries(write("s.jsonl", ""))), Names{});
}

TEST_F(EntryFiles, OfAFolderAreReadInOrderOfName) {
  write("b/one.json", line("1.cu"));
  write("a.jsonl", line("2.cu") + line("3.cu"));
  write("c.json", "{\"schema\": \"something else\"}");
  write("d.jsonl", "[]\n");
  write(".hidden/e.json", line("4.cu"));
  write("f.txt", "no JSON");
  EXPECT_EQ(paths(read_entries(folder_.path())), (Names{"2.cu", "3.cu", "1.cu"}));
}

TEST_F(EntryFiles, ABrokenFileInAFolderIsNotPassedOver) {
  write("a.json", line("1.cu"));
  const fs::path broken = write("b.json", "{");
  const auto entries = read_entries(folder_.path());
  ASSERT_FALSE(entries.ok());
  EXPECT_EQ(entries.error().location.file, broken.string());
}

TEST_F(EntryFiles, WhatIsBrokenIsLeftOutAndNamed) {
  write("a.json", line("1.cu"));
  const fs::path broken = write("b.json", "{");
  const fs::path sweep = write("c.jsonl", line("2.cu") + "{\n" + line("3.cu"));
  const auto read = read_what_can_be(folder_.path());
  EXPECT_EQ(read->entries.size(), 3u);
  ASSERT_EQ(read->unreadable.size(), 2u);
  EXPECT_EQ(read->unreadable[0].location.file, broken.string());
  EXPECT_EQ(read->unreadable[1].location.file, sweep.string());
  EXPECT_EQ(read->unreadable[1].location.line, 2);
  EXPECT_EQ(read->unreadable_count, 2u);
}

TEST_F(EntryFiles, WhatHoldsNoRecordIsAnError) {
  EXPECT_THAT(paths(read_entries(write("a.json", "{}")))[0], HasSubstr("is no record of kgrade grade"));
  EXPECT_THAT(paths(read_entries(folder_.path()))[0], HasSubstr("holds no record"));
  EXPECT_THAT(paths(read_entries(folder_.path() / "none.json"))[0], HasSubstr("no such file"));
}

}  // namespace
}  // namespace kgrade
