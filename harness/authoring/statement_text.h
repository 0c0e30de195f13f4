// A statement cut into list items and paragraphs, and these into words, code and formulas; internal to
// authoring.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kgrade::authoring {

struct StatementPiece {
  enum class Kind {
    word,     // in lower case; punctuation is a word of its own
    code,     // between backticks
    formula,  // between dollars, or a text in brackets that stands by itself: (M, N)
  };
  Kind kind = Kind::word;
  std::string text;
};

// Fenced code is left out. At most 5,000 units, and 2,000 pieces of each.
std::vector<std::vector<StatementPiece>> statement_units(std::string_view statement);

// x of \mathbf{x} and \text{x}.
std::string without_wrappers(std::string_view text);

// The rows of an aligned environment, or the formula itself, without & and \begin{...}.
std::vector<std::string> rows_of_formula(std::string_view formula);

// The parts between commas.
std::vector<std::string> split_list(std::string_view text);

}  // namespace kgrade::authoring
