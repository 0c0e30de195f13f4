#include "compile/candidate_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/temporary_directory.h"
#include "base/text.h"
#include "one_output.h"

namespace kgrade::candidate_source_test {

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

}  // namespace kgrade::candidate_source_test
