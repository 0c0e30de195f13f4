// Checks whether outputs depend on everything that a problem takes: on single elements of its inputs, by more
// than the comparison tolerates, and on scalar parameters that no shape depends on.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "problem/case.h"
#include "soundness/host_values.h"
#include "soundness/lint_findings.h"
#include "soundness/reference_runner.h"

namespace kgrade {

// Another value of the distribution, as far from this one as possible. A constant becomes a larger value.
float flipped(float value, const ResolvedInit& init);

struct Dependence {
  bool depends = false;
  int flips = 0;            // calls made
  bool any_change = false;  // of any bit of any output
  // The fewest adjacent elements that together change an output enough. 0 if not even all elements do.
  std::size_t fewest = 0;
  bool whole = false;        // all elements were flipped at once
  double largest_error = 0;  // of the old outputs compared with the new ones
};

// Finds the dependence on a drawn input, or on an output with drawn initial contents. Flips single elements:
// the first, the middle, the last and a few drawn ones. If these change nothing, flips all elements at once,
// and then halves the range that makes a difference, down to one element. With `whole`, only flips all at
// once, which is enough to see that an input is used. An Error if a call fails.
Result<Dependence> find_dependence(ReferenceRunner& runner, const Acceptance& acceptance, const Case& bound,
                                   std::size_t tensor, const Draw& draw, CallOutputs& expected,
                                   bool whole = false);

// How outputs change when the problem's own file perturbs its computed inputs. All are perturbed together,
// because they depend on each other.
struct ComputedDependence {
  std::string names;            // "'ends', 'lengths'"; empty if no input is computed
  std::set<std::size_t> stale;  // outputs whose old answer is accepted after every perturbation
  bool any_change = false;      // of any bit of any output
  bool inputs_vary = false;     // false: nothing can be said, since the file computes no other inputs
  int perturbations = 0;
  double largest_error = 0;  // of the old outputs compared with the new ones
};

// Perturbs the computed inputs a few times, until no output's old answer is accepted. `inputs` are those of
// the draw, as ReferenceRunner::sampled_inputs() gives them, and `expected` is the answer to them. An Error
// if a call fails.
Result<ComputedDependence> find_dependence_on_computed(ReferenceRunner& runner, const Acceptance& acceptance,
                                                       const Case& bound, const Draw& draw,
                                                       const std::vector<Values>& inputs,
                                                       CallOutputs& expected);

// The number of tries to change a few elements of the inputs. The elements are drawn, and a window or a
// stride may skip all of them.
inline constexpr std::uint32_t most_small_changes = 8;

// "no element of 'x' changes ..." with the figures, and the number of elements that together change an
// output.
std::string describe(const Dependence& dependence, const std::string& tensor);

// Real parameters, and integers that no shape depends on, directly or through `let`. None of a Python file.
std::set<std::string> scalars_without_shape(const Problem& problem);

// Copies of the case with other values of one of these parameters. There are at most `most` copies, and those
// that most likely make a difference come first. Everything else stays the same, including tensors and their
// contents. Values of an integer come from other cases, the ends of its range in `fuzz` and neighbouring
// integers. Only values that keep the case legal and its shapes unchanged are taken, so the result may be
// empty.
std::vector<Case> with_other_values(const Problem& problem, const Case& bound, const std::string& scalar,
                                    std::size_t most);

// Whether a problem's reference uses the scalar parameters that no shape depends on. Each case is answered
// again with other values of the parameters that have changed no output yet. A parameter that is never used
// is a fault, although `require` or `flops` may name it.
class ScalarUse {
 public:
  // Keeps a reference.
  explicit ScalarUse(const Problem& problem) : problem_(problem), unused_(scalars_without_shape(problem)) {}

  // `base` is the oracle's answer to the draw, and must be kept. Sets other cases in the runner. An Error if
  // a call fails.
  std::optional<Error> try_case(ReferenceRunner& runner, const Case& bound, const Draw& draw,
                                CallOutputs& base);

  // Adds the parameters that changed no output on any case.
  void conclude(LintFindings& findings) const;

  // Parameters of which nothing is known, since they could not take another value on any case.
  std::vector<std::string> not_varied() const;

 private:
  static Result<bool> changes_output(ReferenceRunner& runner, const Case& changed, const Draw& draw,
                                     CallOutputs& base);

  const Problem& problem_;
  std::set<std::string> unused_;  // so far
  std::set<std::string> varied_;  // could take another value on at least one case
};

}  // namespace kgrade
