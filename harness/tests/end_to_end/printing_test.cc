// What a candidate prints in sample cases is shown on request, and nowhere else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/command.h"

namespace kgrade::test::printing_test {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

const std::string problems = "harness/tests/checks/problems";

// Right, with `statement` in each thread and `host` before the launch.
std::string kernel(const std::string& statement, const std::string& host) {
  return "#include <cuda_runtime.h>\n#include <cstdio>\n"
         "__global__ void neighbour_sum(const float* in, float* out, size_t n) {\n"
         "  const size_t i = blockIdx.x * 64 + threadIdx.x;\n  if (i >= n) return;\n  out[i] = in[i] + in[i "
         "^ 1];\n  " +
         statement +
         "\n}\nextern \"C\" void solution(const float* in, float* out, size_t n) {\n  static int call = 0;\n "
         " " +
         host + "\n  neighbour_sum<<<(n + 63) / 64, 64>>>(in, out, n);\n}\n";
}

Result table_of(const ScratchFile& file, const std::vector<std::string>& more) {
  std::vector<std::string> arguments = {"grade",  "neighbour-sum", file.path(),  "--problems",
                                        problems, "--device",      test_device()};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return kgrade(arguments);
}

TEST(Printing, OfSampleCasesIsShownOnRequest) {
  const ScratchFile file("loud.cu", kernel("if (i < 2) printf(\"thread %d\\n\", (int)i);",
                                           "printf(\"call \\033[31m%d\\n\", ++call);"));
  const Result quiet = table_of(file, {});
  EXPECT_EQ(quiet.exit_code, 0) << quiet.output;
  EXPECT_THAT(quiet.output, Not(HasSubstr("thread 0")));
  const Result verbose = table_of(file, {"--verbose"});
  EXPECT_THAT(verbose.output, HasSubstr("\n    call \\x1b[31m1\n"));
  EXPECT_THAT(verbose.output, HasSubstr("\n    thread 0\n    thread 1\n"));
  EXPECT_THAT(verbose.output, Not(HasSubstr("call \\x1b[31m2"))) << "of the first call only";
  EXPECT_THAT(verbose.output, Not(HasSubstr("\033[31m1")));
}

TEST(Printing, IsBoundedAndKeptForSampleCasesOnly) {
  const ScratchFile file("loud.cu",
                         kernel("", "for (int i = 0; i < 100000; ++i) printf(\"line %d\\n\", i);"));
  const Graded graded = grade({"neighbour-sum", file.path(), "--problems", problems});
  ASSERT_TRUE(graded.record.is_object()) << graded.output;
  int samples = 0;
  for (const json& one : graded.record["candidates"][0]["cases"]) {
    const bool is_sample = one["role"] == "sample" && one["run"] == true;
    samples += is_sample ? 1 : 0;
    ASSERT_EQ(one.contains("printed"), is_sample) << one["name"];
    if (!is_sample) continue;
    EXPECT_EQ(one["printed"]["lines"].size(), 40u);
    EXPECT_EQ(one["printed"]["cut_off"], true);
    EXPECT_GT(one["printed"]["more_lines"], 1000);
  }
  EXPECT_GE(samples, 1);
}

// When it is needed most.
TEST(Printing, IsShownOfAWrongAnswerAndWithoutALineBreak) {
  const ScratchFile file("wrong.cu", kernel("out[i] += 1;", "printf(\"n is %d\", (int)n);"));
  const Result verbose = table_of(file, {"--verbose"});
  EXPECT_EQ(verbose.exit_code, 1);
  EXPECT_THAT(verbose.output, HasSubstr("\n    n is "));
}

}  // namespace kgrade::test::printing_test
