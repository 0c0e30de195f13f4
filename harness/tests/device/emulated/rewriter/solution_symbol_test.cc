// What a source must offer under the name of `solution`: the emulated device and nvcc say the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/temporary_directory.h"
#include "compile/elf_file.h"
#include "compile/layout.h"
#include "compile/nvcc_toolchain.h"
#include "device/emulated/toolchain/emulated_toolchain.h"
#include "tests/compile/one_output.h"

namespace kgrade::solution_symbol_test {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr const char* write_this = "; write: extern \"C\" void solution(float* output)";
constexpr const char* body = "(float* out) { *out = 1; }\n";

class SolutionSymbol : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (std::string(GetParam()) == "emulated") {
      const Layout layout = Layout::find();
      toolchain_ = std::make_unique<EmulatedToolchain>(*find_host_compiler(), layout.share / "emulated",
                                                       nullptr, fs::path(), layout.workers / "precompiled");
    } else if (const auto nvcc = find_nvcc()) {
      toolchain_ = std::make_unique<NvccToolchain>(*nvcc, "sm_90", nullptr);
    } else {
      GTEST_SKIP() << "nvcc is not installed";
    }
  }

  BuildOutcome build(const std::string& source) {
    const TemporaryDirectory folder;
    std::ofstream(folder.path() / "mine.cu") << source;
    BuildRequest request;
    request.source = folder.path() / "mine.cu";
    request.shown_as = "mine.cu";
    request.output_directory = folder.path() / "out";
    fs::create_directories(request.output_directory);
    const auto outcome = toolchain_->build(test::one_output(), request);
    EXPECT_TRUE(outcome.ok());
    return outcome.ok() ? *outcome : BuildOutcome{};
  }

  void expect_refused(const std::string& source, const std::string& message) {
    const BuildOutcome outcome = build(source);
    EXPECT_EQ(outcome.status, BuildStatus::signature_mismatch) << source << outcome.log;
    EXPECT_THAT(outcome.message, HasSubstr(message)) << source;
    EXPECT_THAT(outcome.message, HasSubstr(write_this)) << source;
  }

  std::unique_ptr<Toolchain> toolchain_;
};

TEST_P(SolutionSymbol, IsTheCName) {
  EXPECT_EQ(build(std::string("extern \"C\" void solution") + body).status, BuildStatus::built);
  EXPECT_EQ(build(std::string("extern \"C\" { void solution(float*); }\nvoid solution") + body).status,
            BuildStatus::built);
  expect_refused(std::string("void solution") + body,
                 "'solution' lacks extern \"C\": the library has it as the C++ function _Z8solutionPf");
  expect_refused(std::string("namespace mine {\nvoid solution") + body + "}\nusing mine::solution;\n",
                 "it as the C++ function _ZN4mine8solutionEPf");
}

TEST_P(SolutionSymbol, IsSeenFromOutsideOfTheFile) {
  const std::string unseen = "'solution' cannot be seen from outside of the file";
  expect_refused(std::string("static void solution") + body, unseen);
  expect_refused(std::string("namespace {\nvoid solution") + body + "}\n", unseen);
  // It is called by its address, so that the compiler emits it.
  EXPECT_EQ(build(std::string("extern \"C\" inline void solution") + body).status, BuildStatus::built);
}

TEST_P(SolutionSymbol, IsDefined) {
  expect_refused("extern \"C\" void solution(float*);\n",
                 "the file declares 'solution' but does not define it");
  expect_refused("void other() {}\n", "the file defines no function 'solution'");
}

// A file may have a main() of its own for trying it out; it plays no part.
TEST_P(SolutionSymbol, MainMayBeThereToo) {
  EXPECT_EQ(build(std::string("extern \"C\" void solution") + body + "int main() { return 0; }\n").status,
            BuildStatus::built);
}

INSTANTIATE_TEST_SUITE_P(Toolchains, SolutionSymbol, testing::Values("emulated", "nvcc"),
                         [](const auto& toolchain) { return std::string(toolchain.param); });

}  // namespace kgrade::solution_symbol_test
