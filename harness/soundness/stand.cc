#include "soundness/stand.h"

#include <fmt/format.h>

#include "draw/seed.h"
#include "grade/session.h"
#include "soundness/elements.h"
#include "verify/call_review.h"

namespace kgrade {

Stand::Stand(Device& device, const Problem& problem, ContestantRunner& oracle, ContestantRunner& reference)
    : device_(device),
      problem_(problem),
      oracle_(oracle),
      reference_(reference),
      poison_key_(random_seed()) {}

void Stand::rise() {
  oracle_.take_back();
  reference_.take_back();
}

std::optional<Error> Stand::sit(const Case& bound) {
  rise();
  case_ = std::make_unique<const Case>(bound);
  for (ContestantRunner* const runner : {&oracle_, &reference_}) {
    // They move from call to call, so that nothing depends on where a tensor lies.
    LeaseTerms terms{true, false, 1};
    terms.widens = runner == &oracle_;
    const auto lent = runner->lend(*case_, false, terms, lending_patience);
    if (!lent) return lent.error();
    if (!lent->ok()) return Error{"a worker cannot use the case's memory: " + lent->detail, "", {}};
  }
  return std::nullopt;
}

Result<std::vector<Values>> Stand::oracle(const Draw& draw, const std::vector<InputEdit>& edits) {
  return call(oracle_, "oracle", draw, edits);
}

Result<std::vector<Values>> Stand::reference(const Draw& draw, const std::vector<InputEdit>& edits) {
  return call(reference_, "reference", draw, edits);
}

std::string Stand::unwritten() {
  const auto outputs = oracle_.lease().outputs();
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::uint64_t count = oracle_.lease().unwritten_elements(i);
    if (count > 0)
      return fmt::format("{} of {} elements of '{}'", count, outputs[i].tensor->elements,
                         outputs[i].tensor->name);
  }
  return "";
}

std::vector<Values> Stand::inputs() {
  std::vector<Values> inputs;
  for (const Lease::Loaned& tensor : oracle_.lease().tensors())
    inputs.push_back(tensor.tensor->output ? Values()
                                           : read_values(device_, tensor, oracle_.lease().dtype()));
  return inputs;
}

Result<std::vector<Values>> Stand::call(ContestantRunner& runner, const char* name, const Draw& draw,
                                        const std::vector<InputEdit>& edits) {
  ContestantRunner::Edit write;
  if (!edits.empty()) {
    write = [&](const Lease& lease) {
      const auto tensors = lease.tensors();
      for (const InputEdit& edit : edits)
        write_values(device_, tensors.at(edit.tensor), lease.dtype(), edit.first, edit.values);
    };
  }
  CallReport report = runner.checked_call(draw, poison_key_, ++calls_, trusted_patience, nullptr, {}, write);
  // It was us who changed them; the worker has them read-only.
  if (!edits.empty()) report.corruption.input_elements = 0;
  if (const auto finding = review_call(report)) {
    return Error{fmt::format("the {} fails: {}", name, finding->message),
                 "mend the reference source, from which it is built; `kgrade check` on it may say more",
                 {}};
  }
  std::vector<Values> outputs;
  for (const Lease::Loaned& output : runner.lease().outputs())
    outputs.push_back(read_values(device_, output, runner.lease().dtype()));
  return outputs;
}

}  // namespace kgrade
