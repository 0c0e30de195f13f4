#include "compile/candidate_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/temporary_directory.h"
#include "base/text.h"
#include "compile/candidate_kind.h"
#include "one_output.h"

namespace kgrade::candidate_source_test {

using testing::HasSubstr;
using testing::StartsWith;

class CandidateSources : public testing::Test {
 protected:
  CandidateSource read(const std::string& name, const std::string& content) {
    write(name, content);
    return read_candidates({folder_.path() / name}, layout_).value().front();
  }
  void write(const std::string& name, const std::string& content) {
    std::ofstream(folder_.path() / name) << content;
  }

  TemporaryDirectory folder_;
  Layout layout_;
};

TEST_F(CandidateSources, AreKeptAsTheyWereRead) {
  const std::string kernel = "extern \"C\" void solution(float* out) {}\n";
  const CandidateSource whole = read("a.cu", kernel);
  const CandidateSource block = read("a.md", "Prose.\n```cuda\n" + kernel + "```\n");
  const CandidateSource python = read("a.py", "import triton\nclass ModelNew(Base):\n    pass\n");
  for (const char* name : {"a.cu", "a.md", "a.py"}) write(name, "something else\n");
  EXPECT_EQ(whole.submission->text, kernel);
  EXPECT_EQ(block.submission->text, "\n\n" + kernel);
  EXPECT_EQ(block.lines()->first, 3);
  EXPECT_TRUE(python.is_python() && python.is_module() && python.uses_triton());
  for (const CandidateSource* source : {&whole, &block, &python})
    EXPECT_EQ(change_of(*source, layout_).value().what, "changed");
}

TEST_F(CandidateSources, SayWhichOfTheirFilesChanged) {
  const auto changed = [this](const CandidateSource& source) {
    const auto change = change_of(source, layout_);
    return change ? change->what : "";
  };
  std::filesystem::create_directories(folder_.path() / "sub");
  std::filesystem::create_directories(folder_.path() / "build");
  std::filesystem::create_directories(folder_.path() / "venv/include");
  write("sub/a.cuh", "#include \"deep.h\"\n");
  write("sub/deep.h", "// one\n");
  write("beside.h", "// one\n");
  write("build/generated.h", "// one\n");
  write("venv/pyvenv.cfg", "");
  write("venv/include/a.cuh", "// one\n");
  const CandidateSource source = read("a.cu", "#include \"sub/a.cuh\"\n");
  EXPECT_EQ(changed(source), "");
  for (const char* name : {"build/generated.h", "build/new.h", "venv/include/a.cuh"}) write(name, "// two\n");
  EXPECT_EQ(changed(source), "") << "no compiler reads these";
  write("new.h", "");
  EXPECT_EQ(changed(source), "its file new.h was added");
  std::filesystem::remove(folder_.path() / "new.h");
  write("sub/deep.h", "// two\n");
  EXPECT_EQ(changed(source), "its file sub/deep.h changed");
  EXPECT_EQ(change_of(source, layout_)->file, resolved(folder_.path()) / "sub/deep.h");
  std::filesystem::remove(folder_.path() / "sub/a.cuh");
  EXPECT_EQ(changed(source), "its file sub/a.cuh was removed");
  write("sub/a.cuh", "#include \"deep.h\"\n");
  write("a.cu", "// two\n");
  EXPECT_EQ(changed(source), "changed");
}

TEST_F(CandidateSources, SayInOneSentenceWhatIsNotCuda) {
  const auto said = [&](const std::string& content, const std::string& name = "mine.cu") {
    CandidateSource source = read(name, content);
    source.path = name;
    return why_not_cuda(source, test::one_output()).value_or("");
  };
  EXPECT_EQ(said(" \n"), "mine.cu: is empty; write: extern \"C\" void solution(float* output) { ... }");
  EXPECT_THAT(said("", "mine.md"), StartsWith("mine.md: is empty; write: "));
  EXPECT_THAT(said("\nimport torch\n"), StartsWith("mine.cu:2: is Python, not CUDA C++; give the file"));
  EXPECT_THAT(said("```python\ndef solution(x):\n```\n"), StartsWith("mine.cu:2: is Python, not CUDA C++"));
  EXPECT_THAT(said("\x7f"
                   "ELF"),
              StartsWith("mine.cu: is a binary file, not source code"));
  EXPECT_EQ(said("extern \"C\" void solution(float* out) {}\n"), "");
}

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

}  // namespace kgrade::candidate_source_test
