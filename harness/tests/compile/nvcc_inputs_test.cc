// A reference that computes inputs, as nvcc builds it.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/temporary_directory.h"
#include "compile/binding.h"
#include "compile/nvcc_toolchain.h"
#include "one_output.h"

namespace kgrade::nvcc_inputs_test {

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

}  // namespace kgrade::nvcc_inputs_test
