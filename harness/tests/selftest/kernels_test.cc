#include "selftest/kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/temporary_directory.h"
#include "compile/nvcc_toolchain.h"

namespace kgrade::selftest {
namespace kernels_test {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> names_of(const Result<std::vector<Kernel>>& kernels) {
  std::vector<std::string> names;
  for (const Kernel& kernel : *kernels) names.push_back(kernel.name);
  return names;
}

DeviceInfo large_device() {
  DeviceInfo info;
  info.measures_speed = true;
  info.multiprocessors = 132;
  info.l2_bytes = 60 << 20;
  info.peak_bytes_per_second = 4.8e12;
  return info;
}

constexpr std::uint64_t plenty = std::uint64_t{140} << 30;

Kernel named(const std::string& name) { return select_kernels({name})->front(); }

TEST(SelftestKernels, ReachFromThreeMicrosecondsToATenthOfASecond) {
  const std::vector<Kernel> all = all_kernels();
  EXPECT_GE(all.size(), 10u);
  EXPECT_DOUBLE_EQ(all.front().target_ms, 0.003);
  EXPECT_DOUBLE_EQ(all.back().target_ms, 100);
  std::map<std::string_view, int> bounds;
  for (std::size_t i = 0; i < all.size(); ++i) {
    bounds[bound_by(all[i].kind)] += 1;
    EXPECT_GT(all[i].target_ms, i > 0 ? all[i - 1].target_ms : 0);
  }
  EXPECT_GE(bounds["memory"], 3);
  EXPECT_GE(bounds["arithmetic"], 3);
}

TEST(SelftestKernels, AreChosenByNameOrPattern) {
  EXPECT_THAT(names_of(select_kernels({"read-*", "arithmetic-1ms"})),
              ElementsAre("read-10us", "read-50us", "arithmetic-1ms"));
  EXPECT_EQ(select_kernels({})->size(), all_kernels().size());
  const auto none = select_kernels({"read-*", "write-*"});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message, "--kernels: there is no kernel 'write-*'");
  EXPECT_THAT(none.error().remedy, HasSubstr("arithmetic-3us"));
}

TEST(SelftestKernels, WhatIsReadDoesNotFitIntoTheCacheAndDoesNotComeRoundTooSoon) {
  const DeviceInfo device = large_device();
  const Sizes sizes = sizes_of(named("read-50us"), device, plenty);
  EXPECT_EQ(sizes.blocks, 4 * 132);
  EXPECT_EQ(sizes.elements, 4 * 132 * 256);
  // 1.6 times what the nominal bandwidth reads in 50 us.
  EXPECT_NEAR(static_cast<double>(sizes.source_elements) * 4, 1.6 * 4.8e12 * 50e-6, 32);
  EXPECT_GT(sizes.source_elements * 4, 2 * 60 << 20);
  EXPECT_EQ(sizes.source_elements % 4, 0);
}

TEST(SelftestKernels, WhatIsCopiedComesRoundTwiceAtLeast) {
  const Sizes sizes = sizes_of(named("copy-500us"), large_device(), plenty);
  EXPECT_EQ(sizes.elements, 4 * (60 << 20) / 4) << "four times the cache";
  EXPECT_EQ(sizes.least_length, sizes.elements / 4) << "one pass";
  const double pass_ms = 8.0 * static_cast<double>(sizes.elements) / 4.8e12 * 1000;
  EXPECT_LT(2 * pass_ms, 0.5);
}

TEST(SelftestKernels, TakeASmallPartOfTheMemory) {
  const Sizes sizes = sizes_of(named("copy-10ms"), large_device(), std::uint64_t{2} << 30);
  EXPECT_EQ(sizes.elements * 4, (std::int64_t{2} << 30) / 32);
}

TEST(SelftestKernels, HaveNoFewerFoursThanThreads) {
  DeviceInfo small = large_device();
  small.l2_bytes = 1 << 10;
  for (const Kernel& kernel : all_kernels()) {
    if (kernel.kind == Kind::arithmetic) continue;
    const Sizes sizes = sizes_of(kernel, small, plenty);
    const std::int64_t streamed = kernel.kind == Kind::read ? sizes.source_elements : sizes.elements;
    EXPECT_GE(streamed / 4, sizes.blocks * 256) << kernel.name;
  }
}

TEST(SelftestKernels, AreTinyWhereTimesAreNoSpeed) {
  DeviceInfo emulated = large_device();
  emulated.measures_speed = false;
  for (const Kernel& kernel : all_kernels()) {
    const Sizes sizes = sizes_of(kernel, emulated, plenty);
    EXPECT_EQ(sizes.blocks, 1) << kernel.name;
    EXPECT_LE(sizes.elements + sizes.source_elements, 2048) << kernel.name;
  }
}

TEST(SelftestKernels, LengthsOfOneKernelHaveTheSameTensorsAndInputs) {
  const Problem problem = selftest_problem();
  const Kernel kernel = named("copy-500us");
  const Sizes sizes = sizes_of(kernel, large_device(), plenty);
  const Case shorter = case_of(problem, kernel, sizes, 100);
  const Case longer = case_of(problem, kernel, sizes, 102);
  EXPECT_EQ(shorter.name, longer.name);
  EXPECT_EQ(shorter.role, CaseRole::bench);
  ASSERT_EQ(shorter.tensors.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(shorter.tensors[i].shape, longer.tensors[i].shape);
  EXPECT_EQ(longer.integers.at("length"), 102);
  EXPECT_EQ(longer.integers.at("kind"), 3);
  EXPECT_EQ(longer.reals.at("one"), 1);
  EXPECT_EQ(longer.reals.at("zero"), 0);
}

TEST(SelftestSources, TheProblemHasTheParametersThatTheCasesSet) {
  const Problem problem = selftest_problem();
  EXPECT_EQ(problem.slug, "kgrade-selftest");
  for (const char* name : {"n", "m", "kind", "blocks", "length", "one", "zero"}) {
    EXPECT_NE(problem.find_parameter(name), nullptr) << name;
  }
}

// The kernels are text until the self-test runs; here they are compiled.
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

}  // namespace kernels_test
}  // namespace kgrade::selftest
