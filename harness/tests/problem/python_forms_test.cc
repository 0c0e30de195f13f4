// The lines that a user can write: they name what the problem's file does.
#include "problem/python_forms.h"

#include <gtest/gtest.h>

#include "problem/catalogue.h"

namespace kgrade {
namespace python_forms_test {

Problem shipped(const std::string& slug) {
  const auto problem = load_problem(std::filesystem::path(KGRADE_SOURCE_DIR) / "problems" / (slug + ".md"));
  if (problem) return *problem;
  ADD_FAILURE() << to_string(problem.errors());
  return {};
}

TEST(PythonForms, OutputsAreArgumentsOnlyWhereTheyAreWritten) {
  const Problem problem = shipped("conv-1d-dilated-strided");
  EXPECT_EQ(writing_form(problem).find("def solution(input, kernel, output, "), 0u) << writing_form(problem);
  EXPECT_EQ(returning_form(problem).find("def solution(input, kernel, batch"), 0u) << returning_form(problem);
  EXPECT_EQ(data_form(problem).find("(input, kernel, batch"), 0u) << data_form(problem);
  EXPECT_EQ(returned_form(problem), "output");
}

TEST(PythonForms, OneThatIsAloneIsATupleAllTheSame) {
  Problem problem;
  problem.parameters.resize(3);
  problem.parameters[0].name = "x";
  for (Parameter& parameter : problem.parameters) parameter.pointer = true;
  problem.parameters[0].is_const = true;
  problem.parameters[1].name = "y";
  problem.parameters[2].name = "z";
  EXPECT_EQ(data_form(problem), "(x,)");
  EXPECT_EQ(returned_form(problem), "(y, z)");
}

TEST(PythonForms, AModuleHasItsDefaults) {
  const Problem problem = shipped("conv-standard-1d");
  ASSERT_TRUE(problem.torch);
  EXPECT_EQ(
      init_form(*problem.torch),
      "def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, "
      "bias=False):");
  EXPECT_EQ(forward_form(*problem.torch), "def forward(self, input):");
  TorchModule module = *problem.torch;
  module.forward = {R"({"copy": {"viewed": {"input": "codes", "dtype": "float4_e2m1fn_x2"}}})",
                    R"({"copy": {"input": "sums"}})", R"({"value": 3})", R"({"list": [{"input": "x"}]})"};
  EXPECT_EQ(forward_form(module), "def forward(self, codes, sums, value1, value2):");
}

}  // namespace python_forms_test
}  // namespace kgrade
