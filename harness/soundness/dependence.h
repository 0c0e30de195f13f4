// Whether outputs depend on what a problem says they do: on single elements of its inputs, by more than the
// comparison forgives, and on scalar parameters that no shape depends on, which only the
// output can show.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "problem/case.h"
#include "soundness/host_values.h"
#include "soundness/reference_runner.h"

namespace kgrade {

// Another value that the distribution can yield, as far from this one as that allows; a constant becomes a
// larger value.
float flipped(float value, const ResolvedInit& init);

struct Dependence {
  bool depends = false;
  int flips = 0;            // calls that were made
  bool any_change = false;  // in any bit of any output
  // Elements in a row that together change an output by enough; 0 if not even all of them do.
  std::size_t fewest = 0;
  bool whole = false;        // all elements at once
  double largest_error = 0;  // of the old outputs, compared with the new ones
};

// Flips elements of one input, one at a time: ends, the middle and a few drawn ones. Where these change
// nothing, all at once, and then ever smaller halves of what makes a difference, down to one element.
// `whole`: all at once, and no more, since that is enough to see that an input is used. An Error when a call
// fails.
Result<Dependence> find_dependence(ReferenceRunner& runner, const Acceptance& acceptance, const Case& bound,
                                   std::size_t tensor, const Draw& draw, CallOutputs& expected,
                                   bool whole = false);

// "no element of 'x' changes ..." with the figures, and how many together do.
std::string describe(const Dependence& dependence, const std::string& tensor);

// Real parameters, and integers that no shape depends on, neither by itself nor through `let`.
std::set<std::string> scalars_without_shape(const Problem& problem);

// The case with other values of one of these parameters, at most `most`, the likeliest to make a difference
// first. All else, tensors and their contents included, stays. Values of an integer are those of other cases,
// the ends of its range in `fuzz` and neighbours, as far as the case stays legal and keeps its shapes: there
// may be none.
std::vector<Case> with_other_values(const Problem& problem, const Case& bound, const std::string& scalar,
                                    std::size_t most);

}  // namespace kgrade
