#include "grade/candidate_dtypes.h"

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

class CandidateDtypes : public testing::Test {
 protected:
  CandidateDtypes() {
    problem_.slug = "one";
    problem_.dtypes = {"float32", "float16"};
  }

  fs::path write(const std::string& name, const std::string& content) {
    std::ofstream(directory_.path() / name) << content;
    return directory_.path() / name;
  }

  std::optional<std::string> declared(const std::string& content) {
    const auto dtype = declared_dtype(write("candidate.cu", content));
    EXPECT_TRUE(dtype.ok()) << to_string(dtype.errors());
    return dtype ? *dtype : std::nullopt;
  }

  std::string fault(const std::string& content) {
    const auto dtype = declared_dtype(write("candidate.cu", content));
    return dtype ? "none" : to_string(dtype.errors());
  }

  TemporaryDirectory directory_;
  Problem problem_;
};

TEST_F(CandidateDtypes, AreDeclaredInTheCommentThatAFileBeginsWith) {
  EXPECT_THAT(declared("// kgrade: dtype float16\n#include <cuda_fp16.h>\n"),
              Optional(std::string("float16")));
  EXPECT_THAT(declared("// Text.\n//\n\n//   More.\n// kgrade:  dtype   bfloat16  \r\nint a;\n"),
              Optional(std::string("bfloat16")));
  EXPECT_EQ(declared("// Text.\nint a;\n// kgrade: dtype float16\n"), std::nullopt);
  EXPECT_EQ(declared("int a; // kgrade: dtype float16\n"), std::nullopt);
  EXPECT_EQ(declared(""), std::nullopt);
  EXPECT_EQ(declared(std::string(100'000, '/')), std::nullopt);
}

TEST_F(CandidateDtypes, AFileThatIsNotThereDeclaresNothing) {
  const auto dtype = declared_dtype(directory_.path() / "missing.cu");
  ASSERT_TRUE(dtype.ok());
  EXPECT_EQ(*dtype, std::nullopt);
}

TEST_F(CandidateDtypes, ALineThatSaysNothingKnownIsAFault) {
  for (const char* line : {"// kgrade: dtype half", "// kgrade: dtype", "// kgrade: type float16",
                           "// kgrade:", "// kgrade: dtype float16 float32"}) {
    EXPECT_THAT(fault(std::string("// Text.\n") + line + "\n"),
                HasSubstr("candidate.cu:2:1: error: this line"))
        << line;
  }
  EXPECT_THAT(fault("// kgrade: dtype float16\n// kgrade: dtype float16\n"),
              HasSubstr("candidate.cu:2:1: error: the candidate's type is declared twice"));
}

TEST_F(CandidateDtypes, CandidatesOfOneTypeAreGradedTogether) {
  const fs::path a = write("a.cu", "int a;\n");
  const fs::path b = write("b.cu", "// kgrade: dtype float16\n");
  const fs::path c = write("c.cu", "// kgrade: dtype float32\n");
  const auto groups = group_by_dtype(problem_, {a, b, c}, std::nullopt);
  ASSERT_TRUE(groups.ok());
  ASSERT_EQ(groups->size(), 2u);
  EXPECT_EQ(groups->at(0).problem.dtype, Dtype::float32);
  EXPECT_THAT(groups->at(0).candidates, ElementsAre(a, c));
  EXPECT_EQ(groups->at(1).problem.dtype, Dtype::float16);
  EXPECT_THAT(groups->at(1).candidates, ElementsAre(b));
}

TEST_F(CandidateDtypes, WhatTheUserChoosesCountsForAll) {
  const fs::path a = write("a.cu", "int a;\n");
  const fs::path b = write("b.cu", "// kgrade: dtype float32\n");
  const auto groups = group_by_dtype(problem_, {a, b}, "float16");
  ASSERT_TRUE(groups.ok());
  ASSERT_EQ(groups->size(), 1u);
  EXPECT_EQ(groups->at(0).problem.dtype, Dtype::float16);
  EXPECT_THAT(groups->at(0).candidates, ElementsAre(a, b));
}

TEST_F(CandidateDtypes, OneThatTheProblemDoesNotListIsRefused) {
  const auto chosen = group_by_dtype(problem_, {write("a.cu", "")}, "bfloat16");
  ASSERT_FALSE(chosen.ok());
  EXPECT_EQ(chosen.error().remedy, "its dtypes are: float32, float16");
  const auto declared =
      group_by_dtype(problem_, {write("a.cu", "// kgrade: dtype bfloat16\n")}, std::nullopt);
  ASSERT_FALSE(declared.ok());
  EXPECT_THAT(declared.error().message, HasSubstr("the candidate is for bfloat16"));
  EXPECT_THAT(declared.error().location.file, HasSubstr("a.cu"));
}

}  // namespace
}  // namespace kgrade
