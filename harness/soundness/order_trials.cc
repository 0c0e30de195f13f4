#include "soundness/order_trials.h"

#include <algorithm>

#include "soundness/classes.h"

namespace kgrade {

bool OrderTrials::is_tried(std::size_t arrangement, bool thorough) const {
  if (states_[arrangement] == State::reordering) return true;
  // A stride that does not fit the extents refutes a reversal on this case alone.
  return thorough && (states_[arrangement] == State::unknown || arrangements_[arrangement].reversed);
}

Result<double> OrderTrials::measure(Subject& subject, const Case& bound, const Draw& draw, bool thorough) {
  const auto oracle = subject.oracle(draw, {});
  if (!oracle) return oracle.errors();
  const std::vector<Values> inputs = subject.inputs();
  const auto reference = subject.reference(draw, {});
  if (!reference) return reference.errors();
  double largest = error_of(*reference, *oracle, bound.dtype);
  for (std::size_t i = 0; i < arrangements_.size(); ++i) {
    if (!is_tried(i, thorough)) continue;
    const auto found =
        measure_reordered(subject, bound, arrangements_[i], {draw, inputs, *oracle, *reference});
    if (!found) return found.errors();
    if (found->what == Reordering::refuted && states_[i] == State::unknown) states_[i] = State::refuted;
    if (found->what != Reordering::reordered) continue;
    states_[i] = State::reordering;
    reordered_.insert(arrangements_[i].name);
    largest = std::max(largest, found->error);
  }
  return largest;
}

}  // namespace kgrade
