// The checks that every candidate goes through, by name, in the order in which they can fail.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "record/record.h"

namespace kgrade {

inline constexpr std::array<std::string_view, 19> check_names = {
    "compile",              // the source compiles
    "signature",            // `solution` has the problem's parameters
    "libraries",            // what it links and opens is allowed
    "load",                 // the library loads, and its static constructors return
    "completion",           // every call ends, in time, in a living process
    "protocol",             // its worker says nothing that a worker does not say
    "device_errors",        // no CUDA error is left behind
    "memory",               // no allocation fails
    "guard_zones",          // nothing is written around a buffer
    "inputs_unchanged",     // inputs hold what was drawn
    "clock",                // times are finite and positive, and the referee's clock bears most of them out
    "idle",                 // when a call is over, no work and no thread of it is left
    "outputs_match",        // every element of every output agrees with the oracle's
    "precision",            // and with the arithmetic that is asked for
    "fresh_contents",       // also where only a few elements differ from the call before
    "hidden_shapes",        // and on shapes unknown before
    "lower_bound",          // no time is shorter than memory and arithmetic allow
    "steady_clocks",        // nothing slows the device down while it is measured
    "reference_agreement",  // the reference is as fast beside the candidate as alone
};

// Those from here on are looked at where they apply, the others always.
inline constexpr std::string_view first_occasional_check = "hidden_shapes";

class CheckList {
 public:
  CheckList();
  // Passes all checks that come before this one and have not failed.
  void pass_before(std::string_view name);
  // All that are always looked at.
  void pass_all();
  // One that has been looked at, unless it has failed.
  void pass(std::string_view name);
  // The first failure of a check is the one that is kept.
  void fail(std::string_view name, const std::string& detail);
  bool has_failed(std::string_view name) const;
  std::vector<Check> checks() const { return checks_; }

 private:
  std::vector<Check> checks_;
};

// The check that stands for a verdict ("guard_zones" for out_of_bounds).
std::string_view check_behind(Verdict verdict);

}  // namespace kgrade
