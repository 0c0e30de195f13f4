#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/subprocess.h"
#include "base/temporary_directory.h"
#include "compile/confined_compiler.h"

namespace kgrade::toolchain_paths_test {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;

TEST(ToolchainPaths, ReadWhatCompilersSay) {
  EXPECT_THAT(
      include_folders_of("ignoring \"/a\"\n#include \"...\" search starts here:\n /b\n#include <...> search "
                         "starts here:\n /usr/include/c++/12\n /c d\nEnd of search list.\n /e\n"),
      ElementsAre("/b", "/usr/include/c++/12", "/c d"));
  EXPECT_THAT(search_folders_of(
                  "install: /opt/gcc/lib/gcc/x/13/\nprograms: =/opt/a/:relative:/opt/b\nlibraries: =/l\n"),
              ElementsAre("/opt/gcc/lib/gcc/x/13/", "/opt/a/", "/opt/b", "/l"));
}

bool covers(const std::vector<fs::path>& paths, const fs::path& file) {
  const fs::path real = fs::canonical(file);
  return std::any_of(paths.begin(), paths.end(), [&](const fs::path& path) {
    return std::mismatch(path.begin(), path.end(), real.begin(), real.end()).first == path.end();
  });
}

TEST(ToolchainPaths, CoverTheHostCompilerAndNothingOfAUser) {
  const auto paths = host_compiler_paths({"g++"}, {std::string("PATH=") + std::getenv("PATH")});
  const auto asked =
      run_process({{"g++", "-print-prog-name=cc1plus"}, {"PATH=/usr/bin:/bin"}, "/", {}, 4096});
  ASSERT_TRUE(asked.ok());
  EXPECT_TRUE(covers(paths, asked->output.substr(0, asked->output.find('\n'))));
  EXPECT_TRUE(covers(paths, "/usr/include"));
  const TemporaryDirectory user;
  for (const fs::path& foreign :
       {fs::path("/etc/passwd"), user.path(), fs::path(KGRADE_SOURCE_DIR), fs::path("/")}) {
    EXPECT_FALSE(covers(paths, foreign)) << foreign;
  }
}

TEST(ToolchainPaths, NameAToolkitByItsParts) {
  const TemporaryDirectory folder;
  const fs::path root = fs::canonical(folder.path());
  for (const char* part : {"cuda-1/bin", "cuda-1/nvvm", "cuda-1/targets", "cuda-1/samples"}) {
    fs::create_directories(root / part);
  }
  fs::create_symlink("cuda-1", root / "cuda");
  const auto paths = cuda_toolkit_paths(root / "cuda/bin/nvcc");
  EXPECT_THAT(paths, Contains(root / "cuda-1/nvvm"));
  EXPECT_THAT(paths, Contains(root / "cuda/nvvm"));
  EXPECT_THAT(paths, testing::Not(Contains(root / "cuda-1/samples")));
}

}  // namespace kgrade::toolchain_paths_test
