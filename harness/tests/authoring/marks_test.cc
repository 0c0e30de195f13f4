// What an author has not completed yet.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "authoring/draft.h"
#include "authoring/new_problem.h"

namespace kgrade::authoring::marks_test {

using ::testing::IsEmpty;

TEST(Marks, TodosAreCommentsOfTheFrontmatter) {
  const auto marks = marks_left_in(
      "---\n"
      "slug: a  # TODO from the title\n"
      "title: \"a # TODO no comment\"\n"
      "cases:   #  TODO sizes\n"
      "# TODO nothing\n"
      "a#TODO part of a word\n"
      "---\n"
      "text # TODO no comment either\n");
  ASSERT_EQ(marks.size(), 3U);
  EXPECT_EQ(marks[0].line, 2);
  EXPECT_EQ(marks[0].column, 10);
  EXPECT_EQ(marks[0].text, "TODO from the title");
  EXPECT_TRUE(marks[0].is_todo);
  EXPECT_EQ(marks[1].line, 4);
  EXPECT_EQ(marks[2].line, 5);
}

TEST(Marks, PlaceholdersAreWhatANewProblemSays) {
  NewProblem problem;
  problem.slug = "sample";
  problem.outputs = {{"y", {"n"}, ""}};
  const auto draft = draft_of(problem);
  ASSERT_TRUE(draft);
  const auto marks = marks_left_in(problem_text(*draft));
  ASSERT_EQ(marks.size(), 2U);
  for (const Mark& mark : marks) EXPECT_FALSE(mark.is_todo) << mark.text;
  EXPECT_EQ(marks[0].text, sentence_placeholder);
  EXPECT_EQ(marks[1].text, formula_placeholder);
}

TEST(Marks, AFileThatIsNoProblemHasNone) {
  for (const char* text : {"", "---", "\n\n", "plain\ntext", "---\r\n---\r\n"})
    EXPECT_THAT(marks_left_in(text), IsEmpty());
}

}  // namespace kgrade::authoring::marks_test
