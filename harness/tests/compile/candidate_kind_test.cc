#include "compile/candidate_kind.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/text.h"

namespace kgrade::candidate_kind_test {

using testing::HasSubstr;
using testing::StartsWith;

std::string kind_of(std::string_view content) {
  if (const char* const why = why_not_text(content)) return why;
  if (const int line = line_of_python(content)) return "Python in line " + std::to_string(line);
  const int line = line_of_fence(content);
  return line > 0 ? "fence in line " + std::to_string(line) : "";
}

constexpr const char* kernel =
    "__global__ void fill(float* out) { out[threadIdx.x] = 1; }\n"
    "extern \"C\" void solution(float* out) { fill<<<1, 32>>>(out); }\n";

TEST(CandidateKind, KnowsFilesThatAreNoText) {
  using namespace std::string_view_literals;
  for (const std::string_view bytes : {"\x7f"
                                       "ELF\x02\x01\x01"sv,
                                       "\x1f\x8b\x08\0\0\0\0\0"sv, "PK\x03\x04\x14\0\0\0\x08"sv,
                                       "\x89PNG\r\n\x1a\n\0\0\0\rIHDR"sv, "abc\0\x01\x02"sv})
    EXPECT_THAT(kind_of(bytes), StartsWith("is a binary file"));
  EXPECT_THAT(kind_of("kernel.cu" + std::string(91, '\0') + "0000644\0ustar"),
              StartsWith("is a binary file"));
  EXPECT_THAT(kind_of("\xff\xfe/\0/\0"sv), HasSubstr("save it as UTF-8"));
}

TEST(CandidateKind, KnowsPython) {
  for (const char* first :
       {"import torch\n", "import numpy as np, os  # both\n", "from torch.utils import cpp_extension\n",
        "\"\"\"A module.\"\"\"\nimport torch\n", "@triton.jit\n", "def solution(x):\n",
        "class Model(nn.Module):\n", "#!/usr/bin/env python3\n", "source = \"\"\"\n"}) {
    EXPECT_EQ(kind_of(first + std::string(kernel)), "Python in line 1") << first;
  }
  EXPECT_EQ(kind_of("# Scale.\n\nimport torch\n"), "Python in line 3");
}

TEST(CandidateKind, KnowsFencesAmongCode) {
  const std::string code = kernel;
  EXPECT_EQ(kind_of("Here's the kernel:\n\n```cuda\n" + code + "```\n"), "fence in line 3");
  EXPECT_EQ(kind_of("```cpp\n" + code + "```\n"), "fence in line 1");
  EXPECT_EQ(kind_of("# Scale\n~~~cpp\n" + code + "~~~\n"), "fence in line 2");
  EXPECT_EQ(kind_of(code + "```\nIt is fast.\n"), "fence in line 3");
  EXPECT_EQ(kind_of("# Scale\n\n**Idea**: one thread an element.\n```\n" + code), "fence in line 4");
}

// Each of them is valid, or the compiler knows best what is wrong with it.
TEST(CandidateKind, LeavesSourcesToTheCompiler) {
  const std::string code = kernel;
  for (const std::string& before : std::vector<std::string>{
           "", "\xef\xbb\xbf", "#include <cuda_runtime.h>\n", "# include <x.h>\n", "#\n",
           "// Here is the kernel that you need:\n// ```\n", "/* import torch\n```\nThis is the answer. */\n",
           "const char* text = R\"(\n```\nimport torch\n)\";\n", "#if 0\nThis is what it is.\n```\n#endif\n",
           "int here, is, the, answer;\n", "class Shape:\n", "template <class an, class of>\n",
           "[[noreturn]] void f();\n", "#pragma once\nimport torch\n", "int x = '\"'; // '\n",
           "fro m torch\n", "int x =\n~~~1;\n", "Sure, this is the kernel that you need:\n"}) {
    EXPECT_EQ(kind_of(before + code), "") << before;
  }
}

TEST(CandidateKind, LooksThroughLinesOfAnyLengthAndNumber) {
  constexpr std::size_t large = std::size_t{8} << 20;
  EXPECT_EQ(kind_of("def " + std::string(large, 'x')), "");
  std::string lines;
  while (lines.size() < large) lines += "x\n";
  EXPECT_THAT(kind_of(lines + "```\n"), StartsWith("fence in line"));
  EXPECT_EQ(kind_of(std::string(large, '/') + "\nint " + std::string(large, '"')), "");
}

// All that ships with kgrade, and all that its tests grade.
TEST(CandidateKind, LeavesEveryKernelOfThisTreeToTheCompiler) {
  int files = 0;
  for (const char* folder : {"solutions", "reference", "harness/tests"}) {
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(std::string(KGRADE_SOURCE_DIR) + "/" + folder)) {
      if (!entry.is_regular_file() || !entry.path().extension().string().starts_with(".cu")) continue;
      const auto content = read_text_file(entry.path());
      ASSERT_TRUE(content.ok()) << entry.path();
      EXPECT_EQ(kind_of(*content), "") << entry.path();
      ++files;
    }
  }
  EXPECT_GT(files, 100);
}

}  // namespace kgrade::candidate_kind_test
