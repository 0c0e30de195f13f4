// A problem file that is about to be written, and what is left in it for its author to do.
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

// A value, and the comment that says where it comes from; empty for none.
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
  std::map<std::string, double, std::less<>> defaults;  // of real types, which `fuzz` cannot draw
  std::string cases_note;
  std::vector<CaseSpec> cases;
  std::string fuzz_note;
  std::vector<FuzzRange> fuzz;
  std::vector<ScaleRange> scales;
  std::vector<std::string> todos;  // comments at the end of the frontmatter
  std::string statement;

  DraftParameter* find(std::string_view name);
  const DraftParameter* find(std::string_view name) const;
};

// The file. Texts are quoted where YAML asks for it, so that parse_problem() reads what the draft holds;
// notes are cut to one line.
std::string problem_text(const Draft& draft);

// What is wrong with a slug, with one that would do: "use `row-softmax`".
std::optional<Error> check_slug(const std::string& slug);

// What `kgrade import` and `kgrade new` leave in a problem file for its author to look at.

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
