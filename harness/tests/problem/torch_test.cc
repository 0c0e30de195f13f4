// How a `torch` section is read, and what is said about one that is wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <ostream>

#include "problem/families.h"
#include "problem/lint.h"
#include "problem/module_call.h"
#include "tests/problem/fixtures.h"

namespace kgrade::test {
namespace torch_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

// The tests count its lines.
constexpr std::string_view scaled_conv = R"(---
slug: scaled-conv
title: Scaled convolution
difficulty: EASY
parameters:
  - {name: input, type: "[VAR]", pointer: true, const: true, shape: [rows, columns], init: ones}
  - {name: kernel, type: "[VAR]", pointer: true, const: true, shape: [kernel_h, kernel_w], init: ones}
  - {name: bias, type: "[VAR]", pointer: true, const: true, shape: [1], init: ones}
  - {name: output, type: "[VAR]", pointer: true, const: false, shape: [rows, columns]}
  - {name: rows, type: size_t, pointer: false}
  - {name: columns, type: size_t, pointer: false}
  - {name: kernel_h, type: size_t, pointer: false}
  - {name: kernel_w, type: size_t, pointer: false}
  - {name: scale, type: float, pointer: false}
  - {name: circular, type: bool, pointer: false}
dtypes: [float32]
let: {area: kernel_h * kernel_w}
defaults: {rows: 4, columns: 5, kernel_h: 3, kernel_w: 3, scale: 0.5, circular: false}
cases:
  - {name: plain, role: test}
  - {name: large, role: bench, rows: 64}
torch:
  module: torch.nn.Conv2d
  init:
    area: area
    kernel_size: [kernel_h, kernel_w]
    scale: scale
    eps: 1e-5
    circular: {value: circular, default: false}
    groups: {value: rows / 64, default: 1}
  forward: [input]
  weights: {kernel: conv.weight, bias: conv.0.bias}
  free: [norm.running_mean]
  mode: eval
  require: [kernel_h >= kernel_w]
---
Convolve.
)";

class OneFamily final : public Families {
 public:
  explicit OneFamily(std::string text) : text_(std::move(text)) {}
  std::vector<std::string> names() const override { return {"convs"}; }
  std::filesystem::path path(const std::string& name) const override { return "families/" + name + ".md"; }
  Result<std::string> content(const std::string&) const override { return text_; }

 private:
  std::string text_;
};

// scaled_conv as a family, and a problem of it with `torch` as its last key.
Result<Problem> in_family(const std::string& torch) {
  const std::size_t parameters = scaled_conv.find("parameters:");
  const OneFamily families("---\n" + std::string(scaled_conv.substr(parameters)));
  return parse_problem(
      "---\nslug: one\ntitle: One\ndifficulty: EASY\nfamily: convs\n" + torch + "---\nOne.\n", "one.md",
      &families);
}

TorchModule inherited(const std::string& torch) {
  const auto problem = in_family(torch);
  if (problem && problem->torch) return *problem->torch;
  ADD_FAILURE() << (problem ? "no section" : to_string(problem.errors()));
  return {};
}

std::vector<std::string> argument_texts(const TorchModule& module) {
  std::vector<std::string> texts;
  for (const ModuleArgument& argument : module.init) {
    const std::string fallback = argument.fallback ? " or " + to_string(*argument.fallback) : "";
    texts.push_back(argument.name + ": " + argument.value_text() + fallback);
  }
  return texts;
}

TEST(Torch, EveryKeyIsRead) {
  const Problem problem = parsed(scaled_conv);
  ASSERT_TRUE(problem.torch.has_value());
  const TorchModule& module = *problem.torch;
  EXPECT_EQ(module.wrapped, "torch.nn.Conv2d");
  EXPECT_THAT(argument_texts(module),
              ElementsAre("area: area", "kernel_size: (kernel_h, kernel_w)", "scale: scale", "eps: 1e-05",
                          "circular: circular or False", "groups: rows / 64 or 1"));
  EXPECT_THAT(module.forward, ElementsAre("input"));
  EXPECT_THAT(module.weights, ElementsAre(Pair("kernel", "conv.weight"), Pair("bias", "conv.0.bias")));
  EXPECT_THAT(module.free, ElementsAre("norm.running_mean"));
  EXPECT_EQ(module.mode, ModuleMode::eval);
  ASSERT_THAT(module.require, SizeIs(1));
  EXPECT_EQ(module.require[0].text(), "kernel_h >= kernel_w");
}

TEST(Torch, MayBeMissing) { EXPECT_FALSE(parsed(row_sum).torch.has_value()); }

TEST(Torch, WhatIsLeftOutHasItsDefault) {
  const TorchModule module =
      parsed(edited(row_sum, "precision:", "torch: {init: {}, forward: [input]}\nprecision:")).torch.value();
  EXPECT_THAT(module.init, IsEmpty());
  EXPECT_THAT(module.weights, IsEmpty());
  EXPECT_THAT(module.free, IsEmpty());
  EXPECT_THAT(module.require, IsEmpty());
  EXPECT_EQ(module.mode, ModuleMode::train);
  EXPECT_EQ(module.wrapped, "");
}

TEST(Torch, IsInheritedFromAFamily) {
  const TorchModule module = inherited("");
  EXPECT_THAT(module.init, SizeIs(6));
  EXPECT_EQ(*module.weight_of("kernel"), "conv.weight");
}

TEST(Torch, AProblemReplacesWhatItSays) {
  const TorchModule module = inherited("torch:\n  init: {k: kernel_h}\n  free: [a]\n  mode: train\n");
  EXPECT_THAT(argument_texts(module), ElementsAre("k: kernel_h"));
  EXPECT_THAT(module.free, ElementsAre("a"));
  EXPECT_EQ(module.mode, ModuleMode::train);
  EXPECT_THAT(module.forward, ElementsAre("input"));
  EXPECT_EQ(module.wrapped, "torch.nn.Conv2d");
}

TEST(Torch, AProblemCompletesWeightsAndConditions) {
  const TorchModule module =
      inherited("torch: {weights: {kernel: filter.weight}, require: [columns == kernel_w]}\n");
  EXPECT_EQ(*module.weight_of("kernel"), "filter.weight");
  EXPECT_EQ(*module.weight_of("bias"), "conv.0.bias");
  ASSERT_THAT(module.require, SizeIs(2));
  EXPECT_EQ(module.require[0].text(), "kernel_h >= kernel_w");
  EXPECT_EQ(module.require[1].text(), "columns == kernel_w");
}

constexpr std::string_view added_input =
    "parameters:\n  - {name: shift, type: \"[VAR]\", pointer: true, const: true, shape: [1], init: ones}\n";

TEST(Torch, AnInputThatAProblemAddsNeedsItsPlace) {
  const auto lacking = in_family(std::string(added_input));
  ASSERT_FALSE(lacking.ok());
  ASSERT_THAT(lacking.errors(), SizeIs(1));
  EXPECT_EQ(lacking.error().location.file, "one.md");
  EXPECT_EQ(lacking.error().location.line, 7);
  EXPECT_EQ(lacking.error().message, "'torch' has the input 'shift' neither in 'forward' nor in 'weights'");
  EXPECT_THAT(lacking.error().remedy, HasSubstr("`torch: {weights: {shift: NAME}}`"));
  const TorchModule module = inherited(std::string(added_input) + "torch: {weights: {shift: shift}}\n");
  EXPECT_EQ(*module.weight_of("shift"), "shift");
}

TEST(Torch, FaultsOfAFamilyHaveTheirPlaceThere) {
  const std::string family =
      "---\n" + edited(scaled_conv.substr(scaled_conv.find("parameters:")), "mode: eval", "mode: test");
  const OneFamily families(family);
  const auto problem = parse_problem(
      "---\nslug: one\ntitle: One\ndifficulty: EASY\nfamily: convs\n---\nOne.\n", "one.md", &families);
  ASSERT_FALSE(problem.ok());
  EXPECT_EQ(problem.error().location.file, "families/convs.md");
  EXPECT_EQ(problem.error().location.line, 31);
}

struct BadTorch {
  std::string name;
  std::string from;  // in scaled_conv
  std::string to;
  int line;
  int column;
  std::string message;  // a part of it
  std::string remedy;   // a part of it
};

void PrintTo(const BadTorch& bad, std::ostream* stream) { *stream << bad.name; }

class BadTorchTest : public ::testing::TestWithParam<BadTorch> {};

TEST_P(BadTorchTest, IsAnsweredWithPlaceMessageAndRemedy) {
  const BadTorch& bad = GetParam();
  const auto problem = parse_problem(edited(scaled_conv, bad.from, bad.to), "bad.md");
  ASSERT_FALSE(problem.ok());
  SCOPED_TRACE(to_string(problem.errors()));
  ASSERT_THAT(problem.errors(), SizeIs(1));
  const Error& error = problem.error();
  EXPECT_EQ(error.location.line, bad.line);
  EXPECT_EQ(error.location.column, bad.column);
  EXPECT_THAT(error.message, HasSubstr(bad.message));
  EXPECT_THAT(error.remedy, HasSubstr(bad.remedy));
}

std::string name_of_bad(const ::testing::TestParamInfo<BadTorch>& info) { return info.param.name; }

// scaled_conv's section, from its first line on.
std::string section() {
  const std::size_t begin = scaled_conv.find("torch:");
  return std::string(scaled_conv.substr(begin, scaled_conv.find("---\nConvolve") - begin));
}

INSTANTIATE_TEST_SUITE_P(
    Keys, BadTorchTest,
    ::testing::Values(BadTorch{"no_map", section(), "torch: torch.nn.Conv2d\n", 22, 8,
                               "'torch' is 'torch.nn.Conv2d'", "write a map"},
                      BadTorch{"unknown_key", "  mode: eval", "  moed: eval", 34, 3,
                               "unknown key 'moed' in 'torch'", "did you mean 'mode'?"},
                      BadTorch{"no_forward", "  forward: [input]\n", "", 23, 3, "'torch' has no 'forward'",
                               "write `forward: [input]`"},
                      BadTorch{"mode", "mode: eval", "mode: test", 34, 9, "'mode' is 'test'",
                               "write train or eval"},
                      BadTorch{"module", "torch.nn.Conv2d", "Conv2d(3, 4)", 23, 11,
                               "'module' is 'Conv2d(3, 4)'", "as in torch.nn.Conv2d"},
                      BadTorch{"require_no_list", "[kernel_h >= kernel_w]", "kernel_h >= kernel_w", 35, 12,
                               "'require' of 'torch' is 'kernel_h >= kernel_w'", "write a list"},
                      BadTorch{"require_name", "kernel_h >=", "kernel_z >=", 35, 13,
                               "unknown name 'kernel_z'", "did you mean 'kernel_h'?"},
                      BadTorch{"require_real", "kernel_h >=", "scale >=", 35, 13, "'scale' is of type float",
                               "known here"}),
    name_of_bad);

INSTANTIATE_TEST_SUITE_P(
    Init, BadTorchTest,
    ::testing::Values(
        BadTorch{"keyword", "    area: area", "    lambda: area", 25, 5,
                 "'lambda' cannot be an argument of Python", "the name that `def __init__`"},
        BadTorch{"self", "    area: area", "    self: area", 25, 5, "'self' cannot be", "the name that"},
        BadTorch{"no_identifier", "    area: area", "    2d: area", 25, 5, "'2d' cannot be", "the name that"},
        BadTorch{"injection", "    area: area", "    \"x); import os; (\": area", 25, 5, "cannot be",
                 "the name that"},
        BadTorch{"empty", "area: area", "area:", 25, 5, "'init' 'area' is empty", "write an expression"},
        BadTorch{"unknown_name", "area: area", "area: aera", 25, 11, "unknown name 'aera'",
                 "did you mean 'area'?"},
        BadTorch{"tensor", "area: area", "area: input", 25, 11, "'input' is a tensor", "known here"},
        BadTorch{"formula_of_a_real", "scale: scale", "scale: scale * 2", 27, 12, "'scale' is of type float",
                 "known here"},
        BadTorch{"syntax", "area: area", "area: area +", 25, 17, "'init' 'area'", "write"},
        BadTorch{"empty_tuple", "kernel_size: [kernel_h, kernel_w]", "kernel_size: []", 26, 18,
                 "is an empty list", "as in [2, 2]"},
        BadTorch{"nested", "kernel_size: [kernel_h, kernel_w]", "kernel_size: [[kernel_h], 1]", 26, 19,
                 "is a list in a list", "a list of these"},
        BadTorch{"unknown_key_of_argument", "default: 1}", "defualt: 1, default: 1}", 30, 32,
                 "unknown key 'defualt'", "did you mean 'default'?"},
        BadTorch{"no_default", ", default: 1}", "}", 30, 13, "'init' 'groups' has no 'default'",
                 "{value: groups, default: 1}"},
        BadTorch{"no_value", "value: rows / 64, ", "", 30, 13, "'init' 'groups' has no 'value'",
                 "{value: groups, default: 1}"},
        BadTorch{"variable_default", "default: 1}", "default: rows}", 30, 41,
                 "'default' of 'groups' is 'rows'", "write a constant"},
        BadTorch{"tuple_default", "default: 1}", "default: [1, 1]}", 30, 41,
                 "'default' of 'groups' is (1, 1), and its value is rows / 64", "lists of the same length"},
        BadTorch{"late_positional", "    groups: {value: rows / 64, default: 1}", "    groups: rows", 30, 5,
                 "'groups' has no default and follows 'circular'", "move it before"}),
    name_of_bad);

INSTANTIATE_TEST_SUITE_P(
    Inputs, BadTorchTest,
    ::testing::Values(BadTorch{"forward_no_list", "forward: [input]", "forward: input", 31, 12,
                               "'forward' is 'input'", "`forward: [input]`"},
                      BadTorch{"forward_unknown", "forward: [input]", "forward: [inptu]", 31, 13,
                               "'forward' names no parameter: 'inptu'", "did you mean 'input'?"},
                      BadTorch{"forward_output", "forward: [input]", "forward: [input, output]", 31, 20,
                               "'forward' names 'output', which is an output",
                               "forward() returns the outputs"},
                      BadTorch{"weight_scalar", "weights: {", "weights: {rows: conv.rows, ", 32, 13,
                               "'weights' names 'rows', which is a scalar", "argument under `init`"},
                      BadTorch{"scalar_twice", "forward: [input]", "forward: [input, scale, scale]", 31, 27,
                               "'forward' names 'scale' twice", "remove one"},
                      BadTorch{"rank_unknown", "forward: [input]", "forward: [input]\n  rank: axes", 32, 9,
                               "unknown name 'axes'", "known here"},
                      BadTorch{"forward_twice", "forward: [input]", "forward: [input, input]", 31, 20,
                               "'forward' names 'input' twice", "remove one"},
                      BadTorch{"in_both", "weights: {", "weights: {input: conv.input, ", 32, 13,
                               "'input' is in both 'forward' and 'weights'", "remove one"},
                      BadTorch{"in_neither", ", bias: conv.0.bias", "", 22, 1,
                               "'torch' has the input 'bias' neither in 'forward' nor in 'weights'",
                               "`torch: {weights: {bias: NAME}}`"},
                      BadTorch{"no_weights", "  weights: {kernel: conv.weight, bias: conv.0.bias}\n",
                               "  weights: {kernel: conv.weight, bais: conv.0.bias}\n", 32, 34,
                               "'weights' names no parameter: 'bais'", "did you mean 'bias'?"},
                      BadTorch{"weight_path", "conv.0.bias", "conv..bias", 32, 40,
                               "'weights' 'bias' is 'conv..bias'", "as in conv2d.weight"},
                      BadTorch{"weight_call", "conv.0.bias", "__import__('os')", 32, 40,
                               "'weights' 'bias' is", "as in conv2d.weight"},
                      BadTorch{"one_weight_for_two", "conv.0.bias", "conv.weight", 32, 40,
                               "'conv.weight' is named twice", "remove one"},
                      BadTorch{"free_weight", "[norm.running_mean]", "[conv.weight]", 33, 10,
                               "'conv.weight' is named twice", "remove one"},
                      BadTorch{"free_no_list", "[norm.running_mean]", "norm.running_mean", 33, 9,
                               "'free' is 'norm.running_mean'", "[conv2d.bias]"}),
    name_of_bad);

TEST(Torch, ForwardTakesScalarsAndTensorsOfFewerAxes) {
  const Problem problem =
      parsed(edited(scaled_conv, "forward: [input]", "forward: [input, scale]\n  rank: rows / 2"));
  EXPECT_THAT(problem.torch->forward, ElementsAre("input", "scale"));
  const auto bound = resolve_case(problem, *problem.find_case("plain"));
  ASSERT_TRUE(bound.ok()) << to_string(bound.errors());
  const auto call = module_call(problem, *bound);
  ASSERT_TRUE(call.has_value());
  EXPECT_EQ(to_json(*call).at("rank"), 2);
}

// A module's tensors know their extents.
TEST(Torch, ForwardNeedNotTakeTheExtentsOnTheDevice) {
  const Problem problem = parsed(edited(edited(row_sum, "  - name: output",
                                               "  - {name: shape, type: int, pointer: true, const: true, "
                                               "shape: \"values(rows, columns)\"}\n  - name: output"),
                                        "precision:", "torch: {init: {}, forward: [input]}\nprecision:"));
  EXPECT_THAT(problem.torch->forward, ElementsAre("input"));
}

TEST(Torch, WithoutInitTheHintNamesBothForms) {
  const auto problem =
      parse_problem(edited(row_sum, "precision:", "torch: {forward: [input]}\nprecision:"), "bad.md");
  ASSERT_FALSE(problem.ok());
  EXPECT_EQ(problem.error().message, "'torch' has no 'init'");
  EXPECT_THAT(problem.error().remedy, HasSubstr("`init: {}` if it takes none"));
}

std::vector<std::string> module_findings(std::string_view text) {
  std::vector<std::string> messages;
  for (const LintFinding& finding : lint(parsed(text))) {
    if (finding.rule == "module") messages.push_back(finding.what.message);
  }
  return messages;
}

TEST(Torch, LintWantsACaseOfEachRoleThatAModuleCanState) {
  EXPECT_THAT(module_findings(scaled_conv), IsEmpty());
  EXPECT_THAT(module_findings(edited(scaled_conv, "[kernel_h >= kernel_w]", "[rows < 64]")),
              ElementsAre("no case of role bench satisfies `require` of 'torch'"));
  EXPECT_THAT(module_findings(edited(scaled_conv, "[kernel_h >= kernel_w]", "[rows > 4]")),
              ElementsAre("no case of role test satisfies `require` of 'torch'"));
}

TEST(Torch, LintWarnsOfHiddenCasesThatAModuleCannotState) {
  const std::string ranged = edited(row_sum, "rows: 1..3", "rows: 1..9\n  columns: 1..9");
  const auto findings = [&](const std::string& condition) {
    return module_findings(edited(
        ranged,
        "precision:", "torch: {init: {}, forward: [input], require: [" + condition + "]}\nprecision:"));
  };
  EXPECT_THAT(findings("columns >= 3"), IsEmpty());
  EXPECT_THAT(findings("rows == 2 || rows == 64"), IsEmpty());
  EXPECT_THAT(findings("columns == 3 && rows == 2 || columns == 32 && rows == 64"),
              ElementsAre(HasSubstr("for a module no hidden case could be drawn")));
}

TEST(Torch, LintReportsWhatCannotBeEvaluated) {
  EXPECT_THAT(module_findings(edited(scaled_conv, "rows / 64", "rows / (rows - 64)")),
              ElementsAre(HasSubstr("case 'large': 'groups' of 'torch': ")));
}

}  // namespace torch_test
}  // namespace kgrade::test
