// What of a candidate's file is graded, and what is said of files that hold nothing to grade.
#include "compile/submission.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "base/temporary_directory.h"
#include "base/text.h"
#include "compile/candidate_kind.h"
#include "compile/candidate_source.h"
#include "compile/declarations.h"
#include "one_output.h"

namespace kgrade::submission_test {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const std::string kernel =
    "__global__ void scale(float* x);\nextern \"C\" void solution(const float* x,\n    float* y) {\n}\n";
const std::string model = "import torch\nclass ModelNew(torch.nn.Module):\n    pass\n";

Submission found(const std::string& content, const std::string& file = "answer.md") {
  const auto submission = find_submission(content, file);
  EXPECT_TRUE(submission) << (submission ? "" : to_string(submission.errors())) << "\n" << content;
  return submission ? *submission : Submission{};
}

std::string refusal(const std::string& content, const std::string& file = "answer.md") {
  const auto submission = find_submission(content, file);
  EXPECT_FALSE(submission) << content;
  return submission ? ""
                    : fmt::format("{}: {}", submission.error().location.line, submission.error().message);
}

std::string lines(const Submission& submission) {
  return fmt::format("{} to {}", submission.first_line, submission.last_line);
}

TEST(Submission, OfASourceIsTheWholeFile) {
  for (const char* name : {"mine.cu", "mine.txt", "mine", "mine.md"}) {
    const Submission whole = found("// Scales.\n" + kernel, name);
    EXPECT_EQ(whole.kind, SubmissionKind::cuda) << name;
    EXPECT_FALSE(whole.is_block()) << name;
    EXPECT_EQ(whole.text, "// Scales.\n" + kernel) << name;
  }
  const Submission python = found(model, "mine.txt");
  EXPECT_EQ(python.kind, SubmissionKind::python);
  EXPECT_FALSE(python.is_block());
  EXPECT_EQ(found("x = 1\n", "mine.py").kind, SubmissionKind::python);
}

TEST(Submission, IsNoFunctionWithoutParameters) {
  const std::string first = "Here it is:\n\n```cpp\n" + kernel + "```\n";
  for (const char* helper :
       {"def run():\n    pass\n", "def run ( ):\n    pass\n", "def run(\n):\n    pass\n"})
    EXPECT_EQ(found(first + "To test it:\n```python\n" + helper + "```\n").kind, SubmissionKind::cuda)
        << helper;
  for (const char* entry : {"def run(x):\n    pass\n", "def run(\n    x,\n):\n    pass\n",
                            "custom_kernel = torch.compile(kernel)\n", "ModelNew = Model\n"})
    EXPECT_EQ(found(first + "Or:\n```python\n" + entry + "```\n").kind, SubmissionKind::python) << entry;
  for (const char* other : {"custom_kernel == x\n", "solutions = 3\n", "    solution = 3\n"})
    EXPECT_EQ(found(first + "Or:\n```python\n" + other + "```\n").kind, SubmissionKind::cuda) << other;
}

TEST(Submission, OfADocumentIsItsLastBlockThatIsOne) {
  const std::string first = "```cpp\n" + kernel + "```\n";
  const std::string answer = "Here it is:\n\n" + first + "Faster:\n~~~cuda\n// two\n" + kernel +
                             "~~~\nBuild it:\n```sh\nnvcc x.cu\n```\n";
  const Submission last = found(answer);
  EXPECT_EQ(last.kind, SubmissionKind::cuda);
  EXPECT_EQ(lines(last), "11 to 15");
  EXPECT_EQ(last.text, std::string(10, '\n') + "// two\n" + kernel);
  EXPECT_EQ(lines(found(answer, "answer.cu")), "11 to 15") << "whatever the file's name is";
  const Submission python = found(answer + "```python\n" + model + "```\n");
  EXPECT_EQ(python.kind, SubmissionKind::python);
  EXPECT_THAT(python.text, EndsWith("\n\n" + model));
  EXPECT_EQ(found("```py\n" + model + "```\n" + first).kind, SubmissionKind::cuda);
}

TEST(Submission, KnowsTheFormsOfFences) {
  for (const std::string& open :
       std::vector<std::string>{"```", "```cuda", "``` C++", "````cpp title=\"x\"", "~~~~ {.cpp .numbered}",
                                "   ```cu", "```cpp:mine.cu", "```CUDA\r"}) {
    const std::string mark = open.find('~') != open.npos ? "~~~~~" : "`````";
    EXPECT_EQ(lines(found("Prose of this kind.\n" + open + "\n" + kernel + mark + "  \r\nmore\n")), "3 to 6")
        << open;
    EXPECT_EQ(lines(found("Prose of this kind.\n" + open + "\n" + kernel)), "3 to 6") << "unclosed " << open;
  }
}

TEST(Submission, LeavesShorterAndOtherFencesInTheBlock) {
  const std::string inner = "/*\n```\n~~~~\n    ````\n````x\n*/\n";
  EXPECT_EQ(lines(found("````cuda\n" + inner + kernel + "````\n")), "2 to 11");
}

TEST(Submission, TakesTheIndentationOfTheFenceOffPython) {
  EXPECT_THAT(found("As the list says:\n  ```python\n  def solution(x):\n    return x\n  ```\n").text,
              EndsWith("\ndef solution(x):\n  return x\n"));
}

TEST(Submission, KeepsLineBreaksOfWindows) {
  const Submission windows =
      found("This is it, as you see:\r\n```cuda\r\n" + replace_all(kernel, "\n", "\r\n") + "```\r\n");
  EXPECT_EQ(lines(windows), "3 to 6");
  EXPECT_EQ(windows.text, "\n\n" + replace_all(kernel, "\n", "\r\n"));
}

TEST(Submission, InPythonHasAnEntryPoint) {
  for (const char* code : {"def solution(x, y):\n", "def  custom_kernel (data):\n", "def run(*x):\n",
                           "class ModelNew(M):\n", "class ModelNew:\n"})
    EXPECT_EQ(found(std::string("```python\n") + code + "    pass\n```\n").kind, SubmissionKind::python)
        << code;
  for (const char* code : {"def solution2(x):\n", "class Models(M):\n", "  def run(x):\n", "# def run(x):\n",
                           "x = solution(y)\n", "define solution(\n", "class ModelNewer(M):\n"})
    EXPECT_THAT(refusal(std::string("```python\n") + code + "    pass\n```\n"),
                HasSubstr("(python) defines none of solution, custom_kernel, run, ModelNew and Model"))
        << code;
}

TEST(Submission, IsAClassModelWhereNothingElseIsOne) {
  const std::string quoted = "The task:\n```python\nclass Model(M):\n    pass\n```\n";
  EXPECT_EQ(lines(found(quoted)), "3 to 4");
  EXPECT_EQ(lines(found(quoted + "Faster:\n```python\n" + model + "```\n")), "8 to 10");
  EXPECT_EQ(lines(found("```python\n" + model + "```\n" + quoted)), "2 to 4");
  EXPECT_EQ(found("```cpp\n" + kernel + "```\n" + quoted).kind, SubmissionKind::cuda);
}

TEST(Submission, IsHeldByAFileWithAModelUnlessThatIsAProblem) {
  const std::string text =
      "import torch\nimport torch.nn as nn\nfrom typing import List, Tuple\n"
      "class Model(nn.Module):\n    pass\n";
  const std::string inputs = "def get_inputs():\n    return []\n";
  EXPECT_TRUE(holds_submission(text, "mine.py"));
  EXPECT_FALSE(holds_submission(text + inputs, "mine.py"));
  for (const char* tool : {"import triton\n", "from torch.utils.cpp_extension import load_inline\n",
                           "import torch, cupy\n", "  from numba import cuda\n"})
    EXPECT_TRUE(holds_submission(tool + text + inputs, "mine.py")) << tool;
}

TEST(Submission, IsAClassIfNoFunctionIsTheEntryPoint) {
  const std::string text = "import torch\nclass Model:\n    pass\n";
  EXPECT_TRUE(has_module_entry(text));
  EXPECT_TRUE(has_module_entry(text + "class ModelNew(Model):\n    pass\n"));
  EXPECT_FALSE(has_module_entry(text + "def solution(x):\n    return x\n"));
  EXPECT_FALSE(has_module_entry("class Models:\n    pass\n"));
}

TEST(Submission, InCudaDefinesTheFunction) {
  for (const char* code : {"void solution(){}", "auto solution(float* x) -> void\n{\n}",
                           "extern \"C\" {\nvoid\nsolution\n(int (*x)[3]) noexcept {}}",
                           "char open = '(';\nvoid solution(int n) {\n  f(solution2(n));\n}"})
    EXPECT_EQ(found(std::string("```cpp\n") + code + "\n```\n").kind, SubmissionKind::cuda) << code;
  for (const char* code :
       {"void solution(float* x);", "// void solution(float* x) {}", "void my_solution(float* x) {}",
        "solution(x); {}", "void solutions(float* x) {}", "if (solution(x)) {}", "void f() { solution(x); }",
        "const char* s = R\"(void solution() {})\";"})
    EXPECT_THAT(refusal(std::string("```cpp\n") + code + "\n```\n"),
                HasSubstr("(cpp) defines no function 'solution'"))
        << code;
}

TEST(Submission, HasToFitTheLanguageThatItsBlockNames) {
  EXPECT_EQ(
      refusal("You are right, this is the way:\n```python\n" + kernel +
              "```\n```bash\nmake\n```\n```\n\n```\n```c\n```\n"),
      "2: is a document, and none of its code blocks is a submission: the one of lines 3 to 6 (python) "
      "defines none "
      "of solution, custom_kernel, run, ModelNew and Model, the one of line 9 (bash) is neither CUDA C++ nor "
      "Python, the one "
      "of line 12 defines neither 'solution' in CUDA C++ nor an entry point in Python, the one that "
      "begins in line 14 "
      "is empty; put the whole submission into one block, or into a file of its own");
  std::string many;
  for (int i = 0; i < 7; ++i) many += "```sh\nmake\n```\n";
  EXPECT_THAT(refusal(many), HasSubstr(", nor is any of the 3 before them; put"));
}

TEST(Submission, IsNotLookedForInCommentsAndLiterals) {
  const std::string block = "```cuda\n" + kernel + "```\n";
  EXPECT_FALSE(found("/*\n" + block + "*/\n" + kernel, "mine.cu").is_block());
  EXPECT_FALSE(found("const char* text = R\"(\n" + block + ")\";\n" + kernel, "mine.cu").is_block());
  EXPECT_FALSE(found("\"\"\"Usage:\n" + block + "\"\"\"\n" + model, "mine.py").is_block());
  EXPECT_FALSE(found("x = '''\n" + block + "'''\n" + model, "mine.py").is_block());
}

TEST(Submission, MayBeInAnAnswerThatIsNamedAsASource) {
  EXPECT_TRUE(found("Certainly! Here is the kernel:\n```cuda\n" + kernel + "```\n", "mine.cu").is_block());
  EXPECT_TRUE(found("```python\n" + model + "```\n", "mine.py").is_block());
  EXPECT_TRUE(found("Here is the code that you need\n```python\n" + model + "```\n", "mine.py").is_block());
  EXPECT_TRUE(
      found("# Plan\nTerse.\n```python\nx = \"\"\"\n```\n\"\"\"\n```\n```py\n" + model + "```\n", "mine.py")
          .is_block());
  EXPECT_TRUE(found("~~~cuda\n" + kernel + "~~~\n", "mine.cu").is_block());
  EXPECT_TRUE(
      found("<think>\nSo.\n```cpp\nint x;\n```\n</think>\n```cuda\n" + kernel + "```\n", "mine").is_block());
}

TEST(Submission, SaysWhatIsNeitherCodeNorHoldsAny) {
  EXPECT_THAT(refusal(std::string("PK\x03\x04\0\0", 6), "mine.py"), HasSubstr("0: is a binary file"));
  EXPECT_THAT(refusal("x\n```\ny\n```\n", "mine.cu"), HasSubstr("2: is a document"));
  EXPECT_THAT(refusal("x\n```\ny\n```\n", "mine.py"), HasSubstr("2: is a document"));
  EXPECT_THAT(refusal("{\"a\": 1}\n", "mine.txt"), HasSubstr("0: is a document without a code block"));
}

TEST(Submission, IsMissedInADocumentWithoutBlocks) {
  const std::string none = "is a document without a code block, so that it holds no submission";
  for (const char* name : {"mine.md", "mine.txt"})
    EXPECT_THAT(refusal("This is the answer that you want.\n", name), HasSubstr("0: " + none)) << name;
  EXPECT_THAT(refusal("nothing\n```sh\nmake\n```\n"), HasSubstr("the one of line 3 (sh)"));
  EXPECT_THAT(refusal("TODO\n* tile: 64\n", "mine.txt"), HasSubstr("0: " + none));
  for (const char* name : {"mine.md", "mine.txt"})
    EXPECT_EQ(found(kernel, name).kind, SubmissionKind::cuda) << name;
  EXPECT_EQ(found("int x;\n", "mine.cu").kind, SubmissionKind::cuda) << "a compiler says more of a source";
}

TEST(Submission, IsFoundQuicklyInHostileText) {
  constexpr std::size_t large = std::size_t{8} << 20;
  const auto repeated = [](const std::string& text) {
    std::string all;
    while (all.size() < large) all += text;
    return all;
  };
  EXPECT_THAT(refusal("```cpp\n" + repeated("void solution(")), HasSubstr("defines no function"));
  EXPECT_THAT(refusal("```cpp\n" + repeated("void solution()")), HasSubstr("defines no function"));
  EXPECT_THAT(refusal("```cpp\n" + repeated("void solution(\n")), HasSubstr("defines no function"));
  EXPECT_THAT(refusal(repeated("```\n")), HasSubstr("is a document"));
  EXPECT_THAT(refusal(repeated("```\n~~~\n")), HasSubstr("is a document"));
}

class CandidateFile : public testing::Test {
 protected:
  bool is_one(const std::string& name, const std::string& content) {
    const std::filesystem::path file = folder_.path() / name;
    std::ofstream(file) << content;
    return is_candidate(file);
  }
  TemporaryDirectory folder_;
};

TEST_F(CandidateFile, HasASubmissionUnlessItsNameSaysSo) {
  const std::string document = "The kernel:\n```cuda\n" + kernel + "```\n";
  EXPECT_TRUE(is_one("a.cu", "anything"));
  EXPECT_TRUE(is_one("a.md", document));
  EXPECT_TRUE(is_one("a.txt", document));
  EXPECT_TRUE(is_one("a.py", model));
  EXPECT_TRUE(is_one("b.txt", kernel));
  EXPECT_FALSE(is_one("notes.md", "# Notes\nThis is what it is about.\n```sh\nmake\n```\n"));
  EXPECT_FALSE(is_one("helpers.py", "def helper(x):\n    return x\n"));
  EXPECT_FALSE(is_one("list.txt", "a\nb\n"));
  EXPECT_FALSE(is_one("a.cuh", kernel));
  EXPECT_FALSE(is_one("a.json", document));
  std::filesystem::create_directory(folder_.path() / "folder.cu");
  EXPECT_FALSE(is_candidate(folder_.path() / "folder.cu"));
  EXPECT_FALSE(is_candidate(folder_.path() / "absent.md"));
}

TEST(Submission, DeclaresInItsBlock) {
  const auto declared = [](const std::string& content) {
    return read_declarations(found(content), "answer.md");
  };
  const std::string prose = "Some words, as they are, of this.\n";
  const std::string block = "```cuda\n// kgrade: dtype float16\n" + kernel + "```\n";
  EXPECT_EQ(declared(prose + std::string(20000, '\n') + block)->dtype, "float16");
  EXPECT_FALSE(declared("// kgrade: dtype float16\n\n" + prose + "```cuda\n" + kernel + "```\n")->dtype);
  EXPECT_EQ(declared(prose + "```cuda\n// kgrade: what\n" + kernel + "```\n").error().location.line, 3);
}

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
  const std::string text = "extern \"C\" void solution(float* out) {}\n";
  const CandidateSource whole = read("a.cu", text);
  const CandidateSource block = read("a.md", "Prose.\n```cuda\n" + text + "```\n");
  const CandidateSource python = read("a.py", "import triton\nclass ModelNew(Base):\n    pass\n");
  for (const char* name : {"a.cu", "a.md", "a.py"}) write(name, "something else\n");
  EXPECT_EQ(whole.submission->text, text);
  EXPECT_EQ(block.submission->text, "\n\n" + text);
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

constexpr const char* plain_kernel =
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
    EXPECT_EQ(kind_of(first + std::string(plain_kernel)), "Python in line 1") << first;
  }
  EXPECT_EQ(kind_of("# Scale.\n\nimport torch\n"), "Python in line 3");
}

TEST(CandidateKind, KnowsFencesAmongCode) {
  const std::string code = plain_kernel;
  EXPECT_EQ(kind_of("Here's the kernel:\n\n```cuda\n" + code + "```\n"), "fence in line 3");
  EXPECT_EQ(kind_of("```cpp\n" + code + "```\n"), "fence in line 1");
  EXPECT_EQ(kind_of("# Scale\n~~~cpp\n" + code + "~~~\n"), "fence in line 2");
  EXPECT_EQ(kind_of(code + "```\nIt is fast.\n"), "fence in line 3");
  EXPECT_EQ(kind_of("# Scale\n\n**Idea**: one thread an element.\n```\n" + code), "fence in line 4");
}

// Each of them is valid, or the compiler knows best what is wrong with it.
TEST(CandidateKind, LeavesSourcesToTheCompiler) {
  const std::string code = plain_kernel;
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

}  // namespace kgrade::submission_test
