// The draft of a problem file, and the tasks that it leaves to its author.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "problem/problem.h"

namespace kgrade::authoring {

// A value, with a comment on its source. The comment may be empty.
struct Noted {
  std::string text;
  std::string note;
};

struct DraftParameter {
  std::string name;
  std::string type;
  bool pointer = false;
  bool is_const = false;
  std::vector<std::string> shape;
  std::string shape_note;
  Noted init;
  std::string begins = {};
};

struct Draft {
  std::string slug;
  std::string title;
  Difficulty difficulty = Difficulty::easy;
  std::string author;
  std::vector<std::string> tags;
  std::string source;
  std::vector<DraftParameter> parameters;
  std::vector<std::string> dtypes = {"float32"};
  std::string precision = "fp32";
  std::vector<std::pair<std::string, Noted>> let;
  std::vector<Noted> require;
  std::optional<Noted> flops;
  std::string defaults_note;
  std::map<std::string, double, std::less<>> defaults;  // of real parameters, from the cases
  std::string cases_note;
  std::vector<CaseSpec> cases;
  std::string fuzz_note;
  std::vector<FuzzRange> fuzz;
  std::vector<ScaleRange> scales;
  std::vector<std::string> todos;  // comments at the end of the frontmatter
  std::string statement;

  // Whether the author may write a `domain`, which bounds drawn real numbers. True if any input may have
  // drawn real numbers.
  bool may_have_domain() const;
};

// The text of the problem file. Texts are quoted if YAML needs it, so that parse_problem() reads the draft
// back. Notes are cut to one line.
std::string problem_text(const Draft& draft);

// The error in a slug, with a suggestion: "use `row-softmax`". Nothing if the slug is valid.
std::optional<Error> check_slug(const std::string& slug);

// The marks that `kgrade import` and `kgrade new` leave in a problem file for its author.

// The first word of a comment with which `kgrade import` marks a missing part.
inline constexpr std::string_view todo_mark = "TODO";

// Sentences that `kgrade new` writes into a statement.
inline constexpr std::string_view sentence_placeholder = "Say in one sentence what the kernel computes.";
inline constexpr std::string_view formula_placeholder =
    "Give the formula of one element of the output, in LaTeX between two lines of `$$`.";

struct Mark {
  int line = 0;  // in the file, from 1
  int column = 0;
  std::string text;      // the comment from its mark on, or the placeholder
  bool is_todo = false;  // false: a placeholder
};

// The marks in the order of the file. Comments are found in the frontmatter, and placeholders below it.
std::vector<Mark> marks_left_in(std::string_view file);

}  // namespace kgrade::authoring
