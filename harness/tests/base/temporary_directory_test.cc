// Private folders that leave nothing behind.
#include "base/temporary_directory.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <system_error>

namespace kgrade::temporary_directory_test {

TEST(TemporaryDirectory, IsPrivateAndGoesWithEverythingInIt) {
  std::filesystem::path path;
  {
    const TemporaryDirectory folder;
    path = folder.path();
    struct stat status {};
    ASSERT_EQ(::stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777, 0700U);
    std::filesystem::create_directories(path / "a" / "b");
    std::ofstream(path / "a" / "b" / "file") << "x";
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

std::ptrdiff_t entries_in(const std::filesystem::path& folder) {
  return std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator());
}

TEST(TemporaryDirectory, NoTwoAreTheSame) {
  const TemporaryDirectory first;
  const TemporaryDirectory second;
  EXPECT_NE(first.path(), second.path());
}

// Sets an environment variable, and restores its old value.
class ScopedVariable {
 public:
  ScopedVariable(std::string name, const std::string& value) : name_(std::move(name)) {
    if (const char* old = ::getenv(name_.c_str())) old_ = old;
    ::setenv(name_.c_str(), value.c_str(), 1);
  }
  ~ScopedVariable() {
    if (old_) {
      ::setenv(name_.c_str(), old_->c_str(), 1);
    } else {
      ::unsetenv(name_.c_str());
    }
  }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

 private:
  std::string name_;
  std::optional<std::string> old_;
};

TEST(TemporaryDirectory, StandsWhereTmpdirSays) {
  const TemporaryDirectory outer;
  const ScopedVariable variable("TMPDIR", outer.path().string());
  const TemporaryDirectory inner;
  EXPECT_EQ(inner.path().parent_path(), outer.path());
}

TEST(TemporaryDirectory, OfARunThatWasKilledIsRemovedByTheNext) {
  const TemporaryDirectory outer;
  const ScopedVariable variable("TMPDIR", outer.path().string());
  const pid_t child = ::fork();
  if (child == 0) {
    const TemporaryDirectory abandoned;
    std::ofstream(abandoned.path() / "file") << "x";
    ::raise(SIGKILL);
  }
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_EQ(entries_in(outer.path()), 1);
  const TemporaryDirectory alive;
  remove_abandoned_folders(outer.path());
  EXPECT_EQ(entries_in(outer.path()), 1);
  EXPECT_TRUE(std::filesystem::exists(alive.path()));
}

TEST(TemporaryDirectory, ThatIsHandedOnIsHeldByBoth) {
  const TemporaryDirectory outer;
  const ScopedVariable variable("TMPDIR", outer.path().string());
  auto first = std::make_unique<TemporaryDirectory>();
  const int other = ::open(first->path().c_str(), O_RDONLY | O_DIRECTORY);
  EXPECT_NE(::flock(other, LOCK_EX | LOCK_NB), 0);
  const UniqueFd second = hold_folder(first->path());
  EXPECT_TRUE(second);
  ::close(other);
}

TEST(TemporaryDirectory, OnlyWhatIsOneOfOursIsRemoved) {
  const TemporaryDirectory outer;
  const std::filesystem::path target = outer.path() / "target";
  std::filesystem::create_directory(target);
  std::ofstream(target / "file") << "x";
  std::filesystem::create_symlink(target, outer.path() / "kgrade-aaaaaa");
  for (const char* name : {"kgrade-bbbbbb", "kgrade-test-cccccc", "kgrade-b.bbbb", "kgrade-bbbbbbb"})
    ASSERT_EQ(::mkdir((outer.path() / name).c_str(), 0700), 0);
  ASSERT_EQ(::mkdir((outer.path() / "kgrade-dddddd").c_str(), 0755), 0);
  std::ofstream(outer.path() / "kgrade-eeeeee") << "x";
  remove_abandoned_folders(outer.path());
  EXPECT_FALSE(std::filesystem::exists(outer.path() / "kgrade-bbbbbb"));
  EXPECT_EQ(entries_in(outer.path()), 7);
  EXPECT_TRUE(std::filesystem::exists(target / "file"));
}

TEST(TemporaryDirectory, ThrowsWhereNoneCanBeMade) {
  const ScopedVariable variable("TMPDIR", "/no/such/folder");
  EXPECT_THROW(TemporaryDirectory(), std::system_error);
}

}  // namespace kgrade::temporary_directory_test
