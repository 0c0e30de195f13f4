#include "compile/own_files.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <fstream>

#include "base/temporary_directory.h"
#include "base/text.h"
#include "compile/candidate_source.h"

namespace kgrade::own_files_test {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class OwnFilesTest : public testing::Test {
 protected:
  OwnFilesTest() { write("mine/a.cu", "source"); }

  fs::path at(const std::string& name) const { return folder_.path() / name; }

  void write(const std::string& name, const std::string& text) {
    fs::create_directories(at(name).parent_path());
    std::ofstream(at(name)) << text;
  }

  OwnFiles own() const { return own_files(at("mine/a.cu"), {at("mine/reference")}); }

  std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (const fs::path& file : own().files) {
      result.push_back(file.lexically_relative(fs::canonical(at("mine"))).string());
    }
    return result;
  }

  TemporaryDirectory folder_;
};

TEST_F(OwnFilesTest, AreTheSourceAndTheHeadersBelowItsFolder) {
  for (const char* name : {"z.h", "b.cuh", "sub/c.hpp", "sub/deep/d.inl", "sub/e.def", "other.cu", "other.cc",
                           "sub/x.cpp", "notes.md", "weights.bin", "h"}) {
    write(std::string("mine/") + name, "text");
  }
  write("beside.h", "text");
  EXPECT_THAT(names(), ElementsAre("a.cu", "b.cuh", "sub/c.hpp", "sub/deep/d.inl", "sub/e.def", "z.h"));
  EXPECT_TRUE(own().refused.empty());
}

TEST_F(OwnFilesTest, LeaveOutExcludedHiddenAndBuildFolders) {
  write("mine/reference/ops.cuh", "secret");
  write("mine/.git/a.h", "text");
  write("mine/kgrade-Ab12Cd/rewritten/conv.cuh", "of another build");
  fs::permissions(at("mine/kgrade-Ab12Cd"), fs::perms::owner_all);
  write("mine/kgrade-common/a.h", "text");
  write("mine/venv/pyvenv.cfg", "");
  write("mine/venv/include/python.h", "text");
  fs::create_directories(at("mine/conda/conda-meta"));
  write("mine/conda/include/python.h", "text");
  EXPECT_THAT(names(), ElementsAre("a.cu", "kgrade-common/a.h"));
}

TEST_F(OwnFilesTest, TakeLinksThatStayInTheFolder) {
  write("mine/sub/a.h", "text");
  fs::create_symlink("sub/a.h", at("mine/link.h"));
  fs::create_symlink("sub", at("mine/also"));
  fs::create_symlink("..", at("mine/sub/up"));
  EXPECT_THAT(names(), ElementsAre("a.cu", "also/a.h", "link.h", "sub/a.h"));
}

TEST_F(OwnFilesTest, RefuseLinksThatLeadElsewhere) {
  write("secret.h", "text");
  write("others/b.h", "text");
  write("mine/other.cu", "text");
  fs::create_symlink(at("secret.h"), at("mine/out.h"));
  fs::create_symlink("../others", at("mine/others"));
  fs::create_symlink("other.cu", at("mine/other.h"));
  fs::create_symlink("/etc/passwd", at("mine/users.h"));
  fs::create_symlink("missing.h", at("mine/dangling.h"));
  EXPECT_THAT(names(), ElementsAre("a.cu"));
  const std::string why = why_not_found(own(), "a.cu:1:10: fatal error: out.h: No such file or directory\n");
  EXPECT_EQ(why, "'out.h' is a link that leads out of the folder of the source");
  EXPECT_EQ(why_not_found(own(), "a.cu:1:10: fatal error: other.h: No such file or directory\n"),
            "'other.h' is a link to a file that is no header");
  EXPECT_EQ(why_not_found(own(), "a.cu:1:10: fatal error: new.h: No such file or directory\n"), "");
  EXPECT_EQ(why_not_found(own(), "out.h is fine\n"), "");
}

TEST_F(OwnFilesTest, HeadersAboveAreNamedForWhatTheyAre) {
  write("common.h", "text");
  write("common/a.cuh", "text");
  write("secret.txt", "text");
  const auto why = [this](const std::string& name) {
    return why_not_found(own(), "mine/a.cu:1:10: fatal error: " + name + ": No such file or directory\n");
  };
  for (const char* const name : {"../common.h", "common.h", "common/a.cuh", "../common/../common.h"}) {
    EXPECT_EQ(why(name),
              "'" + std::string(name) +
                  "' lies above the folder of the source: only headers in that folder and below it are read");
  }
  EXPECT_THAT(why_not_found(own(), "a.cu(1): catastrophic error: cannot open source file \"../common.h\"\n"),
              HasSubstr("'../common.h' lies above"));
  for (const char* const name : {"../none.h", "../secret.txt", "../../common.h", "/etc/passwd.h", ".."})
    EXPECT_EQ(why(name), "") << name;
}

TEST_F(OwnFilesTest, TakeLinksToHeadersThatFamiliesShare) {
  write("families/shared.h", "text");
  write("families/deep/below.h", "text");
  write("families/kernel.cu", "text");
  write("elsewhere/families/theirs.h", "text");
  fs::create_symlink("../families/shared.h", at("mine/shared.h"));
  EXPECT_THAT(names(), ElementsAre("a.cu", "shared.h"));
  const std::string before = *hash_of(own());
  write("families/shared.h", "new text");
  EXPECT_NE(*hash_of(own()), before);

  fs::create_symlink("../families", at("mine/folder"));
  fs::create_symlink("../families/deep/below.h", at("mine/below.h"));
  fs::create_symlink("../families/kernel.cu", at("mine/kernel.h"));
  fs::create_symlink("../elsewhere/families/theirs.h", at("mine/theirs.h"));
  EXPECT_THAT(names(), ElementsAre("a.cu", "shared.h"));
  EXPECT_EQ(own().refused.size(), 4u);
}

TEST_F(OwnFilesTest, RefuseFamiliesThatAreALink) {
  write("secrets/b.h", "text");
  fs::create_symlink("secrets", at("families"));
  fs::create_symlink("../families/b.h", at("mine/b.h"));
  EXPECT_THAT(names(), ElementsAre("a.cu"));
}

TEST_F(OwnFilesTest, MayBeReachedByALinkToTheFolderOrTheSource) {
  write("mine/b.h", "text");
  fs::create_symlink("mine", at("way"));
  const OwnFiles by_folder = own_files(at("way/a.cu"));
  EXPECT_EQ(by_folder.folder, fs::canonical(at("mine")));
  EXPECT_EQ(by_folder.files.size(), 2u);
  fs::create_directories(at("elsewhere"));
  fs::create_symlink(at("mine/a.cu"), at("elsewhere/mine.cu"));
  EXPECT_THAT(own_files(at("elsewhere/mine.cu")).files,
              ElementsAre(fs::canonical(at("elsewhere")) / "mine.cu"));
}

TEST_F(OwnFilesTest, TakeNoHeadersFromAFolderWithTooMany) {
  for (std::size_t i = 0; i < most_own_headers; ++i) write("mine/h" + std::to_string(i) + ".h", "");
  EXPECT_EQ(names().size(), most_own_headers + 1);
  write("mine/sub/one_more.h", "");
  EXPECT_THAT(names(), ElementsAre("a.cu"));
  EXPECT_THAT(why_not_found(own(), "fatal error: h1.h: No such file or directory"),
              HasSubstr("at most 1000 headers"));
}

TEST_F(OwnFilesTest, PassOverWhatIsNoFile) {
  ASSERT_EQ(::mkfifo(at("mine/pipe.h").c_str(), 0600), 0);
  fs::create_directories(at("mine/folder.h"));
  EXPECT_THAT(names(), ElementsAre("a.cu"));
}

TEST_F(OwnFilesTest, HashAsThePlainFileWithoutHeaders) {
  write("mine/other.cu", "text");
  EXPECT_EQ(*hash_of(own()), sha256_hex("source"));
}

TEST_F(OwnFilesTest, HashTextsAndNamesOfHeaders) {
  write("mine/b.h", "one");
  const std::string first = *hash_of(own());
  EXPECT_NE(first, sha256_hex("source"));
  EXPECT_EQ(*hash_of(own()), first);
  write("mine/b.h", "two");
  const std::string second = *hash_of(own());
  EXPECT_NE(second, first);
  fs::rename(at("mine/b.h"), at("mine/c.h"));
  EXPECT_NE(*hash_of(own()), second);
  fs::rename(at("mine/c.h"), at("mine/b.h"));
  EXPECT_EQ(*hash_of(own()), second);
  write("mine/a.cu", "sourcf");
  EXPECT_NE(*hash_of(own()), second);
}

TEST_F(OwnFilesTest, HashNoHeaderBelowThatNothingIncludes) {
  write("mine/a.cu", "#include \"b.h\"\n#include <cub/cub.cuh>\n");
  write("mine/b.h", "#include \"sub/c\\\n.h\"\n");
  write("mine/sub/c.h", "one");
  write("mine/build/d.h", "one");
  const std::string first = *hash_of(own());
  write("mine/build/d.h", "two");
  write("mine/build/e.h", "two");
  EXPECT_EQ(*hash_of(own()), first);
  write("mine/sub/c.h", "two");
  EXPECT_NE(*hash_of(own()), first) << "included by a header";
  for (const char* const line : {"#define D <build/d.h>\n#include D\n", "%: include D\n", "#include/**/D\n",
                                 "/**/ # include_next D\n"}) {
    write("mine/a.cu", line);
    write("mine/build/d.h", "two");
    const std::string second = *hash_of(own());
    write("mine/build/d.h", "three");
    EXPECT_NE(*hash_of(own()), second) << line;
  }
}

TEST_F(OwnFilesTest, SayWhichFileCannotBeHashed) {
  fs::remove(at("mine/a.cu"));
  const auto hash = hash_of(own());
  ASSERT_FALSE(hash.ok());
  EXPECT_THAT(hash.error().location.file, testing::EndsWith("mine/a.cu"));
}

// Which files of its folder a candidate in Python sees.

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

}  // namespace kgrade::own_files_test
