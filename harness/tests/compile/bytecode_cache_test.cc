#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "base/temporary_directory.h"
#include "base/text.h"
#include "compile/python_interpreter.h"

namespace kgrade::bytecode_cache_test {

namespace fs = std::filesystem;

// An interpreter that writes down how it is started.
class BytecodeCache : public testing::Test {
 protected:
  void SetUp() override {
    if (const char* value = std::getenv("XDG_CACHE_HOME")) saved_ = value;
    ::setenv("XDG_CACHE_HOME", (folder_.path() / "cache").c_str(), 1);
    python_.torch_folder = folder_.path() / "site-packages/torch";
    fs::create_directories(python_.torch_folder);
    python_.program = folder_.path() / "python3";
    python_.version = "3.11.7";
    python_.torch_version = "2.11.0";
    ends_with(0);
  }
  void TearDown() override {
    if (saved_.empty()) ::unsetenv("XDG_CACHE_HOME");
    if (!saved_.empty()) ::setenv("XDG_CACHE_HOME", saved_.c_str(), 1);
  }

  void ends_with(int exit_code) {
    std::ofstream(python_.program) << "#!/bin/sh\necho \"$@\" >>" << started().string()
                                   << "\nmkdir $TMPDIR/left; echo $TMPDIR >" << temporary().string()
                                   << "\nexit " << exit_code << "\n";
    fs::permissions(python_.program, fs::perms::owner_all);
  }
  fs::path started() const { return folder_.path() / "started"; }
  fs::path temporary() const { return folder_.path() / "temporary"; }
  std::string starts() const {
    const auto text = read_text_file(started());
    return text ? *text : "";
  }

  TemporaryDirectory folder_;
  std::string saved_;
  PythonInterpreter python_;
};

TEST_F(BytecodeCache, IsFilledOnce) {
  const fs::path bytecode = bytecode_of(python_);
  EXPECT_TRUE(fs::is_directory(bytecode));
  const std::string once = starts();
  EXPECT_NE(once.find("-X pycache_prefix=" + bytecode.string()), std::string::npos);
  // As a word: the temporary folder's name may hold it.
  EXPECT_EQ((" " + once).find(" -B "), std::string::npos);
  EXPECT_EQ(bytecode_of(python_), bytecode);
  EXPECT_EQ(starts(), once);
  python_.torch_version = "2.12.0";
  EXPECT_NE(bytecode_of(python_), bytecode);
}

TEST_F(BytecodeCache, LeavesNoTemporaryFiles) {
  ASSERT_FALSE(bytecode_of(python_).empty());
  const auto text = read_text_file(temporary());
  ASSERT_TRUE(text);
  const fs::path folder(trimmed(*text));
  EXPECT_NE(folder, TemporaryDirectory::base());
  EXPECT_FALSE(fs::exists(folder)) << folder;
}

TEST_F(BytecodeCache, IsNotNeededWherePackagesHaveTheirOwn) {
  fs::create_directories(python_.torch_folder / "__pycache__");
  EXPECT_TRUE(bytecode_of(python_).empty());
  EXPECT_EQ(starts(), "");
}

TEST_F(BytecodeCache, IsNoneWherePyTorchCannotBeImported) {
  ends_with(1);
  EXPECT_TRUE(bytecode_of(python_).empty());
  const std::string once = starts();
  EXPECT_NE(once, "");
  EXPECT_TRUE(bytecode_of(python_).empty());
  EXPECT_EQ(starts(), once);
}

}  // namespace kgrade::bytecode_cache_test
