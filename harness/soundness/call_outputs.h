// The outputs of one call of the oracle or the reference, and how they differ from those of another: on the
// host, or on the device where a case is large (soundness/reference_runner.h).
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/result.h"
#include "soundness/host_values.h"

namespace kgrade {

// Valid until the next call, or for ever once it is kept.
class CallOutputs {
 public:
  virtual ~CallOutputs() = default;

  // An Error when the device has no room.
  virtual std::optional<Error> keep() { return std::nullopt; }
  // Of each output all elements, or a sample (soundness/sample.h).
  virtual const std::vector<Values>& values() = 0;
  // Of all elements, these being the actual ones; `expected` are outputs of the oracle, of the same case.
  virtual ElementErrors errors(std::size_t output, CallOutputs& expected) = 0;
  // Whether every element is the same. Of the same case.
  virtual bool equals(CallOutputs& other) = 0;
};

class HostOutputs : public CallOutputs {
 public:
  // `inputs`: those of the call, where indices of an output with ties point into them, or codes stand for
  // them. Keeps a copy of the case.
  HostOutputs(const Case& bound, std::vector<Values> values, std::vector<Values> inputs)
      : case_(bound), values_(std::move(values)), inputs_(std::move(inputs)) {}

  const std::vector<Values>& values() override { return values_; }
  ElementErrors errors(std::size_t output, CallOutputs& expected) override;
  bool equals(CallOutputs& other) override { return values_ == other.values(); }

 private:
  Case case_;
  std::vector<Values> values_;
  std::vector<Values> inputs_;
};

bool accepts_all(const Acceptance& acceptance, CallOutputs& actual, CallOutputs& expected);
bool accepts_any(const Acceptance& acceptance, CallOutputs& actual, CallOutputs& expected);

// The largest error of any output; of a 16-bit type the part that one rounding does not explain.
double error_of(CallOutputs& actual, CallOutputs& expected);
// Of those that are compared by the norm: the others tell nothing of arithmetic.
double rounding_error_of(CallOutputs& actual, CallOutputs& expected, const Case& bound);

}  // namespace kgrade
