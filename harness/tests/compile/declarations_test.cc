#include "compile/declarations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/temporary_directory.h"

namespace kgrade {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Optional;

class CandidateDeclarations : public testing::Test {
 protected:
  CandidateDeclarations() {
    problem_.slug = "one";
    problem_.dtypes = {"float32", "float16"};
  }

  fs::path write(const std::string& name, const std::string& content) {
    std::ofstream(directory_.path() / name) << content;
    return directory_.path() / name;
  }

  Declarations declared(const std::string& content) {
    const auto found = read_declarations(write("candidate.cu", content));
    EXPECT_TRUE(found.ok()) << to_string(found.errors());
    return found ? *found : Declarations{};
  }

  std::string fault(const std::string& content) {
    const auto found = read_declarations(write("candidate.cu", content));
    return found ? "none" : to_string(found.errors());
  }

  TemporaryDirectory directory_;
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
  const auto in_python = [&](const std::string& content) {
    return read_declarations(write("candidate.py", content));
  };
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
    const auto found = read_declarations(write("candidate.cu", content));
    ASSERT_FALSE(found.ok()) << content;
    EXPECT_THAT(found.error().message, HasSubstr("among the comments that the file begins with"));
    EXPECT_EQ(found.error().location.line, 3);
  }
}

TEST_F(CandidateDeclarations, FaultsOfPythonSayWhatToWriteInPython) {
  for (const char* lines : {"# kgrade: dtype half\n", "# kgrade: dtype float16\n# kgrade: dtype float16\n",
                            "# kgrade: precison tf32\n"}) {
    const auto found = read_declarations(write("candidate.py", lines));
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

TEST_F(CandidateDeclarations, AFileThatIsNotThereDeclaresNothing) {
  const auto found = read_declarations(directory_.path() / "missing.cu");
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->dtype, std::nullopt);
  EXPECT_EQ(found->precision, std::nullopt);
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
  const fs::path a = write("a.cu", "int a;\n");
  const fs::path b = write("b.cu", "// kgrade: dtype float16\n");
  const fs::path c = write("c.cu", "// kgrade: dtype float32\n");
  const auto groups = group_candidates(problem_, {a, b, c}, std::nullopt);
  ASSERT_TRUE(groups.ok());
  ASSERT_EQ(groups->size(), 2u);
  EXPECT_EQ(groups->at(0).problem.dtype, Dtype::float32);
  EXPECT_THAT(groups->at(0).candidates, ElementsAre(a, c));
  EXPECT_EQ(groups->at(1).problem.dtype, Dtype::float16);
  EXPECT_THAT(groups->at(1).candidates, ElementsAre(b));
}

TEST_F(CandidateDeclarations, CandidatesOfOneClassAreGradedTogether) {
  const fs::path a = write("a.cu", "int a;\n");
  const fs::path b = write("b.cu", "// kgrade: precision tf32\n");
  const fs::path c = write("c.cu", "// kgrade: precision tf32\n// kgrade: dtype float16\n");
  const fs::path d = write("d.cu", "// kgrade: precision fp32\n");
  const fs::path e = write("e.cu", "// kgrade: dtype float32\n// kgrade: precision tf32\n");
  const auto groups = group_candidates(problem_, {a, b, c, d, e}, std::nullopt);
  ASSERT_TRUE(groups.ok());
  ASSERT_EQ(groups->size(), 3u);
  EXPECT_EQ(groups->at(0).problem.precision, "fp32");
  EXPECT_THAT(groups->at(0).candidates, ElementsAre(a, d));
  EXPECT_EQ(groups->at(1).problem.precision, "tf32");
  EXPECT_EQ(groups->at(1).problem.dtype, Dtype::float32);
  EXPECT_THAT(groups->at(1).candidates, ElementsAre(b, e));
  EXPECT_EQ(groups->at(2).problem.precision, "tf32");
  EXPECT_EQ(groups->at(2).problem.dtype, Dtype::float16);
  EXPECT_THAT(groups->at(2).candidates, ElementsAre(c));
}

TEST_F(CandidateDeclarations, AClassMayBeStricterThanTheProblems) {
  problem_.precision = "bf16";
  const auto groups = group_candidates(
      problem_, {write("a.cu", ""), write("b.cu", "// kgrade: precision fp32\n")}, std::nullopt);
  ASSERT_TRUE(groups.ok());
  ASSERT_EQ(groups->size(), 2u);
  EXPECT_EQ(groups->at(0).problem.precision, "bf16");
  EXPECT_EQ(groups->at(1).problem.precision, "fp32");
}

TEST_F(CandidateDeclarations, AnExactProblemHasNoOtherClassAndNoOtherHasThisOne) {
  const fs::path lower = write("lower.cu", "// kgrade: precision tf32\n");
  const fs::path exact = write("exact.cu", "// kgrade: precision exact\n");
  const fs::path plain = write("plain.cu", "int a;\n");
  auto groups = group_candidates(problem_, {plain, exact}, std::nullopt);
  ASSERT_TRUE(groups.ok());
  ASSERT_EQ(groups->size(), 1u);
  EXPECT_THAT(to_string(groups->at(0).faults.at(exact)),
              AllOf(HasSubstr("exact.cu: error: problem"), HasSubstr("has no class exact")));
  problem_.precision = "exact";
  groups = group_candidates(problem_, {plain, exact, lower}, std::nullopt);
  ASSERT_TRUE(groups.ok());
  ASSERT_EQ(groups->size(), 1u);
  EXPECT_EQ(groups->at(0).problem.precision, "exact");
  EXPECT_THAT(groups->at(0).candidates, ElementsAre(plain, exact, lower));
  ASSERT_EQ(groups->at(0).faults.size(), 1u);
  EXPECT_THAT(
      to_string(groups->at(0).faults.at(lower)),
      AllOf(HasSubstr("lower.cu: error: problem"), HasSubstr("allows no rounding, and has no class tf32")));
  EXPECT_FALSE(as_asked(problem_, "float32", "bf16").ok());
  EXPECT_TRUE(as_asked(problem_, "float32", "exact").ok());
}

TEST_F(CandidateDeclarations, TheTypeThatTheUserChoosesLeavesTheClass) {
  const fs::path a = write("a.cu", "int a;\n");
  const fs::path b = write("b.cu", "// kgrade: dtype float32\n// kgrade: precision tf32\n");
  const auto groups = group_candidates(problem_, {a, b}, "float16");
  ASSERT_TRUE(groups.ok());
  ASSERT_EQ(groups->size(), 2u);
  for (const CandidateGroup& group : *groups) EXPECT_EQ(group.problem.dtype, Dtype::float16);
  EXPECT_THAT(groups->at(1).candidates, ElementsAre(b));
  EXPECT_EQ(groups->at(1).problem.precision, "tf32");
}

TEST_F(CandidateDeclarations, WhatTheUserChoosesCountsForAll) {
  const fs::path a = write("a.cu", "int a;\n");
  const fs::path b = write("b.cu", "// kgrade: dtype float32\n");
  const auto groups = group_candidates(problem_, {a, b}, "float16");
  ASSERT_TRUE(groups.ok());
  ASSERT_EQ(groups->size(), 1u);
  EXPECT_EQ(groups->at(0).problem.dtype, Dtype::float16);
  EXPECT_THAT(groups->at(0).candidates, ElementsAre(a, b));
}

TEST_F(CandidateDeclarations, OneThatTheProblemDoesNotListIsAFaultOfTheCandidate) {
  const auto chosen = group_candidates(problem_, {write("a.cu", "")}, "bfloat16");
  ASSERT_FALSE(chosen.ok());
  EXPECT_EQ(chosen.error().remedy, "its dtypes are: float32, float16");
  const fs::path a = write("a.cu", "// kgrade: dtype bfloat16\n");
  const fs::path b = write("b.cu", "// kgrade: dtype float16\n");
  const fs::path c = write("c.cu", "// kgrade: nonsense\n");
  const auto declared = group_candidates(problem_, {a, b, c}, std::nullopt);
  ASSERT_TRUE(declared.ok());
  ASSERT_EQ(declared->size(), 1u);
  EXPECT_EQ(declared->at(0).problem.dtype, Dtype::float16);
  EXPECT_THAT(declared->at(0).candidates, ElementsAre(a, b, c));
  EXPECT_EQ(declared->at(0).faults.size(), 2u);
  EXPECT_THAT(declared->at(0).faults.at(a).message, HasSubstr("the candidate is for bfloat16"));
  EXPECT_EQ(declared->at(0).faults.at(c).location.line, 1);
}

}  // namespace
}  // namespace kgrade
