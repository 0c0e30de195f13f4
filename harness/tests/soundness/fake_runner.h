// A runner of references for tests of soundness: oracles are functions on the host.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "device/input_blocks.h"
#include "draw/seed.h"
#include "soundness/case_soundness.h"
#include "tests/support/fake_contest.h"

namespace kgrade::test {

using Function = std::function<std::vector<Values>(const std::vector<Values>& inputs, const Case& bound)>;

// A contest whose oracle is a function on the host. Inputs are those that the referee would draw, without
// small changes except to one element.
class HostContest : public FakeContest {
 public:
  // Without a function of its own, the reference is the oracle, off by `reference_error`.
  HostContest(const Problem& problem, Function function, Function reference = {})
      : problem_(problem), function_(std::move(function)), reference_(std::move(reference)) {
    info.measures_speed = false;
  }

  Result<Answer> lend(Role, const Case& bound, std::uint32_t) override {
    case_ = bound;
    return Answer{};
  }
  CallReport call_as(Role role, CallKind, const Draw& draw, Patience,
                     std::span<const InputEdit> edits = {}) override {
    const auto found = case_.integers.find("order");
    const bool refused = found != case_.integers.end() && found->second == refused_order;
    CallReport report = clean(1);
    if (++calls_ == failing_call || refused) {
      report.fault = Fault::ended;
      report.detail = "signal 11";
      return report;
    }
    inputs_.clear();
    for (const Tensor& tensor : case_.tensors)
      inputs_.push_back(tensor.output ? Values() : drawn(tensor, draw));
    for (const InputEdit& edit : edits) apply(edit, inputs_[edit.tensor]);
    oracle_calls += role == Role::oracle ? 1 : 0;
    const bool has_own = role == Role::reference && reference_ != nullptr;
    outputs_ = has_own ? reference_(inputs_, case_) : function_(inputs_, case_);
    if (role == Role::reference && !has_own) {
      for (Values& output : outputs_) {
        for (float& value : output) value *= 1 + reference_error;
      }
    }
    return report;
  }
  std::vector<Values> outputs_of(Role) override { return outputs_; }
  std::vector<Values> inputs_of(Role) override { return inputs_; }
  std::string unwritten_by(Role) override { return ""; }

  int failing_call = -1;
  std::int64_t refused_order = -1;  // a value of 'order'
  float reference_error = 1e-7F;
  int oracle_calls = 0;

 private:
  Values drawn(const Tensor& tensor, const Draw& draw) const {
    const RandomStream stream =
        input_stream(draw.seed, problem_.slug, case_.name, tensor.parameter, draw.index);
    const InputContents contents{to_distribution(tensor.init, Dtype::float32), stream, {}};
    Values elements;
    for (std::uint64_t i = 0; elements.size() < static_cast<std::size_t>(tensor.elements); ++i)
      elements.push_back(device::float_element(contents, i));
    if (draw.change > 0) elements[draw.change % elements.size()] += 0.5F;
    return elements;
  }

  const Problem& problem_;
  Function function_;
  Function reference_;
  Case case_;
  std::vector<Values> inputs_;
  std::vector<Values> outputs_;
  int calls_ = 0;
};

class FakeRunner : private HostContest, public ReferenceRunner {
 public:
  FakeRunner(const Problem& problem, Function function, Function reference = {})
      : HostContest(problem, std::move(function), std::move(reference)),
        ReferenceRunner(static_cast<Contest&>(*this), usual_whole_elements) {}
  using HostContest::failing_call;
  using HostContest::oracle_calls;
  using HostContest::reference_error;
  using HostContest::refused_order;
};

}  // namespace kgrade::test
