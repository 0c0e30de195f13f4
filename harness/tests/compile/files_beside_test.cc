// Which files of its folder a candidate in Python sees.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/temporary_directory.h"
#include "base/text.h"
#include "compile/candidate_source.h"

namespace kgrade::files_beside_test {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class FilesBeside : public testing::Test {
 protected:
  fs::path at(const std::string& name) const { return folder_.path() / name; }

  void write(const std::string& name, const std::string& text = "text\n") {
    fs::create_directories(at(name).parent_path());
    std::ofstream(at(name)) << text;
  }

  OwnFiles found() const {
    return files_beside(at("mine/a.py"), read_text_file(at("mine/a.py")).value(), {at("mine/reference")});
  }

  std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (const fs::path& file : found().files)
      result.push_back(file.lexically_relative(fs::canonical(at("mine"))).string());
    return result;
  }

  std::vector<std::string> refused() const {
    std::vector<std::string> result;
    for (const RefusedFile& file : found().refused) result.push_back(file.name + " " + file.reason);
    return result;
  }

  TemporaryDirectory folder_;
};

constexpr const char* answer = "def solution(x):\n    return x\n";

TEST_F(FilesBeside, AreThoseThatItNames) {
  write("mine/a.py", "import helper\nload(sources=['kernel.cu', \"./b.cpp\"])\nopen(f'{here}/table.bin')\n");
  for (const char* name :
       {"helper.py", "kernel.cu", "b.cpp", "table.bin", "other.py", "tables.bin", "kernel.cuh.old"})
    write(std::string("mine/") + name);
  write("above.py");
  EXPECT_THAT(names(), ElementsAre("a.py", "b.cpp", "helper.py", "kernel.cu", "table.bin"));
  EXPECT_THAT(refused(), IsEmpty());
}

TEST_F(FilesBeside, AreThoseThatANamedTextNames) {
  write("mine/a.py", "import helper\n");
  write("mine/helper.py", "from more import f\nload('kernel')\n");
  write("mine/more.py");
  write("mine/kernel.cu", "#include \"shared.cuh\"\n");
  write("mine/shared.cuh");
  write("mine/unused.cuh");
  EXPECT_THAT(names(), ElementsAre("a.py", "helper.py", "kernel.cu", "more.py", "shared.cuh"));
}

TEST_F(FilesBeside, AreAllOfAFolderThatItNames) {
  write("mine/a.py", "from kernels.relu import f\n");
  write("mine/kernels/relu.py");
  write("mine/kernels/csrc/relu.cu");
  write("mine/kernels/.git/config");
  write("mine/kernels/__pycache__/relu.pyc");
  write("mine/others/relu.py");
  EXPECT_THAT(names(), ElementsAre("a.py", "kernels/csrc/relu.cu", "kernels/relu.py"));
}

TEST_F(FilesBeside, AreNoOtherCandidates) {
  write("mine/a.py", "from b import solution\nopen('c.cu')\nopen('d.md')\nfrom kernels.e import f\n");
  write("mine/b.py", answer);
  write("mine/c.cu", "extern \"C\" void solution(const float* x, float* y) {}\n");
  write("mine/d.md", std::string("Here:\n```python\n") + answer + "```\n");
  write("mine/kernels/e.py", "class ModelNew(Model):\n    pass\n");
  EXPECT_THAT(names(), ElementsAre("a.py"));
  EXPECT_THAT(refused(), SizeIs(4));
  EXPECT_THAT(refused().front(), HasSubstr("b.py is a candidate itself"));
}

TEST_F(FilesBeside, LieInTheFolderAndInNoExcludedOne) {
  write("secret.py");
  write("mine/reference/relu.cu");
  write("mine/helper.py");
  write("mine/a.py", "import secret, reference, alias, helper\n");
  fs::create_symlink(at("secret.py"), at("mine/secret.py"));
  fs::create_symlink(at("mine/helper.py"), at("mine/alias.py"));
  EXPECT_THAT(names(), ElementsAre("a.py", "alias.py", "helper.py"));
  EXPECT_THAT(refused(), ElementsAre(HasSubstr("secret.py is a link that leads out")));
}

TEST_F(FilesBeside, HaveABound) {
  write("mine/a.py", "open('first.bin'), open('second.bin'), open('third.bin')\n");
  write("mine/first.bin", std::string(most_bytes_beside - 100, 'x'));
  write("mine/second.bin", std::string(101, 'x'));
  write("mine/third.bin", std::string(100, 'x'));
  EXPECT_THAT(names(), ElementsAre("a.py", "first.bin", "third.bin"));
  EXPECT_THAT(
      refused(),
      ElementsAre(HasSubstr("second.bin would make the files beside the candidate larger than 16 MiB")));
}

TEST_F(FilesBeside, ChangeTheHashOfTheCandidate) {
  write("mine/a.py", "import helper\n");
  const auto alone = hash_of(found());
  write("mine/other.py", "x = 1\n");
  EXPECT_EQ(*hash_of(found()), *alone);
  write("mine/helper.py", "x = 1\n");
  const auto with_helper = hash_of(found());
  EXPECT_NE(*with_helper, *alone);
  write("mine/helper.py", "x = 2\n");
  EXPECT_NE(*hash_of(found()), *with_helper);
}

}  // namespace kgrade::files_beside_test
