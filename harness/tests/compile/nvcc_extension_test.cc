// What an extension can and cannot make the compilers do.
#include <dlfcn.h>
#include <gmock/gmock.h>

#include <fstream>

#include "base/temporary_directory.h"
#include "compile/extension.h"
#include "compile/nvcc_toolchain.h"

namespace {
int seen_failure = 0;
std::size_t seen_extents[7] = {};
}  // namespace

// As a worker's program exports it.
extern "C" void kgrade_launch_failed(int error, const void*, const unsigned int* grid,
                                     const unsigned int* block, std::size_t shared) {
  seen_failure = error;
  std::copy_n(grid, 3, seen_extents);
  std::copy_n(block, 3, seen_extents + 3);
  seen_extents[6] = shared;
}

namespace kgrade {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

class NvccExtensionTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto nvcc = find_nvcc();
    if (!nvcc) GTEST_SKIP() << "nvcc is not installed";
    auto sandbox = std::make_shared<const Sandbox>(Sandbox::probe(KGRADE_LAUNCHER));
    if (!sandbox->confines()) GTEST_SKIP() << "this machine allows no namespaces";
    toolchain_ = std::make_unique<NvccToolchain>(*nvcc, "sm_90", sandbox);
    fs::create_directories(folder_.path() / "out");
    fs::create_directories(folder_.path() / "headers");
    std::ofstream(folder_.path() / "secret.h") << "constexpr int secret = 1;\n";
  }

  BuildOutcome build(const ExtensionRequest& extension) {
    BuildRequest request;
    request.source = folder_.path() / "mine.py";
    request.shown_as = "mine.py";
    request.output_directory = fs::canonical(folder_.path() / "out");
    request.readable = std::vector<fs::path>{};
    request.time_limit = {};
    ExtensionHeaders headers;
    headers.small = folder_.path() / "headers";
    const auto outcome = toolchain_->build_extension(extension, headers, request);
    EXPECT_TRUE(outcome.ok());
    return outcome.ok() ? *outcome : BuildOutcome{};
  }

  static ExtensionRequest plain() {
    ExtensionRequest extension;
    extension.name = "mine";
    extension.units = {{"main.cpp", "int main_part() { return NUMBER; }\n", {}},
                       {"cuda.cu", "__global__ void kernel() {}\nvoid run() { kernel<<<1, 1>>>(); }\n", {}}};
    extension.cflags = {"-DNUMBER=1"};
    return extension;
  }

  std::string ran() const { return (folder_.path() / "out/ran").string(); }

  TemporaryDirectory folder_;
  std::unique_ptr<NvccToolchain> toolchain_;
};

// No GPU grants a block 512 KiB of shared memory, and without a GPU every launch fails.
TEST_F(NvccExtensionTest, ALaunchThatFailsIsSeenThoughItsErrorIsDropped) {
  ExtensionRequest extension = plain();
  extension.units = {
      {"cuda.cu",
       "__global__ void kernel() {}\nextern \"C\" void run() { kernel<<<dim3(1, 2, 3), 32, 512 << 10>>>(); "
       "cudaGetLastError(); }\n",
       {}}};
  const BuildOutcome outcome = build(extension);
  ASSERT_EQ(outcome.status, BuildStatus::built) << outcome.log;
  void* const library = ::dlopen(outcome.library.c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << ::dlerror();
  reinterpret_cast<void (*)()>(::dlsym(library, "run"))();
  EXPECT_NE(seen_failure, 0);
  EXPECT_THAT(seen_extents, testing::ElementsAre(1, 2, 3, 32, 1, 1, 512 << 10));
}

TEST_F(NvccExtensionTest, PlainFlagsReachTheCompilers) {
  const BuildOutcome outcome = build(plain());
  EXPECT_EQ(outcome.status, BuildStatus::built) << outcome.log;
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(outcome.library)));
  ExtensionRequest without = plain();
  without.cflags.clear();
  EXPECT_EQ(build(without).status, BuildStatus::compile_error);
}

TEST_F(NvccExtensionTest, HeadersOfTheSubmissionAreFoundByBothCompilers) {
  ExtensionRequest extension = plain();
  for (ExtensionUnit& unit : extension.units)
    unit.text = "#include <parts/a.h>\nstatic_assert(b == 1);\n" + unit.text;
  extension.own_headers = {{"tmp/mine"},
                           {{"tmp/mine/parts/a.h", "#include \"../b.h\"\n"},
                            {"tmp/mine/b.h", "#pragma once\nconstexpr int b = 1;\n"}}};
  const BuildOutcome outcome = build(extension);
  EXPECT_EQ(outcome.status, BuildStatus::built) << outcome.log;
}

TEST_F(NvccExtensionTest, FlagsRunNoPrograms) {
  ExtensionRequest hostile = plain();
  hostile.cflags.insert(hostile.cflags.end(),
                        {"-wrapper", "touch," + ran(), "-fmodule-mapper=|touch " + ran(), "-B."});
  hostile.cuda_cflags = {"-DA=$(touch " + ran() + ")", "-DB=`touch " + ran() + "`",
                         "-Xcompiler=-wrapper,touch\\," + ran(), "-ccbin=./g++"};
  hostile.include_paths = {"$(touch " + ran() + ")", "`touch " + ran() + "`"};
  hostile.units[1].small_flags = {"-DC=$(touch " + ran() + ")"};
  hostile.ldflags = {"-wrapper", "touch," + ran(), "-B."};
  const BuildOutcome outcome = build(hostile);
  EXPECT_EQ(outcome.status, BuildStatus::built) << outcome.log;
  EXPECT_FALSE(fs::exists(ran()));
  EXPECT_THAT(outcome.log, HasSubstr("flags left out: -wrapper"));
}

TEST_F(NvccExtensionTest, SourcesSeeNothingBesideThem) {
  for (const std::string& path : {std::string("/etc/passwd"), (folder_.path() / "secret.h").string(),
                                  std::string("../secret.h"), std::string("/proc/self/environ")}) {
    for (const std::size_t unit : {0, 1}) {
      ExtensionRequest spying = plain();
      spying.units[unit].text = "#include \"" + path + "\"\n" + spying.units[unit].text;
      const BuildOutcome outcome = build(spying);
      EXPECT_EQ(outcome.status, BuildStatus::compile_error) << path;
      EXPECT_THAT(outcome.log, Not(HasSubstr("root:"))) << path;
    }
  }
}

TEST_F(NvccExtensionTest, IncludePathsOpenNothing) {
  ExtensionRequest spying = plain();
  spying.include_paths = {folder_.path().string(), "/etc"};
  spying.units[0].text = "#include <secret.h>\n" + spying.units[0].text;
  EXPECT_EQ(build(spying).status, BuildStatus::compile_error);
}

}  // namespace
}  // namespace kgrade
