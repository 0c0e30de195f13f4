#include "authoring/new_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/temporary_directory.h"
#include "base/text.h"

namespace kgrade::authoring::new_files_test {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    names.push_back(fs::relative(entry.path(), folder).string());
  return names;
}

TEST(NewFiles, AreWrittenTogetherWithTheirFolders) {
  const TemporaryDirectory folder;
  ASSERT_TRUE(
      write_new_files({{folder.path() / "problems/a.md", "one"}, {folder.path() / "reference/a.cu", "two"}}));
  EXPECT_THAT(names_in(folder.path()),
              UnorderedElementsAre("problems", "problems/a.md", "reference", "reference/a.cu"));
  EXPECT_EQ(*read_text_file(folder.path() / "reference/a.cu"), "two");
}

TEST(NewFiles, AReferenceLiesBesideTheFolderOfItsProblem) {
  for (const auto& [folder, file, reference] : std::vector<std::array<std::string, 3>>{
           {"problems", "problems/a.md", "reference/a.cu"},
           {"mine/problems/", "mine/problems/a.md", "mine/reference/a.cu"},
           {".", "a.md", "../reference/a.cu"},
           {"/x/problems", "/x/problems/a.md", "/x/reference/a.cu"}}) {
    EXPECT_EQ(places_of(folder, "a").file, file);
    EXPECT_EQ(places_of(folder, "a").reference, reference);
  }
}

TEST(NewFiles, NothingIsLeftWhenOneCannotBe) {
  const TemporaryDirectory folder;
  fs::create_directory(folder.path() / "reference");
  std::ofstream(folder.path() / "reference/a.cu") << "mine";
  const auto written =
      write_new_files({{folder.path() / "problems/a.md", "one"}, {folder.path() / "reference/a.cu", "two"}});
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().message, HasSubstr("exists already"));
  EXPECT_THAT(names_in(folder.path()), UnorderedElementsAre("reference", "reference/a.cu"));
  EXPECT_EQ(*read_text_file(folder.path() / "reference/a.cu"), "mine");
}

TEST(NewFiles, FoldersInFoldersAreMadeAndGoAgainOnFailure) {
  const TemporaryDirectory folder;
  const fs::path deep = folder.path() / "new/deep/folder/b.cu";
  ASSERT_TRUE(write_new_files({{deep, "text"}}));
  EXPECT_EQ(*read_text_file(deep), "text");
  EXPECT_FALSE(write_new_files({{folder.path() / "other/deep/a.md", "text"}, {deep, "again"}}));
  EXPECT_FALSE(fs::exists(folder.path() / "other"));
  EXPECT_FALSE(write_new_files({{deep / "below/a.md", "text"}}));
}

TEST(NewFiles, ADanglingLinkIsSomethingThatExists) {
  const TemporaryDirectory folder;
  fs::create_symlink("elsewhere", folder.path() / "a.md");
  EXPECT_FALSE(write_new_files({{folder.path() / "a.md", "one"}}));
  EXPECT_THAT(names_in(folder.path()), UnorderedElementsAre("a.md"));
}

}  // namespace kgrade::authoring::new_files_test
