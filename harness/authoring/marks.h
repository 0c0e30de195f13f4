// What `kgrade import` and `kgrade new` leave in a problem file for its author to look at.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kgrade::authoring {

// How comments of import begin that say what is still to be written.
inline constexpr std::string_view todo_mark = "TODO";

// Sentences of a statement that `kgrade new` writes.
inline constexpr std::string_view sentence_placeholder = "Say in one sentence what the kernel computes.";
inline constexpr std::string_view formula_placeholder =
    "Give the formula of one element of the output, in LaTeX between two lines of `$$`.";

struct Mark {
  int line = 0;  // of the file, from 1
  int column = 0;
  std::string text;      // the comment from its mark on, or the placeholder
  bool is_todo = false;  // else a placeholder
};

// In the order of the file. Comments count in the frontmatter, placeholders below it.
std::vector<Mark> marks_left_in(std::string_view file);

}  // namespace kgrade::authoring
