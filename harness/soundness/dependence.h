// Whether a single element of an input changes the outputs by more than the comparison forgives.
#pragma once

#include <string>
#include <vector>

#include "soundness/judge.h"
#include "soundness/subject.h"

namespace kgrade {

struct Dependence {
  bool depends = false;
  int flips = 0;             // calls that were made
  bool any_change = false;   // in any bit of any output
  double largest_error = 0;  // of the old outputs, held against the new ones
};

// Flips elements of one input (answers.h), one at a time: ends, the middle and a few drawn ones; when they do
// nothing, all at once, and then ever smaller halves of what makes a difference, down to one element. An
// Error when a call fails.
Result<Dependence> look_for_dependence(Subject& subject, const Judge& judge, const Case& bound,
                                       std::size_t tensor, const Draw& draw, const Values& input,
                                       const std::vector<Values>& expected);

// "no element of 'x' changes ..." with the figures.
std::string describe(const Dependence& dependence, const std::string& tensor);

}  // namespace kgrade
