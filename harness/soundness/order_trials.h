// The orders of summation that a problem allows, found out on its small cases and used on all.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "soundness/summation.h"

namespace kgrade {

class OrderTrials {
 public:
  explicit OrderTrials(const Problem& problem) : arrangements_(arrangements_of(problem)) {}

  // The reference's largest error on a draw, its own order of summation included. The subject sits on the
  // case. With `thorough` every arrangement is tried that has not been refuted yet, else those alone that
  // have reordered a sum before. An Error when a call fails.
  Result<double> measure(Subject& subject, const Case& bound, const Draw& draw, bool thorough);

  // What has reordered a sum so far.
  const std::set<std::string>& reordered() const { return reordered_; }

 private:
  enum class State { unknown, refuted, reordering };
  bool is_tried(std::size_t arrangement, bool thorough) const;

  std::vector<Arrangement> arrangements_;
  std::vector<State> states_ = std::vector<State>(arrangements_.size(), State::unknown);
  std::set<std::string> reordered_;
};

}  // namespace kgrade
