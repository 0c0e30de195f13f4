#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>

#include "base/subprocess.h"
#include "base/temporary_directory.h"
#include "compile/confined_compiler.h"
#include "compile/layout.h"
#include "compile/nvcc_toolchain.h"

namespace kgrade::toolchain_paths_test {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

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

// Which nvcc is used: the one in PATH, or the one that a script there starts.

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

VendorLibrary library(const std::string& include) {
  return {"cudnn", "cuDNN", "cuDNN 9", "-DKGRADE_CUDNN_ROOT", "9.1", include, {"/no/such/libcudnn.so"}};
}

TEST(VendorLibrary, ARemedyFitsWhatIsMissing) {
  VendorLibrary unknown = library("");
  EXPECT_EQ(unknown.absence(), "cuDNN was not found when kgrade was configured");
  EXPECT_EQ(unknown.remedy(),
            "build kgrade from its source where cuDNN 9 is installed (or name its folder with "
            "-DKGRADE_CUDNN_ROOT=...)");
  // As with a wheel on another machine.
  const VendorLibrary elsewhere = library("/usr");
  EXPECT_THAT(elsewhere.absence(), HasSubstr("/no/such/libcudnn.so, which this machine lacks"));
  EXPECT_THAT(elsewhere.remedy(),
              HasSubstr("install cuDNN 9 in that folder, or build kgrade from its source"));
  EXPECT_THAT(elsewhere.remedy(), Not(HasSubstr("again")));
}

}  // namespace kgrade::toolchain_paths_test
