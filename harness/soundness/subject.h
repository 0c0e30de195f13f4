// What the soundness of a problem is found out from, apart from how it is done: tests put a fake in its
// place.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "contest/lease.h"
#include "problem/case.h"
#include "soundness/values.h"

namespace kgrade {

// Elements of an input that differ from what a draw gives: `values` from element `first` on.
struct InputEdit {
  std::size_t tensor = 0;  // index into Case::tensors
  std::uint64_t first = 0;
  Values values;
};

class Subject {
 public:
  virtual ~Subject() = default;

  // The case of the calls to come. An Error when the device has no room.
  virtual std::optional<Error> sit(const Case& bound) = 0;

  // One call of the oracle on a draw's inputs, with some elements changed: all outputs, in order. Everything
  // around the tensors holds other values in every call. An Error when the call fails.
  virtual Result<std::vector<Values>> oracle(const Draw& draw, const std::vector<InputEdit>& edits) = 0;
  // The same of the reference in single precision.
  virtual Result<std::vector<Values>> reference(const Draw& draw, const std::vector<InputEdit>& edits) = 0;
  // "3 of 217 elements of 'y'", which the oracle's last call has not written; empty: it has written all.
  virtual std::string unwritten() { return ""; }
  // What the inputs of the oracle's last call held, as drawn and changed; in the order of Case::tensors,
  // empty for outputs.
  virtual std::vector<Values> inputs() = 0;
};

}  // namespace kgrade
