// The checks that every candidate goes through, by name, in the order in which they can fail.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "report/record.h"

namespace kgrade {

inline constexpr std::array<std::string_view, 11> check_names = {
    "compile",           // the source compiles
    "signature",         // `solution` has the problem's parameters
    "load",              // the library loads, and its static constructors return
    "completion",        // every call ends, in time, in a living process
    "device_errors",     // no CUDA error is left behind
    "memory",            // no allocation fails
    "guard_zones",       // nothing is written around a buffer
    "inputs_unchanged",  // inputs hold what was drawn
    "clock",             // times are finite, positive and within the referee's own
    "outputs_match",     // every element of every output agrees with the oracle's
    "precision",         // and with the arithmetic that the problem asks for
};

class CheckList {
 public:
  CheckList();
  // Passes all checks that come before this one and have not failed.
  void pass_before(std::string_view name);
  void pass_all();
  // The first failure of a check is the one that is kept.
  void fail(std::string_view name, const std::string& detail);
  std::vector<Check> checks() const { return checks_; }

 private:
  std::vector<Check> checks_;
};

// The check that stands for a verdict ("guard_zones" for out_of_bounds).
std::string_view check_behind(Verdict verdict);

}  // namespace kgrade
