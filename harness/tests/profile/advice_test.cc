#include "profile/advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/profile/recorded.h"

namespace kgrade::advice_test {

using test::recorded_kernel;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Rates of an H100, near those that kgrade measures.
Ceilings ceilings() {
  Ceilings rates;
  rates.copy_bytes_per_second = 2.9e12;
  rates.fp32_flops_per_second = 5.5e13;
  rates.fp64_flops_per_second = 2.8e13;
  return rates;
}

std::vector<Advice> advice(const std::string& name, bool narrow = false) {
  std::vector<KernelProfile> kernels = {recorded_kernel(name)};
  add_shares(kernels, ceilings());
  return advice_on(kernels[0], {narrow});
}

std::vector<std::string> rules(const std::string& name, bool narrow = false) {
  std::vector<std::string> names;
  for (const Advice& one : advice(name, narrow)) names.push_back(one.rule);
  return names;
}

TEST(Advice, EachKernelGetsTheAdviceThatItsFaultDeserves) {
  EXPECT_THAT(rules("plain_add"), ElementsAre("memory-ceiling"));
  EXPECT_THAT(rules("strided_copy"), ElementsAre("memory-ceiling", "uncoalesced-loads"));
  EXPECT_THAT(rules("conflicting_transpose"), ElementsAre("bank-conflicts"));
  EXPECT_THAT(rules("spilling"), testing::Contains("local-memory"));
  EXPECT_THAT(rules("divergent<32>"), ElementsAre("divergence"));
  EXPECT_THAT(rules("tensor_product"), ElementsAre("busy-caches", "small-grid", "top-stall"));
}

// Each thread of half a warp reads the same word of a row, and a warp reads rows next to each other: 2
// sectors a load, which no rule may call uncoalesced.
TEST(Advice, BroadcastsAreNotUncoalesced) {
  EXPECT_THAT(rules("product_fp32"), ElementsAre("busy-caches", "top-stall"));
}

// As the plain convolutions do on an H200: their index arithmetic fills the multiprocessors.
TEST(Advice, InstructionsThatAreNoArithmeticAreNamed) {
  KernelProfile kernel;
  kernel.facts = {{"issue_pct", 80.2}, {"arithmetic_ceiling_pct", 0.5}, {"tensor_pipe_pct", 1.4}};
  ASSERT_THAT(advice_on(kernel, {false}), testing::SizeIs(1));
  EXPECT_EQ(advice_on(kernel, {false})[0].rule, "many-instructions");
  EXPECT_THAT(advice_on(kernel, {false})[0].message, HasSubstr("80 % of its cycles"));
  kernel.facts = {{"issue_pct", 80.2}};  // long kernels are not counted by kind
  EXPECT_THAT(advice_on(kernel, {false}), testing::SizeIs(1));
  for (const char* const busy : {"arithmetic_ceiling_pct", "tensor_pipe_pct"}) {
    kernel.facts = {{"issue_pct", 80.2}, {busy, 40}};
    EXPECT_THAT(advice_on(kernel, {false}), IsEmpty()) << busy;
  }
}

TEST(Advice, TensorCoresAreAdvisedForNarrowTypesAlone) {
  KernelProfile kernel;
  kernel.facts = {{"tensor_pipe_pct", 0.02}, {"arithmetic_ceiling_pct", 50}};
  EXPECT_THAT(advice_on(kernel, {false}), IsEmpty());
  ASSERT_THAT(advice_on(kernel, {true}), testing::SizeIs(1));
  EXPECT_EQ(advice_on(kernel, {true})[0].rule, "no-tensor-cores");
}

// One block takes most of the registers and most of the shared memory of a multiprocessor. A second block
// does not fit if the kernel needs less of only one of them.
TEST(Advice, NamesEveryLimitThatAllowsTheFewestBlocks) {
  KernelProfile kernel;
  kernel.facts = {{"theoretical_occupancy_pct", 18.8}, {"sm_pct", 50}, {"memory_pct", 50}};
  kernel.occupancy_limits = occupancy_limits_of({{"launch__occupancy_limit_registers", 1},
                                                 {"launch__occupancy_limit_shared_mem", 1},
                                                 {"launch__occupancy_limit_warps", 5},
                                                 {"launch__occupancy_limit_blocks", 32}});
  EXPECT_THAT(kernel.occupancy_limits, ElementsAre("registers", "shared_memory"));
  ASSERT_THAT(advice_on(kernel, {false}), testing::SizeIs(1));
  EXPECT_THAT(advice_on(kernel, {false})[0].message,
              HasSubstr("limited by registers and by shared memory: __launch_bounds__"));
}

TEST(Advice, SaysWhatWasCounted) {
  const std::string message = advice("strided_copy")[1].message;
  EXPECT_THAT(message, HasSubstr("touches 32.0 sectors and uses 4.0 of the 32 bytes"));
  EXPECT_THAT(advice("spilling")[0].message, HasSubstr("local memory"));
}

TEST(Advice, FactsThatAreNullLeadToNone) {
  KernelProfile kernel = recorded_kernel("strided_copy");
  for (auto& [name, value] : kernel.facts) value = std::nullopt;
  for (auto& [name, value] : kernel.stalls) value = std::nullopt;
  EXPECT_THAT(advice_on(kernel, {true}), IsEmpty());
}

TEST(Advice, ShowsTheWorstPlace) {
  KernelProfile kernel = recorded_kernel("strided_copy");
  kernel.worst.push_back({"loads", {"a.cu", 14, "", "c[i] = a[j];"}, 1});
  const std::vector<Advice> all = advice_on(kernel, {false});
  const auto loads =
      std::find_if(all.begin(), all.end(), [](const Advice& one) { return one.rule == "uncoalesced-loads"; });
  ASSERT_NE(loads, all.end());
  ASSERT_TRUE(loads->place);
  EXPECT_EQ(loads->place->line, 14);
}

TEST(Advice, EveryRuleHasANameOfItsOwnAndASource) {
  std::set<std::string> names;
  for (const Advice& rule : all_rules()) {
    EXPECT_TRUE(names.insert(rule.rule).second) << rule.rule;
    EXPECT_THAT(rule.source, testing::AnyOf(HasSubstr("CUDA C++ Best Practices Guide, \""),
                                            HasSubstr("Nsight Compute Profiling Guide, \"")));
  }
}

}  // namespace kgrade::advice_test
