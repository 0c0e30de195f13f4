#include "compile/binding.h"

#include <gmock/gmock.h>

#include "compile/compiler_log.h"
#include "compile/declarations.h"

namespace kgrade::binding_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Optional;
using testing::StartsWith;

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

class CandidateDeclarations : public testing::Test {
 protected:
  CandidateDeclarations() {
    problem_.slug = "one";
    problem_.dtypes = {"float32", "float16"};
  }

  static Result<Declarations> declarations_in(const std::string& file, const std::string& content) {
    const auto submission = find_submission(content, file);
    EXPECT_TRUE(submission) << content;
    return submission ? read_declarations(*submission, file) : submission.errors();
  }

  static CandidateSource source(const std::string& file, const std::string& content) {
    return {file, find_submission(content, file)};
  }

  static std::vector<std::string> paths(const CandidateGroup& group) {
    std::vector<std::string> result;
    for (const CandidateSource& one : group.candidates) result.push_back(one.path.string());
    return result;
  }

  Declarations declared(const std::string& content) {
    const auto found = declarations_in("candidate.cu", content);
    EXPECT_TRUE(found.ok()) << to_string(found.errors());
    return found ? *found : Declarations{};
  }

  std::string fault(const std::string& content) {
    const auto found = declarations_in("candidate.cu", content);
    return found ? "none" : to_string(found.errors());
  }

  Problem problem_;
};

TEST_F(CandidateDeclarations, AreDeclaredInTheCommentThatAFileBeginsWith) {
  EXPECT_THAT(declared("// kgrade: dtype float16\n#include <cuda_fp16.h>\n").dtype,
              Optional(std::string("float16")));
  EXPECT_THAT(declared("// Text.\n//\n\n//   More.\n// kgrade:  dtype   bfloat16  \r\nint a;\n").dtype,
              Optional(std::string("bfloat16")));
  EXPECT_THAT(declared("/* Text */\n/* More\n#include\n*/\n// kgrade: dtype float16\nint a;\n").dtype,
              Optional(std::string("float16")));
  EXPECT_EQ(declared("int a; // kgrade: dtype float16\n").dtype, std::nullopt);
  for (const std::string& content : {std::string(), std::string(100'000, '/')}) {
    EXPECT_EQ(declared(content).dtype, std::nullopt);
    EXPECT_EQ(declared(content).precision, std::nullopt);
  }
}

// In Python a comment begins with '#', and other lines with "# kgrade:" choose an entry point or name
// weights.
TEST_F(CandidateDeclarations, OfPythonStandInItsComments) {
  const auto in_python = [&](const std::string& content) { return declarations_in("candidate.py", content); };
  EXPECT_THAT(in_python("# kgrade: dtype float16\nimport torch\n")->dtype, Optional(std::string("float16")));
  const auto both = in_python(
      "#!/usr/bin/env python3\n# Text.\n\n# kgrade: entry run\n# kgrade: precision tf32\r\n# kgrade: state "
      "a=b.c\n"
      "# kgrade: dtype bfloat16\n");
  ASSERT_TRUE(both.ok()) << to_string(both.errors());
  EXPECT_THAT(both->dtype, Optional(std::string("bfloat16")));
  EXPECT_THAT(both->precision, Optional(std::string("tf32")));
  EXPECT_EQ(in_python("import torch\n# kgrade: dtype float16\n")->dtype, std::nullopt);
  EXPECT_EQ(in_python("// kgrade: dtype float16\n")->dtype, std::nullopt);
  EXPECT_EQ(declared("# kgrade: dtype float16\n").dtype, std::nullopt) << "not in CUDA";
}

TEST_F(CandidateDeclarations, BelowTheFirstLineOfCodeAreMisplaced) {
  for (const char* content :
       {"// Text.\nint a;\n// kgrade: dtype float16\n", "#include <cmath>\n\n  // kgrade: precision tf32\n",
        "/* Text */ int a;\n\n// kgrade: precision tf32\n"}) {
    const auto found = declarations_in("candidate.cu", content);
    ASSERT_FALSE(found.ok()) << content;
    EXPECT_THAT(found.error().message, HasSubstr("among the comments that the file begins with"));
    EXPECT_EQ(found.error().location.line, 3);
  }
}

TEST_F(CandidateDeclarations, FaultsOfPythonSayWhatToWriteInPython) {
  for (const char* lines : {"# kgrade: dtype half\n", "# kgrade: dtype float16\n# kgrade: dtype float16\n",
                            "# kgrade: precison tf32\n"}) {
    const auto found = declarations_in("candidate.py", lines);
    ASSERT_FALSE(found.ok());
    EXPECT_THAT(found.error().remedy, HasSubstr("`# kgrade: dtype"));
  }
}

TEST_F(CandidateDeclarations, OfTypeAndPrecisionStandInAnyOrder) {
  const std::string dtype = "// kgrade: dtype float16\n";
  const std::string precision = "// kgrade: precision tf32\n";
  for (const std::string& content :
       {dtype + precision, precision + dtype, precision + "\n// Text.\n" + dtype}) {
    const Declarations both = declared(content + "int a;\n");
    EXPECT_THAT(both.dtype, Optional(std::string("float16"))) << content;
    EXPECT_THAT(both.precision, Optional(std::string("tf32"))) << content;
  }
  EXPECT_EQ(declared(dtype).precision, std::nullopt);
  EXPECT_EQ(declared(precision).dtype, std::nullopt);
  for (const char* name : {"fp32", "tf32", "bf16"}) {
    EXPECT_THAT(declared(std::string("// kgrade: precision ") + name + "\r\n").precision,
                Optional(std::string(name)));
  }
}

TEST_F(CandidateDeclarations, AFileThatIsNotCodeDeclaresNothing) {
  const CandidateSource prose = source("a.md", "// kgrade: dtype float16\nThis is all that there is.\n");
  ASSERT_FALSE(prose.submission);
  EXPECT_EQ(as_declared(problem_, prose, std::nullopt)->dtype, Dtype::float32);
}

TEST_F(CandidateDeclarations, ALineThatSaysNothingKnownIsAFault) {
  for (const char* line :
       {"// kgrade: dtype half", "// kgrade: dtype", "// kgrade: type float16",
        "// kgrade:", "// kgrade: dtype float16 float32", "// kgrade: precision fp16",
        "// kgrade: precision none", "// kgrade: precision float32", "// kgrade: dtype tf32",
        "// kgrade: precision", "// kgrade: precision tf32 bf16"}) {
    EXPECT_THAT(fault(std::string("// Text.\n") + line + "\n"),
                HasSubstr("candidate.cu:2:1: error: this line"))
        << line;
  }
  EXPECT_THAT(fault("// kgrade: dtype float16\n// kgrade: dtype float16\n"),
              HasSubstr("candidate.cu:2:1: error: the candidate's type is declared twice"));
  EXPECT_THAT(fault("// kgrade: precision tf32\n// kgrade: dtype float16\n// kgrade: precision bf16\n"),
              AllOf(HasSubstr("candidate.cu:3:1: error: the candidate's precision class is declared twice"),
                    HasSubstr("keep one line `// kgrade: precision ...`")));
  EXPECT_THAT(fault("// kgrade: precision tf16\n"), HasSubstr("`// kgrade: precision tf32`"));
}

TEST_F(CandidateDeclarations, CandidatesOfOneTypeAreGradedTogether) {
  const CandidateSource a = source("a.cu", "int a;\n");
  const CandidateSource b = source("b.cu", "// kgrade: dtype float16\n");
  const CandidateSource c = source("c.cu", "// kgrade: dtype float32\n");
  const auto groups = group_candidates(problem_, {a, b, c}, std::nullopt);
  ASSERT_TRUE(groups.ok());
  ASSERT_EQ(groups->size(), 2u);
  EXPECT_EQ(groups->at(0).problem.dtype, Dtype::float32);
  EXPECT_THAT(paths(groups->at(0)), ElementsAre("a.cu", "c.cu"));
  EXPECT_EQ(groups->at(1).problem.dtype, Dtype::float16);
  EXPECT_THAT(paths(groups->at(1)), ElementsAre("b.cu"));
}

TEST_F(CandidateDeclarations, CandidatesOfOneClassAreGradedTogether) {
  const CandidateSource a = source("a.cu", "int a;\n");
  const CandidateSource b = source("b.cu", "// kgrade: precision tf32\n");
  const CandidateSource c = source("c.cu", "// kgrade: precision tf32\n// kgrade: dtype float16\n");
  const CandidateSource d = source("d.cu", "// kgrade: precision fp32\n");
  const CandidateSource e = source("e.cu", "// kgrade: dtype float32\n// kgrade: precision tf32\n");
  const auto groups = group_candidates(problem_, {a, b, c, d, e}, std::nullopt);
  ASSERT_TRUE(groups.ok());
  ASSERT_EQ(groups->size(), 3u);
  EXPECT_EQ(groups->at(0).problem.precision, "fp32");
  EXPECT_THAT(paths(groups->at(0)), ElementsAre("a.cu", "d.cu"));
  EXPECT_EQ(groups->at(1).problem.precision, "tf32");
  EXPECT_EQ(groups->at(1).problem.dtype, Dtype::float32);
  EXPECT_THAT(paths(groups->at(1)), ElementsAre("b.cu", "e.cu"));
  EXPECT_EQ(groups->at(2).problem.precision, "tf32");
  EXPECT_EQ(groups->at(2).problem.dtype, Dtype::float16);
  EXPECT_THAT(paths(groups->at(2)), ElementsAre("c.cu"));
}

TEST_F(CandidateDeclarations, AClassMayBeStricterThanTheProblems) {
  problem_.precision = "bf16";
  const auto groups = group_candidates(
      problem_, {source("a.cu", ""), source("b.cu", "// kgrade: precision fp32\n")}, std::nullopt);
  ASSERT_TRUE(groups.ok());
  ASSERT_EQ(groups->size(), 2u);
  EXPECT_EQ(groups->at(0).problem.precision, "bf16");
  EXPECT_EQ(groups->at(1).problem.precision, "fp32");
}

TEST_F(CandidateDeclarations, AnExactProblemHasNoOtherClassAndNoOtherHasThisOne) {
  const CandidateSource lower = source("lower.cu", "// kgrade: precision tf32\n");
  const CandidateSource exact = source("exact.cu", "// kgrade: precision exact\n");
  const CandidateSource plain = source("plain.cu", "int a;\n");
  auto groups = group_candidates(problem_, {plain, exact}, std::nullopt);
  ASSERT_TRUE(groups.ok());
  ASSERT_EQ(groups->size(), 1u);
  EXPECT_EQ(groups->at(0).candidates.at(0).fault, "");
  EXPECT_THAT(groups->at(0).candidates.at(1).fault, HasSubstr("has no class exact"));
  problem_.precision = "exact";
  groups = group_candidates(problem_, {plain, exact, lower}, std::nullopt);
  ASSERT_TRUE(groups.ok());
  ASSERT_EQ(groups->size(), 1u);
  EXPECT_EQ(groups->at(0).problem.precision, "exact");
  EXPECT_THAT(paths(groups->at(0)), ElementsAre("plain.cu", "exact.cu", "lower.cu"));
  EXPECT_EQ(groups->at(0).candidates.at(1).fault, "");
  EXPECT_THAT(groups->at(0).candidates.at(2).fault, HasSubstr("allows no rounding, and has no class tf32"));
  EXPECT_FALSE(as_asked(problem_, "float32", "bf16").ok());
  EXPECT_TRUE(as_asked(problem_, "float32", "exact").ok());
}

TEST_F(CandidateDeclarations, TheTypeThatTheUserChoosesLeavesTheClass) {
  const CandidateSource a = source("a.cu", "int a;\n");
  const CandidateSource b = source("b.cu", "// kgrade: dtype float32\n// kgrade: precision tf32\n");
  const auto groups = group_candidates(problem_, {a, b}, "float16");
  ASSERT_TRUE(groups.ok());
  ASSERT_EQ(groups->size(), 2u);
  for (const CandidateGroup& group : *groups) EXPECT_EQ(group.problem.dtype, Dtype::float16);
  EXPECT_THAT(paths(groups->at(1)), ElementsAre("b.cu"));
  EXPECT_EQ(groups->at(1).problem.precision, "tf32");
}

TEST_F(CandidateDeclarations, WhatTheUserChoosesCountsForAll) {
  const CandidateSource a = source("a.cu", "int a;\n");
  const CandidateSource b = source("b.cu", "// kgrade: dtype float32\n");
  const auto groups = group_candidates(problem_, {a, b}, "float16");
  ASSERT_TRUE(groups.ok());
  ASSERT_EQ(groups->size(), 1u);
  EXPECT_EQ(groups->at(0).problem.dtype, Dtype::float16);
  EXPECT_THAT(paths(groups->at(0)), ElementsAre("a.cu", "b.cu"));
}

TEST_F(CandidateDeclarations, AClassThatIsAskedForOverrulesWhatACandidateDeclares) {
  const CandidateSource plain = source("plain.cu", "int a;\n");
  const CandidateSource lower = source("lower.cu", "// kgrade: precision tf32\n");
  const CandidateSource half = source("half.cu", "// kgrade: dtype float16\n// kgrade: precision bf16\n");
  const auto own = group_candidates(problem_, {plain, lower, half}, std::nullopt, "own");
  ASSERT_TRUE(own.ok());
  ASSERT_EQ(own->size(), 2u) << "one for each type";
  EXPECT_EQ(own->at(0).problem.precision, "fp32");
  EXPECT_EQ(own->at(1).problem.precision, "fp32");
  EXPECT_EQ(own->at(0).candidates.at(0).overruled_class, "");
  EXPECT_EQ(own->at(0).candidates.at(1).overruled_class, "tf32");
  EXPECT_EQ(own->at(1).candidates.at(0).overruled_class, "bf16");
  const CandidateSource better = source("better.cu", "// kgrade: precision fp32\n");
  const auto tf32 = group_candidates(problem_, {plain, lower, better}, std::nullopt, "tf32");
  ASSERT_TRUE(tf32.ok());
  ASSERT_EQ(tf32->size(), 1u);
  EXPECT_EQ(tf32->at(0).problem.precision, "tf32");
  for (const CandidateSource& one : tf32->at(0).candidates) {
    EXPECT_EQ(one.overruled_class, "") << one.path;
    EXPECT_EQ(one.reference_class, "fp32") << "whatever class is asked for";
  }
  for (const char* const wrong : {"exact", "fp8", ""})
    EXPECT_FALSE(group_candidates(problem_, {plain}, std::nullopt, wrong).ok()) << wrong;
  // What makes no sense is still the candidate's fault.
  const auto faulty =
      group_candidates(problem_, {source("a.cu", "// kgrade: precision fp8\n")}, std::nullopt, "own");
  EXPECT_THAT(faulty->at(0).candidates.at(0).fault, HasSubstr("says nothing that is known"));
}

TEST_F(CandidateDeclarations, TheReferenceHasTheProblemsClassInEachType) {
  problem_.reference = "model.py";
  const auto groups = group_candidates(
      problem_, {source("a.cu", "// kgrade: dtype float16\n// kgrade: precision fp32\n"), source("b.cu", "")},
      std::nullopt);
  ASSERT_TRUE(groups.ok());
  EXPECT_EQ(groups->at(0).candidates.at(0).reference_class, "bf16");
  EXPECT_EQ(groups->at(1).candidates.at(0).reference_class, "fp32");
}

TEST_F(CandidateDeclarations, OneThatTheProblemDoesNotListIsAFaultOfTheCandidate) {
  const auto chosen = group_candidates(problem_, {source("a.cu", "")}, "bfloat16");
  ASSERT_FALSE(chosen.ok());
  EXPECT_EQ(chosen.error().remedy, "its dtypes are: float32, float16");
  const CandidateSource a = source("a.cu", "// kgrade: dtype bfloat16\n");
  const CandidateSource b = source("b.cu", "// kgrade: dtype float16\n");
  const CandidateSource c = source("c.cu", "// kgrade: nonsense\n");
  const auto declared = group_candidates(problem_, {a, b, c}, std::nullopt);
  ASSERT_TRUE(declared.ok());
  ASSERT_EQ(declared->size(), 1u);
  EXPECT_EQ(declared->at(0).problem.dtype, Dtype::float16);
  EXPECT_THAT(paths(declared->at(0)), ElementsAre("a.cu", "b.cu", "c.cu"));
  EXPECT_THAT(declared->at(0).candidates.at(0).fault, StartsWith("the candidate is for bfloat16"));
  EXPECT_EQ(declared->at(0).candidates.at(1).fault, "");
  EXPECT_THAT(declared->at(0).candidates.at(2).fault, StartsWith("line 1: this line says nothing"));
}

}  // namespace kgrade::binding_test
