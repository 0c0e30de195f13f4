// A contestant of our own that is linked with a vendor's library, which lies in a folder that the loader does
// not know.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "base/subprocess.h"
#include "base/temporary_directory.h"
#include "compile/elf_file.h"
#include "compile/binding.h"
#include "compile/nvcc_toolchain.h"
#include "compile/own_files.h"
#include "one_output.h"

namespace kgrade::nvcc_libraries_test {

namespace fs = std::filesystem;
using test::one_output;
using testing::Contains;
using testing::Not;

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

}  // namespace kgrade::nvcc_libraries_test
