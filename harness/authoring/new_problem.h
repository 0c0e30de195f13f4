// A problem from nothing: what an author says of it becomes a draft.
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
  std::string init;                // of an input; empty for the usual one
};

struct NewScalar {
  std::string name;
  std::string type = "size_t";
};

struct NewProblem {
  std::string slug;
  std::string title;  // empty: made of the slug
  std::string difficulty = "EASY";
  std::vector<std::string> tags;
  std::vector<NewTensor> inputs;
  std::vector<NewTensor> outputs;
  std::vector<NewScalar> scalars;  // besides the names that shapes use, which become size_t
};

// "x:rows,columns". `option` names in messages where the text was given.
Result<NewTensor> parse_tensor(std::string_view text, std::string_view option);
// "eps:float" or "k".
Result<NewScalar> parse_scalar(std::string_view text);
// "x=normal(0, 3)", or "normal(0, 3)" for every input.
Result<bool> set_init(NewProblem& problem, std::string_view text);

// Asks for what `problem` does not say, on a terminal. An invalid answer is explained and asked for again;
// an Error when the input ends before the last answer.
Result<NewProblem> ask(NewProblem problem, std::istream& in, std::ostream& out);

// A problem that lint() finds nothing wrong with but for what its author alone can know: the arithmetic, and
// the statement. An Error for one without outputs, and for shapes of which no case can be made.
Result<Draft> draft_of(const NewProblem& problem);

}  // namespace kgrade::authoring
