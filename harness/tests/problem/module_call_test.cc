// How a module is built for one case, and that every problem says it.
#include "problem/module_call.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "problem/catalogue.h"
#include "problem/hidden_cases.h"
#include "tests/problem/fixtures.h"

namespace kgrade::test {
namespace module_call_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

Problem shipped(const std::string& slug) {
  const auto problem = load_problem(std::filesystem::path(KGRADE_SOURCE_DIR) / "problems" / (slug + ".md"));
  if (problem) return *problem;
  ADD_FAILURE() << to_string(problem.errors());
  return {};
}

Case bound_case(const Problem& problem, const CaseSpec& spec) {
  const auto bound = resolve_case(problem, spec);
  if (bound) return *bound;
  ADD_FAILURE() << to_string(bound.errors());
  return {};
}

// "nothing" for a case that no module can state. `name` is one of the file, or values as `--case` takes them.
std::string call_text(const Problem& problem, std::string_view name) {
  const CaseSpec* const spec = problem.find_case(name);
  const auto written = parse_written_case(name, problem);
  if (spec == nullptr && !written) {
    ADD_FAILURE() << to_string(written.errors());
    return "";
  }
  const auto call = module_call(problem, bound_case(problem, spec != nullptr ? *spec : *written));
  return call ? to_string(*call) : "nothing";
}

TEST(ModuleCall, ADefaultIsNotPassed) {
  const Problem problem = shipped("conv-transpose-2d-sq-input-asym-kernel");
  EXPECT_EQ(call_text(problem, "kernelbench"), "64, 64, (3, 7)");
  EXPECT_EQ(call_text(problem, "stride-2"), "4, 3, (3, 7), stride=2");
  EXPECT_EQ(call_text(problem, "groups-4"), "nothing") << "its padding is 1 and 3";
  EXPECT_EQ(call_text(problem,
                      "stride_h=2,stride_w=2,padding_h=1,padding_w=1,output_padding_h=1,"
                      "output_padding_w=1,kernel_h=3,kernel_w=3"),
            "1, 1, (3, 3), stride=2, padding=1, output_padding=1");
}

TEST(ModuleCall, WithoutADefaultAnArgumentIsPositional) {
  const Problem problem = shipped("conv-1d-dilated-strided");
  EXPECT_EQ(call_text(problem, "kernelbench"), "64, 128, 3, 3, 4");
  EXPECT_EQ(call_text(problem, "plain"), "3, 5, 3, 1, 1");
  EXPECT_EQ(call_text(problem, "padding-2"), "nothing");
}

TEST(ModuleCall, TuplesAreComparedAsAWhole) {
  const Problem problem = shipped("conv-transpose-2d-asym-input-asym-kernel");
  EXPECT_EQ(call_text(problem, "plain"), "3, 5, (3, 5)");
  EXPECT_EQ(call_text(problem, "stride-2x3"), "4, 6, (3, 5), stride=(2, 3)");
  EXPECT_EQ(call_text(problem, "everything"),
            "6, 4, (4, 3), stride=(3, 2), padding=(2, 3), output_padding=(1, 1), dilation=(2, 3), groups=2");
}

TEST(ModuleCall, AModuleOfFixedSizesStatesOneLayer) {
  const Problem problem = shipped("conv-2d-sq-input-sq-kernel-strided-padded-bias");
  EXPECT_EQ(call_text(problem, "kernelbench"), "1000");
  EXPECT_EQ(call_text(problem, "plain"), "nothing");
  EXPECT_EQ(*problem.torch->weight_of("bias"), "conv1.bias");
}

TEST(ModuleCall, ArgumentsThatTheModelIgnoresAreStillPassed) {
  EXPECT_EQ(call_text(shipped("conv-transpose2d-batchnorm-tanh-maxpool-groupnorm"), "kernelbench"),
            "64, 128, 5, 1, 1, 1, 8");
  EXPECT_EQ(
      call_text(shipped("conv-transpose-3d-asym-input-sq-kernel-strided-padded-grouped"), "kernelbench"),
      "32, 32, 3, 2, 1, 0");
}

// row_sum with a section.
Problem with_init(std::string_view init, std::string_view rest = "") {
  return parsed(edited(row_sum, "precision:",
                       "torch:\n  init: {" + std::string(init) + "}\n  forward: [input]\n" +
                           std::string(rest) + "precision:"));
}

std::string json_text(const Problem& problem) {
  const auto call = module_call(problem, bound_case(problem, *problem.find_case("tiny")));
  return call ? to_json(*call).dump() : "nothing";
}

TEST(ModuleCall, ValuesKeepTheirTypesInJson) {
  EXPECT_EQ(json_text(with_init("rows: rows, scale: scale, eps: 1e-3, one: 1.0, flag: true, "
                                "size: [rows, 0.5, false], lone: [columns]")),
            R"({"positional":[2,1.5,0.001,1.0,true,[2,0.5,false],[3]],"keywords":{}})");
}

TEST(ModuleCall, KeywordsKeepTheOrderOfTheFile) {
  EXPECT_EQ(json_text(with_init("z: {value: rows, default: 0}, a: {value: [columns], default: [0]}, "
                                "m: {value: kept, default: 1}")),
            R"({"positional":[],"keywords":{"z":2,"a":[3]}})");
}

TEST(ModuleCall, DefaultsAreComparedAsPythonDoes) {
  EXPECT_EQ(json_text(with_init("a: {value: 1, default: 1.0}, b: {value: rows == 2, default: true}, "
                                "c: {value: scale, default: 1.5}, d: {value: [1], default: [2]}")),
            R"({"positional":[],"keywords":{"d":[1]}})");
}

TEST(ModuleCall, AsTextIsPython) {
  const Problem problem = with_init(
      "eps: 1e-3, one: 1.0, flag: {value: true, default: false}, "
      "lone: {value: [columns], default: [0]}");
  EXPECT_EQ(call_text(problem, "tiny"), "0.001, 1.0, flag=True, lone=(3,)");
}

TEST(ModuleCall, AConditionLeavesACaseOut) {
  const Problem problem = with_init("rows: rows", "  require: [rows > 2]\n");
  EXPECT_EQ(call_text(problem, "tiny"), "nothing");
  EXPECT_EQ(call_text(problem, "large"), "64");
}

TEST(ModuleCall, WithoutASectionThereIsNone) { EXPECT_EQ(call_text(parsed(row_sum), "tiny"), "nothing"); }

TEST(ModuleCall, WhatCannotBeEvaluatedIsAnErrorWithItsPlace) {
  const Problem problem = with_init("a: 1 / (rows - 2)");
  const Case tiny = bound_case(problem, *problem.find_case("tiny"));
  EXPECT_FALSE(module_call(problem, tiny).has_value());
  const auto call = evaluate_module_call(problem, tiny);
  ASSERT_FALSE(call.ok());
  EXPECT_EQ(call.error().location.line, 33);
  EXPECT_THAT(call.error().message, ::testing::StartsWith("case 'tiny': 'a' of 'torch': "));
}

// All problems of the repository.
class ShippedModuleTest : public ::testing::TestWithParam<std::string> {};

TEST_P(ShippedModuleTest, StatesOrLeavesOutEveryCase) {
  const Problem problem = shipped(GetParam());
  ASSERT_TRUE(problem.torch.has_value());
  std::map<CaseRole, int> stated;
  for (const CaseSpec& spec : problem.cases) {
    const auto call = evaluate_module_call(problem, bound_case(problem, spec));
    ASSERT_TRUE(call.ok()) << to_string(call.errors());
    if (*call) ++stated[spec.role];
  }
  EXPECT_GE(stated[CaseRole::test], 1);
  EXPECT_GE(stated[CaseRole::bench], 1);
}

TEST_P(ShippedModuleTest, StatesTheCaseOfKernelBench) {
  const Problem problem = shipped(GetParam());
  ASSERT_NE(problem.find_case("kernelbench"), nullptr);
  EXPECT_NE(call_text(problem, "kernelbench"), "nothing");
}

TEST_P(ShippedModuleTest, HasHiddenCasesThatAreStated) {
  const Problem problem = shipped(GetParam());
  HiddenOptions options;
  options.for_module = true;
  for (options.seed = 0; options.seed < 10; ++options.seed) {
    const auto cases = draw_hidden_cases(problem, options);
    ASSERT_TRUE(cases.ok()) << to_string(cases.errors());
    EXPECT_EQ(cases->size(), options.count);
    for (const Case& bound : *cases) EXPECT_TRUE(module_call(problem, bound).has_value()) << bound.name;
  }
}

// forward() of KernelBench's Model takes the images alone.
TEST_P(ShippedModuleTest, HasAWeightForEveryOtherInput) {
  const Problem problem = shipped(GetParam());
  EXPECT_THAT(problem.torch->forward, ElementsAre("input"));
  EXPECT_THAT(problem.torch->weights, Not(IsEmpty()));
}

std::vector<std::string> slugs_of_convolutions() {
  std::vector<std::string> slugs;
  for (const std::filesystem::path& file : test::kernelbench_convolutions())
    slugs.push_back(file.stem().string());
  return slugs;
}

std::string test_name_of(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Problems, ShippedModuleTest, ::testing::ValuesIn(slugs_of_convolutions()),
                         test_name_of);

}  // namespace module_call_test
}  // namespace kgrade::test
