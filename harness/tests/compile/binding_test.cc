#include "compile/binding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compile/compiler_log.h"

namespace kgrade::binding_test {

using testing::HasSubstr;
using testing::Optional;

const std::string write_this =
    "; write: extern \"C\" void solution(const float* input, float factor, float* output, size_t n)";

Parameter parameter(const std::string& name, const std::string& type, bool pointer, bool is_const) {
  Parameter result;
  result.name = name;
  result.type = type;
  result.pointer = pointer;
  result.is_const = is_const;
  return result;
}

Problem scale_problem() {
  Problem problem;
  problem.parameters = {parameter("input", "[VAR]", true, true), parameter("factor", "float", false, false),
                        parameter("output", "[VAR]", true, false), parameter("n", "size_t", false, false)};
  return problem;
}

std::optional<std::string> complaint(const std::string& log) {
  return signature_complaint(scale_problem(), log, Dtype::float32);
}

TEST(Binding, UnitIncludesTheSourceAndPassesEverySlot) {
  const std::string unit = binding_unit(scale_problem(), "candidate.cu", Dtype::float32);
  EXPECT_THAT(unit, HasSubstr("#include \"candidate.cu\""));
  EXPECT_THAT(unit, HasSubstr("extern \"C\" int kgrade_entry(const unsigned long long* kgrade_arguments)"));
  EXPECT_THAT(unit, HasSubstr("kgrade_scalar<float>(kgrade_arguments[1])"));
  EXPECT_THAT(unit, HasSubstr("reinterpret_cast<float*>(kgrade_arguments[2])"));
  EXPECT_THAT(unit, HasSubstr("kgrade_scalar<size_t>(kgrade_arguments[3])"));
}

// CUDA's own header need not bring the names that the checks use, as with GCC 13.
TEST(Binding, ChecksNameIntegerTypesThatTheSourceDoesWithout) {
  const std::string unit = binding_unit(scale_problem(), "candidate.cu", Dtype::float32);
  EXPECT_LT(unit.find("#include <cstdint>"), unit.find("#include \"candidate.cu\""));
}

// A source of another type need not include the header that defines the requested one.
TEST(Binding, ElementsOf16BitsAreCudasTypes) {
  const std::string unit = binding_unit(scale_problem(), "candidate.cu", Dtype::float16);
  EXPECT_THAT(unit, HasSubstr("#include \"candidate.cu\"\n#include <cuda_fp16.h>\n"));
  EXPECT_THAT(unit, HasSubstr("reinterpret_cast<__half*>(kgrade_arguments[2])"));
  EXPECT_THAT(unit, HasSubstr("kgrade_scalar<float>(kgrade_arguments[1])"))
      << "types that are written out stay";
  EXPECT_THAT(binding_unit(scale_problem(), "candidate.cu", Dtype::bfloat16),
              HasSubstr("reinterpret_cast<__nv_bfloat16*>(kgrade_arguments[2])"));
}

TEST(Binding, NamesCudasTypesWhereAnotherIsDeclared) {
  const std::string log =
      "kgrade-binding:9:91: error: invalid application of 'sizeof' to incomplete type "
      "'kgrade_parameter_mismatch<0, const float*>'\n";
  EXPECT_THAT(signature_complaint(scale_problem(), log, Dtype::float16),
              Optional(std::string("parameter 1 'input' must be const __half*, not const float*")));
}

TEST(Binding, NamesTheElementTypeThatADeclaredTypeIsFor) {
  Problem problem = scale_problem();
  problem.dtypes = {"float32", "float16"};
  const auto complaint = [&problem](const std::string& type) {
    return signature_complaint(
        problem,
        "kgrade-binding:9:91: error: invalid application of 'sizeof' to incomplete type "
        "'kgrade_parameter_mismatch<0, " +
            type + ">'\n",
        Dtype::float32);
  };
  EXPECT_THAT(
      complaint("const __half*"),
      Optional(std::string(
          "parameter 1 'input' must be const float*, not const __half*, which is for --dtype float16")));
  EXPECT_THAT(complaint("const double*"),
              Optional(std::string("parameter 1 'input' must be const float*, not const double*")));
}

// In the form of nvcc 13.
TEST(Binding, ReadsAWrongTypeFromNvcc) {
  EXPECT_THAT(
      complaint("kgrade-binding(9): error: incomplete type \"kgrade_parameter_mismatch<2UL, "
                "kgrade_binding::parts<void (*)(const float *, double *)>::parameter<2UL>>\" is not allowed\n"
                "  detected during instantiation of class \"kgrade_binding::require<false, Mismatch> [with "
                "Mismatch=kgrade_parameter_mismatch<2UL, double *>]\" at line 31\n"),
      Optional(std::string("parameter 3 'output' must be float*, not double*")));
}

TEST(Binding, ReadsAWrongCountFromNvcc) {
  EXPECT_THAT(
      complaint("kgrade-binding(9): error: incomplete type \"kgrade_arity_mismatch<16UL>\" is not allowed\n"),
      Optional("'solution' takes 16 parameters, the problem has 4" + write_this));
}

// In the form of g++ 12.
TEST(Binding, ReadsAWrongTypeFromGcc) {
  EXPECT_THAT(complaint("kgrade-binding:9:91: error: invalid application of 'sizeof' to incomplete type "
                        "'kgrade_parameter_mismatch<3, int>'\n"),
              Optional(std::string("parameter 4 'n' must be size_t, not int")));
}

TEST(Binding, ReadsAWrongResultFromGcc) {
  EXPECT_THAT(complaint("kgrade-binding:9:91: error: invalid application of 'sizeof' to incomplete type "
                        "'kgrade_return_mismatch<int>'\n"),
              Optional(std::string("'solution' must return void, not int")));
}

TEST(Binding, SaysWhenThereIsNoSolution) {
  EXPECT_THAT(complaint("kgrade-binding:26:48: error: 'solution' was not declared in this scope\n"),
              Optional("the file defines no function 'solution'" + write_this));
  EXPECT_THAT(complaint("kgrade-binding(26): error: identifier \"solution\" is undefined\n"),
              Optional("the file defines no function 'solution'" + write_this));
}

TEST(Binding, LeavesTheContestantsOwnErrorsAlone) {
  EXPECT_EQ(complaint("candidate.cu(3): error: identifier \"solution\" is undefined\n"), std::nullopt);
  EXPECT_EQ(complaint("candidate.cu:7:1: error: expected ';' before '}' token\n"), std::nullopt);
}

// A mistake in the source makes the unit's checks fail as well; the mistake is what must be reported.
TEST(Binding, AnErrorInTheSourceComesBeforeTheSignature) {
  const std::string unit =
      "kgrade-binding:9:91: error: invalid application of 'sizeof' to incomplete type "
      "'kgrade_parameter_mismatch<0, const int*>'\n";
  EXPECT_NE(complaint(unit), std::nullopt);
  EXPECT_EQ(complaint("my file.cu:3:12: error: 'flat' does not name a type\n" + unit), std::nullopt);
  EXPECT_EQ(complaint("dir/my file.cu(3): error: identifier \"flat\" is undefined\n" + unit), std::nullopt);
  EXPECT_EQ(complaint("x.cu:3:12: fatal error: nothing.h: No such file or directory\n" + unit), std::nullopt);
  EXPECT_NE(complaint("x.cu:3:12: note: an error would be elsewhere\n" + unit), std::nullopt);
}

TEST(Binding, APositionThatIsNoneIsNotBelieved) {
  EXPECT_EQ(complaint("'kgrade_parameter_mismatch<99, int>'\n"), std::nullopt);
}

TEST(CompilerLog, FindsTheFirstError) {
  EXPECT_EQ(first_error_line("note: x\n  a.cu(3): error: no\nb.cu(4): error: too\n"), "a.cu(3): error: no");
  EXPECT_EQ(first_error_line("something\n"), "something");
  EXPECT_EQ(first_error_line(""), "the compiler failed without a message");
}

// A candidate can make its compiler print anything.
TEST(Binding, ANumberThatNoParameterHasIsNoComplaint) {
  EXPECT_FALSE(complaint("x: error: 'kgrade_parameter_mismatch<99999999999999999999u, double*>'\n"));
  EXPECT_FALSE(complaint("x: error: 'kgrade_parameter_mismatch<64u, double*>'\n"));
}

}  // namespace kgrade::binding_test
