// What the journal of a service keeps when the service is killed.
#include "serve/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/temporary_directory.h"

namespace kgrade {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct JournalTest : testing::Test {
  std::filesystem::path path() const { return folder.path() / "journal.jsonl"; }

  Journal open() const {
    auto journal = Journal::open(path());
    EXPECT_TRUE(journal.ok());
    return std::move(*journal);
  }

  std::vector<std::string> lines() const {
    Journal journal = open();
    auto read = journal.read();
    EXPECT_TRUE(read.ok());
    return *read;
  }

  TemporaryDirectory folder;
};

TEST_F(JournalTest, KeepsWhatWasCommittedAndNothingElse) {
  {
    Journal journal = open();
    EXPECT_THAT(*journal.read(), IsEmpty());
    journal.append("one");
    journal.append("two");
    EXPECT_TRUE(journal.has_pending());
    EXPECT_TRUE(journal.commit().ok());
    EXPECT_FALSE(journal.has_pending());
    journal.append("never committed");
  }
  EXPECT_THAT(lines(), ElementsAre("one", "two"));
}

TEST_F(JournalTest, CutsOffALineThatWasNotFinished) {
  std::ofstream(path()) << "one\ntw";
  {
    Journal journal = open();
    EXPECT_THAT(*journal.read(), ElementsAre("one"));
    journal.append("three");
    EXPECT_TRUE(journal.commit().ok());
  }
  EXPECT_THAT(lines(), ElementsAre("one", "three"));
}

TEST_F(JournalTest, IsReplacedAsAWhole) {
  {
    Journal journal = open();
    journal.append("old");
    EXPECT_TRUE(journal.commit().ok());
    EXPECT_TRUE(journal.rewrite({"new"}).ok());
    journal.append("newer");
    EXPECT_TRUE(journal.commit().ok());
    EXPECT_EQ(journal.bytes(), 10u);
  }
  EXPECT_THAT(lines(), ElementsAre("new", "newer"));
}

TEST_F(JournalTest, BelongsToOneService) {
  const Journal first = open();
  const auto second = Journal::open(path());
  ASSERT_FALSE(second.ok());
  EXPECT_THAT(second.error().message, testing::HasSubstr("another `kgrade serve` uses it"));
  EXPECT_EQ(second.error().blame, Blame::machine);
}

}  // namespace
}  // namespace kgrade
