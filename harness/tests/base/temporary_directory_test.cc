// Private folders that leave nothing behind.
#include "base/temporary_directory.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

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

TEST(TemporaryDirectory, ThrowsWhereNoneCanBeMade) {
  const ScopedVariable variable("TMPDIR", "/no/such/folder");
  EXPECT_THROW(TemporaryDirectory(), std::system_error);
}

}  // namespace
}  // namespace kgrade
