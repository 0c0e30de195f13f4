// The kernels are text until the self-test runs; here they are compiled.
#include "selftest/sources.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/temporary_directory.h"
#include "compile/nvcc_toolchain.h"
#include "selftest/kernels.h"

namespace kgrade::selftest {
namespace {

TEST(SelftestSources, TheProblemHasTheParametersThatTheCasesSet) {
  const Problem problem = selftest_problem();
  EXPECT_EQ(problem.slug, "kgrade-selftest");
  for (const char* name : {"n", "m", "kind", "blocks", "length", "one", "zero"}) {
    EXPECT_NE(problem.find_parameter(name), nullptr) << name;
  }
}

TEST(SelftestSources, TheKernelsBuildWithNvcc) {
  const auto nvcc = find_nvcc();
  if (!nvcc) GTEST_SKIP() << "nvcc is not installed";
  const TemporaryDirectory directory;
  BuildRequest request;
  request.source = directory.path() / "kernels.cu";
  request.shown_as = "kernels.cu";
  request.output_directory = directory.path();
  std::ofstream(request.source) << kernels_text();
  const auto built = NvccToolchain(*nvcc, "sm_90", nullptr).build(selftest_problem(), request);
  ASSERT_TRUE(built) << to_string(built.errors());
  EXPECT_EQ(built->status, BuildStatus::built) << built->message;
  EXPECT_EQ(built->log, "") << "no warnings";
}

}  // namespace
}  // namespace kgrade::selftest
