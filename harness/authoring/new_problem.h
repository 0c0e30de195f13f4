// Makes a draft of a new problem from its author's answers.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "authoring/draft.h"

namespace kgrade::authoring {

struct NewTensor {
  std::string name;
  std::vector<std::string> shape;  // expressions
  std::string init;                // for an input; empty for the default
  std::string type = {};           // a C++ name; empty: the element type under test
  std::string begins = {};         // for an output; empty: it begins as arbitrary values
};

struct NewScalar {
  std::string name;
  std::string type = "size_t";
};

struct NewProblem {
  std::string slug;
  std::string title;  // empty: made from the slug
  std::string difficulty = "EASY";
  std::vector<std::string> tags;
  std::vector<NewTensor> inputs;
  std::vector<NewTensor> outputs;
  std::vector<NewScalar> scalars;  // in addition to the names in shapes, which become size_t
};

// "x:rows,columns", or "positions:batch,tokens:int32" with a type other than the one under test. In messages,
// `option` is the option with the text.
Result<NewTensor> parse_tensor(std::string_view text, std::string_view option);
// "eps:float" or "k".
Result<NewScalar> parse_scalar(std::string_view text);
// "x=normal(0, 3)", or "normal(0, 3)" for every input.
Result<bool> set_init(NewProblem& problem, std::string_view text);
// "y=zeros", or "zeros" for every output: what the outputs hold before each call.
Result<bool> set_begins(NewProblem& problem, std::string_view text);

// Asks on a terminal for the missing parts of `problem`. An invalid answer is explained, and the question is
// repeated. An Error if the input ends before the last answer.
Result<NewProblem> ask(NewProblem problem, std::istream& in, std::ostream& out);

// Makes a draft in which lint() finds nothing wrong, except what only the author can know: the arithmetic and
// the statement. An Error if there are no outputs, or if no case can be made of the shapes.
Result<Draft> draft_of(const NewProblem& problem);

}  // namespace kgrade::authoring
