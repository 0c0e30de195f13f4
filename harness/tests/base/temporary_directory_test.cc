// Private folders that leave nothing behind.
#include "base/temporary_directory.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <optional>
#include <string>
#include <system_error>

namespace kgrade {
namespace {

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

TEST(TemporaryDirectory, NoTwoAreTheSame) {
  const TemporaryDirectory first;
  const TemporaryDirectory second;
  EXPECT_NE(first.path(), second.path());
}

// Sets a variable of the environment, and puts back what it was.
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

TEST(TemporaryDirectory, ThrowsWhereNoneCanBeMade) {
  const ScopedVariable variable("TMPDIR", "/no/such/folder");
  EXPECT_THROW(TemporaryDirectory(), std::system_error);
}

// In the child: makes a folder, tells its name, and waits for the signal.
[[noreturn]] void hold_a_folder(int out) {
  TemporaryDirectory::remove_on_signals();
  const TemporaryDirectory folder;
  std::ofstream(folder.path() / "file") << "x";
  const std::string path = folder.path().string();
  if (::write(out, path.data(), path.size()) < 0) ::_exit(1);
  ::close(out);
  for (;;) ::pause();
}

class SignalTest : public ::testing::TestWithParam<int> {};

TEST_P(SignalTest, RemovesTheFolderAndEndsTheProcessBySignal) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) hold_a_folder(ends[1]);
  ::close(ends[1]);
  std::string path;
  char buffer[4096];
  for (ssize_t count = 0; (count = ::read(ends[0], buffer, sizeof buffer)) > 0;) {
    path.append(buffer, static_cast<std::size_t>(count));
  }
  ::close(ends[0]);
  ASSERT_TRUE(std::filesystem::exists(path));
  ASSERT_EQ(::kill(child, GetParam()), 0);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), GetParam());
  EXPECT_FALSE(std::filesystem::exists(path));
}

INSTANTIATE_TEST_SUITE_P(Signals, SignalTest, ::testing::Values(SIGINT, SIGTERM, SIGHUP));

}  // namespace
}  // namespace kgrade
