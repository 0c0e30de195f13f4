// What the journal of a service keeps when the service is killed.
#include "serve/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>

#include "base/temporary_directory.h"

namespace kgrade::journal_test {

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

// While it lives, no file of this process gets larger than `bytes`: a write beyond fails with EFBIG.
struct FullDisk {
  explicit FullDisk(std::uint64_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before);
    ::signal(SIGXFSZ, SIG_IGN);
    rlimit limit = before;
    limit.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before);
    ::signal(SIGXFSZ, SIG_DFL);
  }
  rlimit before{};
};

TEST_F(JournalTest, WritesAgainWhatDidNotFit) {
  {
    Journal journal = open();
    journal.append("one");
    EXPECT_TRUE(journal.commit().ok());
    journal.append("two");
    {
      const FullDisk full(6);
      EXPECT_FALSE(journal.commit().ok());
    }
    EXPECT_TRUE(journal.commit().ok());
  }
  EXPECT_THAT(lines(), ElementsAre("one", "two"));
}

// The line was in the file twice, and the size that the journal knew was too small.
TEST_F(JournalTest, HasEachLineOnceAfterADiskThatFailed) {
  int failures = 1;
  {
    auto journal = Journal::open(path(), [&failures](int fd) {
      if (failures-- <= 0) return ::fdatasync(fd);
      errno = EIO;
      return -1;
    });
    ASSERT_TRUE(journal.ok());
    journal->append("one");
    EXPECT_FALSE(journal->commit().ok());
    EXPECT_TRUE(journal->has_pending());
    EXPECT_EQ(journal->bytes(), 0u);
    EXPECT_TRUE(journal->commit().ok());
    EXPECT_EQ(journal->bytes(), 4u);
    // What failed to be written next cut off what was durable.
    journal->append("two");
    {
      const FullDisk full(6);
      EXPECT_FALSE(journal->commit().ok());
    }
  }
  EXPECT_THAT(lines(), ElementsAre("one"));
}

// Linux forgets what one fdatasync(2) could not write. So the next one must be of another file.
TEST_F(JournalTest, WritesANewFileAfterADiskThatFailed) {
  std::ofstream(path()) << "one\n";
  std::vector<ino_t> synced;
  auto journal = Journal::open(path(), [&synced](int fd) {
    struct stat found {};
    ::fstat(fd, &found);
    synced.push_back(found.st_ino);
    errno = EIO;
    return synced.size() > 1 ? 0 : -1;
  });
  ASSERT_TRUE(journal.ok());
  EXPECT_THAT(*journal->read(), ElementsAre("one"));
  journal->append("two");
  EXPECT_FALSE(journal->commit().ok());
  EXPECT_TRUE(journal->commit().ok());
  ASSERT_EQ(synced.size(), 2u);
  EXPECT_NE(synced[0], synced[1]);
  EXPECT_THAT(*journal->read(), ElementsAre("one", "two"));
}

TEST_F(JournalTest, BelongsToOneService) {
  const Journal first = open();
  const auto second = Journal::open(path());
  ASSERT_FALSE(second.ok());
  EXPECT_THAT(second.error().message, testing::HasSubstr("another `kgrade serve` uses it"));
  EXPECT_EQ(second.error().blame, Blame::machine);
}

}  // namespace kgrade::journal_test
