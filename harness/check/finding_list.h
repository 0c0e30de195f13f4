// The findings of one candidate: equal ones of several cases and passes are one.
#pragma once

#include <string>
#include <vector>

#include "check/finding.h"

namespace kgrade {

class FindingList {
 public:
  // Equal are findings of one kind at one place; races at the same two places, whichever comes first; those
  // without a place by their kernel.
  void add(Finding finding, const std::string& case_name, const std::string& pass);

  // Those with a place first, otherwise in the order in which they were found.
  std::vector<Finding> findings() const;

 private:
  std::vector<Finding> findings_;
};

// True when something in the evidence is behind what the referee saw: an illegal access behind a crash, a
// barrier that some threads never reach behind a call that does not end.
bool explains(const std::vector<Finding>& evidence, Verdict seen);

}  // namespace kgrade
