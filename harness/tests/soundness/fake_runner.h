// A runner of references for tests of soundness: oracles are functions on the host.
#pragma once

#include <functional>
#include <vector>

#include "device/input_blocks.h"
#include "draw/seed.h"
#include "soundness/case_soundness.h"

namespace kgrade::test {

using Function = std::function<std::vector<Values>(const std::vector<Values>& inputs, const Case& bound)>;

// The inputs that the referee would draw, without small changes except to one element.
class FakeRunner : public ReferenceRunner {
 public:
  FakeRunner(const Problem& problem, Function function) : problem_(problem), function_(std::move(function)) {}

  std::optional<Error> set_case(const Case& bound) override {
    case_ = bound;
    return std::nullopt;
  }
  Result<std::vector<Values>> oracle(const Draw& draw, const std::vector<InputEdit>& edits) override {
    const auto order = case_.integers.find("order");
    const bool refused = order != case_.integers.end() && order->second == refused_order;
    if (++calls_ == failing_call || refused) return Error{"the oracle fails: signal 11", "", {}};
    inputs_.clear();
    for (const Tensor& tensor : case_.tensors)
      inputs_.push_back(tensor.output ? Values() : drawn(tensor, draw));
    for (const InputEdit& edit : edits) apply(edit, inputs_[edit.tensor]);
    return function_(inputs_, case_);
  }
  Result<std::vector<Values>> reference(const Draw& draw, const std::vector<InputEdit>& edits) override {
    auto outputs = oracle(draw, edits);
    if (!outputs) return outputs;
    for (Values& output : *outputs) {
      for (float& value : output) value *= 1 + reference_error;
    }
    return outputs;
  }
  std::vector<Values> inputs() override { return inputs_; }

  int failing_call = -1;
  std::int64_t refused_order = -1;  // a value of 'order'
  float reference_error = 1e-7F;

 private:
  Values drawn(const Tensor& tensor, const Draw& draw) const {
    const RandomStream stream =
        input_stream(draw.seed, problem_.slug, case_.name, tensor.parameter, draw.index);
    const InputContents contents{to_distribution(tensor.init, Dtype::float32), stream, {}};
    Values values;
    for (std::uint64_t i = 0; values.size() < static_cast<std::size_t>(tensor.elements); ++i)
      values.push_back(device::float_element(contents, i));
    if (draw.change > 0) values[draw.change % values.size()] += 0.5F;
    return values;
  }

  const Problem& problem_;
  Function function_;
  Case case_;
  std::vector<Values> inputs_;
  int calls_ = 0;
};

}  // namespace kgrade::test
