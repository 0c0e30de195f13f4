// What a contestant can and cannot reach while nvcc compiles it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/temporary_directory.h"
#include "compile/nvcc_toolchain.h"
#include "compile/own_files.h"
#include "one_output.h"

namespace kgrade::nvcc_isolation_test {

namespace fs = std::filesystem;
using test::one_output;
using testing::HasSubstr;

constexpr const char* honest =
    "__global__ void fill(float* out) { out[threadIdx.x] = 1; }\n"
    "extern \"C\" void solution(float* out) { fill<<<1, 32>>>(out); }\n";

class NvccIsolationTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto nvcc = find_nvcc();
    if (!nvcc) GTEST_SKIP() << "nvcc is not installed";
    auto sandbox = std::make_shared<const Sandbox>(Sandbox::probe(KGRADE_LAUNCHER));
    if (!sandbox->confines()) GTEST_SKIP() << "this machine allows no namespaces";
    toolchain_ = std::make_unique<NvccToolchain>(*nvcc, "sm_90", sandbox);
    fs::create_directories(folder_.path() / "in");
    fs::create_directories(folder_.path() / "out");
    write("secret.cuh", "");
    write("in/other.cu", "");
  }

  fs::path at(const std::string& name) const { return folder_.path() / name; }

  void write(const std::string& name, const std::string& text) {
    fs::create_directories(at(name).parent_path());
    std::ofstream(at(name)) << text;
  }

  BuildOutcome build(const std::string& source, std::chrono::seconds time_limit = std::chrono::seconds(60),
                     const std::string& name = "in/mine.cu") {
    write(name, source);
    const OwnFiles own = own_files(at(name));
    BuildRequest request;
    request.source = own.files.front();
    request.shown_as = "mine.cu";
    request.output_directory = fs::canonical(at("out"));
    request.include_directories = {own.folder};
    request.readable = own.files;
    request.time_limit = {time_limit, time_limit};
    const auto outcome = toolchain_->build(one_output(), request);
    EXPECT_TRUE(outcome.ok());
    return outcome.ok() ? *outcome : BuildOutcome{};
  }

  // With one line before an honest source.
  void expect_refused(const std::string& line, const std::string& message) {
    const BuildOutcome outcome = build(line + "\n" + honest);
    EXPECT_EQ(outcome.status, BuildStatus::compile_error) << line;
    EXPECT_THAT(outcome.message, HasSubstr(message)) << line << "\n" << outcome.log;
  }

  TemporaryDirectory folder_;
  std::unique_ptr<NvccToolchain> toolchain_;
};

TEST_F(NvccIsolationTest, ACandidateIsCudaWhateverItsNameEndsIn) {
  for (const char* const name : {"in/mine.cc", "in/mine.cpp", "in/mine"})
    EXPECT_EQ(build(honest, std::chrono::seconds(60), name).status, BuildStatus::built) << name;
}

TEST_F(NvccIsolationTest, BuildsAnHonestSourceWithItsHeaders) {
  write("in/own.cuh", "#pragma once\n#include \"sub/deep.cuh\"\n");
  write("in/sub/deep.cuh", "#pragma once\n#include \"../own.cuh\"\nconstexpr int deep = 1;\n");
  const BuildOutcome outcome =
      build(std::string("#include \"own.cuh\"\n#include <cuda_fp16.h>\n#include <mma.h>\n#include <vector>\n"
                        "static_assert(deep == 1);\n") +
            honest);
  ASSERT_EQ(outcome.status, BuildStatus::built) << outcome.log;
  EXPECT_TRUE(fs::is_regular_file(outcome.library));
}

// Solutions of a family are links to one file. The file that the user names may be read, and nothing beside
// it.
TEST_F(NvccIsolationTest, BuildsASourceThatIsALink) {
  write("shared/theirs.cu", "#include \"own.cuh\"\nstatic_assert(own == 1);\n" + std::string(honest));
  write("in/own.cuh", "constexpr int own = 1;\n");
  fs::create_symlink("../shared/theirs.cu", at("in/mine.cu"));
  const OwnFiles own = own_files(at("in/mine.cu"));
  BuildRequest request;
  request.source = own.files.front();
  request.shown_as = "mine.cu";
  request.output_directory = fs::canonical(at("out"));
  request.include_directories = {own.folder};
  request.readable = own.files;
  const auto outcome = toolchain_->build(one_output(), request);
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome->status, BuildStatus::built) << outcome->log;
}

TEST_F(NvccIsolationTest, BuildsASourceWithHeadersOfItsFamily) {
  write("families/first.cuh", "#include \"second.cuh\"\nconstexpr int first = second;\n");
  write("families/second.cuh", "constexpr int second = 1;\n");
  for (const std::string name : {"first.cuh", "second.cuh"}) {
    fs::create_symlink("../families/" + name, at("in/" + name));
  }
  const BuildOutcome outcome =
      build("#include \"first.cuh\"\nstatic_assert(first == 1);\n" + std::string(honest));
  EXPECT_EQ(outcome.status, BuildStatus::built) << outcome.log;
}

TEST_F(NvccIsolationTest, ShowsNoOtherFile) {
  const std::string missing = "No such file";
  expect_refused("#include \"../secret.cuh\"", missing);
  expect_refused("#include \"other.cu\"", missing);
  expect_refused("#include \"" + at("secret.cuh").string() + "\"", missing);
  expect_refused("#include \"/etc/passwd\"", missing);
  expect_refused("#include \"/proc/self/environ\"", missing);
  expect_refused("asm(\".incbin \\\"/etc/passwd\\\"\");", "file not found: /etc/passwd");
  expect_refused("asm(\".include \\\"" + at("secret.cuh").string() + "\\\"\");", "can't open");
}

TEST_F(NvccIsolationTest, TellsNothingAboutOtherFiles) {
  std::string probes;
  for (const std::string& name :
       {std::string("../secret.cuh"), std::string("other.cu"), at("secret.cuh").string(),
        std::string("/etc/passwd"), std::string("/etc/hostname"),
        std::string(KGRADE_SOURCE_DIR "/CMakeLists.txt"), std::string("/proc/self/status"),
        std::string("/proc/version")}) {
    probes += "#if __has_include(\"" + name + "\")\n#error it sees " + name + "\n#endif\n";
  }
  const BuildOutcome outcome = build(probes + honest);
  EXPECT_EQ(outcome.status, BuildStatus::built) << outcome.log;
}

TEST_F(NvccIsolationTest, EndsWhatWritesTooMuch) {
  expect_refused("__attribute__((used)) char big[(1u << 30) + 4096] = {1};",
                 "the compiler was stopped: it wrote a file larger than 1.0 GiB");
}

TEST_F(NvccIsolationTest, LeavesNothingRunningOrLyingAround) {
  const BuildOutcome outcome = build(
      std::string("template <int N, unsigned M> struct B { B<N - 1, 2 * M> a; B<N - 1, 2 * M + 1> b; };\n"
                  "template <unsigned M> struct B<0, M> { char c; };\nB<24, 0> x;\n") +
          honest,
      std::chrono::seconds(2));
  EXPECT_EQ(outcome.status, BuildStatus::compile_error);
  EXPECT_EQ(outcome.message,
            "the compiler did not finish within 2 s; give it less to do: fewer unrolled loops, template "
            "instances and constant expressions");
}

}  // namespace kgrade::nvcc_isolation_test
