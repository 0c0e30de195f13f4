// The outputs of one call of the oracle or the reference, and comparisons of two such calls. Outputs are on
// the host, or on the device if the case is large (soundness/reference_runner.h).
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/result.h"
#include "soundness/host_values.h"

namespace kgrade {

// Valid until the next call, or without limit after keep().
class CallOutputs {
 public:
  virtual ~CallOutputs() = default;

  // An Error if the device has no room.
  virtual std::optional<Error> keep() { return std::nullopt; }
  // All elements of each output, or a sample of them (soundness/sample.h).
  virtual const std::vector<Values>& values() = 0;
  // The errors of all elements of an output. These are the actual outputs; `expected` are the oracle's
  // outputs for the same case.
  virtual ElementErrors errors(std::size_t output, CallOutputs& expected) = 0;
  // Whether all elements are equal. `other` must be of the same case.
  virtual bool equals(CallOutputs& other) = 0;
};

class HostOutputs : public CallOutputs {
 public:
  // `inputs` are the call's inputs. They are needed for outputs with ties, whose indices point into them, and
  // for codes, which represent them. Keeps a copy of the case.
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

// The largest error of any output. For a 16-bit type, the part that one rounding does not explain.
double error_of(CallOutputs& actual, CallOutputs& expected);
// The largest error of the outputs that are compared by the norm, in units of the usual norm where it is
// known and larger. Other outputs say nothing about arithmetic.
double rounding_error_of(CallOutputs& actual, CallOutputs& expected, const Case& bound,
                         const ExpectedScales& scales = {});

}  // namespace kgrade
