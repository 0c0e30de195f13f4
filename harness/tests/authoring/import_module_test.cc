// How a file in KernelBench's form becomes a problem file with the rest left to do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "authoring/draft.h"
#include "authoring/import_module.h"
#include "problem/module_file.h"
#include "problem/problem.h"

namespace kgrade::test::import_module_test {

using ::testing::HasSubstr;
using ::testing::SizeIs;

const std::filesystem::path softmax_file = "level1/23_Softmax.py";

std::string softmax_text() {
  const auto text = problem_text_of(R"({
    "title": "One\n---\n# TODO two", "positional": [], "keywords": {}, "forward": [{"input": "x"}],
    "inputs": [{"name": "x", "shape": [4, 8], "dtype": "float32",
                "draw": {"kind": "normal", "first": 0, "second": 1}}],
    "weights": [], "buffers": [], "outputs": [{"name": "output", "shape": [4, 8], "dtype": "float32"}],
    "mode": "train", "notes": []})",
                                    softmax_file);
  return text ? *text : to_string(text.errors());
}

TEST(ImportModuleTest, LeavesMarksForWhatIsToBeDone) {
  const auto imported = authoring::import_module(softmax_text(), softmax_file);
  ASSERT_TRUE(imported.ok());
  EXPECT_EQ(imported->slug, "level1-23-softmax");
  const auto marks = authoring::marks_left_in(imported->text);
  EXPECT_THAT(marks, SizeIs(imported->todos.size()));
  for (const authoring::Mark& mark : marks) EXPECT_TRUE(mark.is_todo) << mark.text;
  EXPECT_THAT(imported->text, HasSubstr("# TODO fuzz: "));
}

TEST(ImportModuleTest, IsReadAsTheSameProblem) {
  const auto before = parse_problem(softmax_text(), softmax_file);
  const auto imported = authoring::import_module(softmax_text(), softmax_file, "rows");
  ASSERT_TRUE(before.ok() && imported.ok());
  const auto after = parse_problem(imported->text, "problems/rows.md");
  ASSERT_TRUE(after.ok()) << to_string(after.errors());
  EXPECT_EQ(after->slug, "rows");
  EXPECT_EQ(after->title, before->title);
  EXPECT_EQ(after->reference, "23_Softmax.py");
  EXPECT_EQ(signature(*after), signature(*before));
}

TEST(ImportModuleTest, RefusesWhatIsNoSlug) {
  const auto imported = authoring::import_module(softmax_text(), softmax_file, "x\ntags: [y]");
  ASSERT_FALSE(imported.ok());
  EXPECT_THAT(imported.error().message, HasSubstr("slug"));
}

}  // namespace kgrade::test::import_module_test
