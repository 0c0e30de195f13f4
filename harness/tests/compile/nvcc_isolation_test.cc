// What a contestant can and cannot reach while nvcc compiles it.
#include <dlfcn.h>
#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>

#include "base/subprocess.h"
#include "base/temporary_directory.h"
#include "compile/binding.h"
#include "compile/elf_file.h"
#include "compile/nvcc_toolchain.h"
#include "compile/own_files.h"
#include "one_output.h"

namespace kgrade::nvcc_isolation_test {

namespace fs = std::filesystem;
using test::one_output;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

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

// A contestant of our own that is linked with a vendor's library, which lies in a folder that the loader does
// not know.

class NvccLibrariesTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto nvcc = find_nvcc();
    if (!nvcc) GTEST_SKIP() << "nvcc is not installed";
    if (!make_vendor_library()) GTEST_SKIP() << "g++ is not installed";
    nvcc_ = *nvcc;
    write("in/mine.cu",
          "#include <vendor.h>\n"
          "extern \"C\" void solution(float* output) { vendor_call(output); }\n");
  }

  fs::path at(const std::string& name) const { return fs::canonical(folder_.path()) / name; }

  void write(const std::string& name, const std::string& text) {
    fs::create_directories(at(name).parent_path());
    std::ofstream(at(name)) << text;
  }

  bool make_vendor_library() {
    write("vendor/include/vendor.h", "extern \"C\" void vendor_call(float*);\n");
    write("vendor/vendor.cc", "extern \"C\" void vendor_call(float* to) { to[0] = 42; }\n");
    fs::create_directories(at("vendor/lib"));
    ProcessRequest request;
    request.command = {"g++",
                       "-shared",
                       "-fPIC",
                       "-Wl,-soname,libvendor.so.9",
                       "-o",
                       at("vendor/lib/libvendor.so.9").string(),
                       at("vendor/vendor.cc").string()};
    const char* path = std::getenv("PATH");
    request.environment = {std::string("PATH=") + (path != nullptr ? path : "/usr/bin:/bin")};
    const auto outcome = run_process(request);
    return outcome.ok() && outcome->success();
  }

  BuildRequest request() {
    const OwnFiles own = own_files(at("in/mine.cu"));
    BuildRequest request;
    request.source = own.files.front();
    request.shown_as = "mine.cu";
    fs::create_directories(at("out"));
    request.output_directory = at("out");
    request.include_directories = {own.folder, at("vendor/include")};
    request.readable = own.files;
    request.readable->push_back(at("vendor/include"));
    request.readable->push_back(at("vendor/lib"));
    request.libraries = {{at("vendor/lib"), "libvendor.so.9"}};
    return request;
  }

  // Calls `solution` without a device: it has no kernel.
  static float result_of(const fs::path& library) {
    void* const handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) return -1;
    const auto solution = reinterpret_cast<void (*)(float*)>(::dlsym(handle, "solution"));
    float result = 0;
    if (solution != nullptr) solution(&result);
    return result;
  }

  TemporaryDirectory folder_;
  fs::path nvcc_;
};

TEST_F(NvccLibrariesTest, IsFoundAgainWhenTheContestantIsLoaded) {
  const auto outcome = NvccToolchain(nvcc_, "sm_90").build(one_output(), request());
  ASSERT_TRUE(outcome.ok());
  ASSERT_EQ(outcome->status, BuildStatus::built) << outcome->log;
  EXPECT_THAT(*linked_libraries(outcome->library), Contains("libvendor.so.9"));
  EXPECT_EQ(result_of(outcome->library), 42.0F);
}

TEST_F(NvccLibrariesTest, IsFoundByAConfinedCompiler) {
  const auto sandbox = std::make_shared<const Sandbox>(Sandbox::probe(KGRADE_LAUNCHER));
  if (!sandbox->confines()) GTEST_SKIP() << "this machine allows no namespaces";
  const auto outcome = NvccToolchain(nvcc_, "sm_90", sandbox).build(one_output(), request());
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome->status, BuildStatus::built) << outcome->log;
}

TEST_F(NvccLibrariesTest, IsNotLinkedUnlessAskedFor) {
  BuildRequest without = request();
  without.libraries.clear();
  const auto outcome = NvccToolchain(nvcc_, "sm_90").build(one_output(), without);
  ASSERT_TRUE(outcome.ok());
  // Shared libraries may leave functions to be found later.
  ASSERT_EQ(outcome->status, BuildStatus::built) << outcome->log;
  EXPECT_THAT(*linked_libraries(outcome->library), Not(Contains("libvendor.so.9")));
}

TEST_F(NvccLibrariesTest, OneThatIsMissingIsAnErrorOfTheBuild) {
  fs::remove(at("vendor/lib/libvendor.so.9"));
  const auto outcome = NvccToolchain(nvcc_, "sm_90").build(one_output(), request());
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome->status, BuildStatus::compile_error);
  EXPECT_THAT(outcome->log, testing::HasSubstr("libvendor.so.9"));
}

// A reference that computes inputs, as nvcc builds it.

Problem computing() {
  Problem problem = test::one_output();
  Parameter input;
  input.name = "ends";
  input.type = "int";
  input.pointer = input.is_const = true;
  input.init = Init{};
  input.init->kind = Init::Kind::computed;
  Parameter count;
  count.name = "n";
  count.type = "uint64_t";
  problem.parameters = {problem.parameters.front(), input, count};
  return problem;
}

constexpr const char* source =
    "extern \"C\" void solution(float* output, const int* ends, unsigned long n) {}\n"
    "__global__ void fill(int* ends, unsigned long n, unsigned long long seed) { *ends = n + seed; }\n"
    "void inputs(int* ends, unsigned long n, unsigned long long seed) { fill<<<1, 1>>>(ends, n, seed); }\n";

TEST(Inputs, AreASecondEntryOfTheReferenceAlone) {
  const auto nvcc = find_nvcc();
  if (!nvcc) GTEST_SKIP() << "nvcc is not installed";
  const NvccToolchain toolchain(*nvcc, "sm_90", Sandbox::shared(KGRADE_LAUNCHER));
  for (const bool is_reference : {true, false}) {
    const TemporaryDirectory folder;
    BuildRequest request;
    request.source = folder.path() / "one.cu";
    std::ofstream(request.source) << source;
    request.output_directory = folder.path();
    if (is_reference) request.defines[std::string(inputs_macro)] = "1";
    const auto outcome = toolchain.build(computing(), request);
    ASSERT_TRUE(outcome.ok());
    ASSERT_EQ(outcome->status, BuildStatus::built) << outcome->log;
    void* const library = ::dlopen(outcome->library.c_str(), RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << ::dlerror();
    EXPECT_NE(::dlsym(library, "kgrade_entry"), nullptr);
    EXPECT_EQ(::dlsym(library, "kgrade_inputs") != nullptr, is_reference);
    EXPECT_EQ(::dlsym(library, "kgrade_perturbed") != nullptr, is_reference);
  }
}

TEST(Inputs, AreDefinedWithWhatIsComputedAndTheScalars) {
  EXPECT_EQ(definition_of_inputs(computing(), Dtype::float32),
            "void inputs(int* ends, uint64_t n, unsigned long long seed)");
  EXPECT_EQ(definition_of_inputs(test::one_output(), Dtype::float32), "");
}

}  // namespace kgrade::nvcc_isolation_test
