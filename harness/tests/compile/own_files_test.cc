#include "compile/own_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "base/temporary_directory.h"
#include "base/text.h"

namespace kgrade::own_files_test {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

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

}  // namespace kgrade::own_files_test
