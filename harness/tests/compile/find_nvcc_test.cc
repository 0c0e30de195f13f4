// Which nvcc is used: the one in PATH, or the one that a script there starts.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "base/temporary_directory.h"
#include "compile/nvcc_toolchain.h"

namespace kgrade::find_nvcc_test {

namespace fs = std::filesystem;

class FindNvcc : public testing::Test {
 protected:
  void SetUp() override {
    const char* path = std::getenv("PATH");
    if (path != nullptr) path_ = path;
    ::setenv("PATH", (at("first").string() + ":/usr/bin:/bin").c_str(), 1);
  }
  void TearDown() override { ::setenv("PATH", path_.c_str(), 1); }

  fs::path at(const std::string& name) const { return folder_.path() / name; }

  void program(const std::string& name, const std::string& text) {
    fs::create_directories(at(name).parent_path());
    std::ofstream(at(name)) << text;
    fs::permissions(at(name), fs::perms::owner_all);
  }

  TemporaryDirectory folder_;
  std::string path_;
};

TEST_F(FindNvcc, LooksBehindAScript) {
  program("toolkit/bin/nvcc",
          "\x7f"
          "ELF, as far as it is read");
  program("first/nvcc", "#!/bin/sh\n[ \"$1\" = --dryrun ] || exit 1\necho '#$ _SPACE_= '\necho '#$ _HERE_=" +
                            at("toolkit/bin").string() + "'\necho '#$ _THERE_=/nowhere'\n");
  EXPECT_EQ(find_nvcc(), at("toolkit/bin/nvcc"));
}

TEST_F(FindNvcc, TakesAScriptThatTellsNothingAsItIs) {
  program("first/nvcc", "#!/bin/sh\necho 'command not understood'\nexit 1\n");
  EXPECT_EQ(find_nvcc(), at("first/nvcc"));
  program("first/nvcc", "#!/bin/sh\necho '#$ _HERE_=/no/such/folder'\n");
  EXPECT_EQ(find_nvcc(), at("first/nvcc"));
}

TEST_F(FindNvcc, TakesAProgramWithoutAskingIt) {
  program("first/nvcc",
          "\x7f"
          "ELF, as far as it is read");
  EXPECT_EQ(find_nvcc(), at("first/nvcc"));
}

}  // namespace kgrade::find_nvcc_test
