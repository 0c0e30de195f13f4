// The folder of problem files.
#include "problem/catalogue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/temporary_directory.h"
#include "base/text.h"
#include "tests/problem/fixtures.h"

namespace kgrade::test {
namespace catalogue_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class CatalogueTest : public ::testing::Test {
 protected:
  void write(const std::string& name, std::string_view content) {
    ASSERT_TRUE(write_file_atomically(folder_.path() / name, content).ok());
  }
  const std::filesystem::path& folder() const { return folder_.path(); }

 private:
  TemporaryDirectory folder_;
};

// Of two files of one name the first folder's counts; a slug twice in one folder is a mistake.
TEST_F(CatalogueTest, FoldersAreSearchedInTheirOrder) {
  std::filesystem::create_directory(folder() / "mine");
  write("mine/row-sum.md", row_sum);
  write("row-sum.md", row_sum);
  write("b.md", "");
  const Folders folders = {folder() / "mine", folder()};
  const auto files = problem_files(folders);
  ASSERT_TRUE(files.ok());
  EXPECT_THAT(*files, ElementsAre(folder() / "b.md", folder() / "mine/row-sum.md"));
  const auto problem = find_problem("row-sum", folders);
  ASSERT_TRUE(problem.ok());
  EXPECT_EQ(problem->path, folder() / "mine/row-sum.md");
  EXPECT_THAT(files_behind(problem->path, folders), ElementsAre(folder() / "row-sum.md"));
  EXPECT_THAT(find_problem("row-sun", folders).error().message, HasSubstr(folder_names(folders)));
  write("mine/copy.md", row_sum);
  EXPECT_THAT(find_problem("row-sum", folders).error().message, HasSubstr("taken"));
}

TEST_F(CatalogueTest, ListsProblemFilesInOrder) {
  write("b.md", "");
  write("a.md", "");
  write("README.md", "");
  write("notes.txt", "");
  std::filesystem::create_directory(folder() / "families");
  write("families/c.md", "");
  const auto files = problem_files(folder());
  ASSERT_TRUE(files.ok());
  EXPECT_THAT(*files, ElementsAre(folder() / "a.md", folder() / "b.md"));
}

TEST_F(CatalogueTest, AFolderThatIsNoneIsAnError) {
  write("file", "");
  EXPECT_EQ(problem_files(folder() / "none").error().message, "no such folder");
  EXPECT_EQ(problem_files(folder() / "file").error().message, "is no folder");
}

TEST_F(CatalogueTest, FindsBySlug) {
  write("row-sum.md", row_sum);
  const auto problem = find_problem("row-sum", {folder()});
  ASSERT_TRUE(problem.ok()) << to_string(problem.errors());
  EXPECT_EQ(problem->path, folder() / "row-sum.md");
}

TEST_F(CatalogueTest, FindsByPath) {
  write("other.txt", row_sum);
  const auto problem = find_problem((folder() / "other.txt").string(), {"no/such/folder"});
  ASSERT_TRUE(problem.ok()) << to_string(problem.errors());
  EXPECT_EQ(problem->slug, "row-sum");
  EXPECT_FALSE(find_problem("missing.md", {folder()}).ok());
}

TEST_F(CatalogueTest, AnUnknownSlugIsAnsweredWithTheNearest) {
  write("row-sum.md", row_sum);
  const auto near = find_problem("row-sun", {folder()});
  ASSERT_FALSE(near.ok());
  EXPECT_THAT(near.error().message, HasSubstr("no problem 'row-sun'"));
  EXPECT_EQ(near.error().remedy, "did you mean 'row-sum'? `kgrade list` shows what there is");
  const auto far = find_problem("matrix-product", {folder()});
  ASSERT_FALSE(far.ok());
  EXPECT_EQ(far.error().remedy, "`kgrade list` shows what there is");
  EXPECT_FALSE(find_problem("", {folder()}).ok());
}

TEST_F(CatalogueTest, SlugsAreUniqueAndNameTheirFiles) {
  Problem first = parsed(row_sum);
  first.path = "problems/row-sum.md";
  EXPECT_TRUE(check_catalogue({first}).empty());
  Problem second = first;
  second.path = "problems/row-total.md";
  const Errors errors = check_catalogue({first, second});
  ASSERT_EQ(errors.size(), 2U);
  EXPECT_EQ(errors[0].message, "the slug 'row-sum' is taken");
  EXPECT_THAT(errors[0].remedy, HasSubstr("problems/row-sum.md has it too"));
  EXPECT_EQ(errors[1].remedy, "rename the file to row-sum.md");
  EXPECT_EQ(errors[1].location.file, "problems/row-total.md");
}

}  // namespace catalogue_test
}  // namespace kgrade::test
