#include "contest/lease.h"

#include <cstring>

#include "data/seed.h"

namespace kgrade {
namespace {

// The 64-bit slot of a scalar: see build/binding.h.
std::uint64_t scalar_slot(const Parameter& parameter, const Case& bound) {
  std::uint64_t slot = 0;
  if (const auto integer = bound.integers.find(parameter.name); integer != bound.integers.end()) {
    return static_cast<std::uint64_t>(integer->second);
  }
  const auto found = bound.reals.find(parameter.name);
  const double real = found != bound.reals.end() ? found->second : 0;
  if (parameter.type == "double") {
    std::memcpy(&slot, &real, sizeof real);
  } else {
    const auto single = static_cast<float>(real);
    std::memcpy(&slot, &single, sizeof single);
  }
  return slot;
}

}  // namespace

Result<std::unique_ptr<Lease>> Lease::make(Device& device, const Problem& problem, const Case& bound,
                                           std::uint64_t element_bytes) {
  std::unique_ptr<Lease> lease(new Lease(device, problem, bound));
  for (const Tensor& tensor : bound.tensors) {
    const std::uint64_t bytes = static_cast<std::uint64_t>(tensor.elements) * element_bytes;
    auto buffer = device.allocate(bytes + 2 * guard_bytes);
    if (!buffer) return buffer.errors();
    lease->loans_.push_back({std::move(*buffer), guard_bytes, bytes, {}, {}});
  }
  return lease;
}

std::uint64_t Lease::bytes_needed(const Case& bound, std::uint64_t element_bytes) {
  std::uint64_t bytes = 0;
  for (const Tensor& tensor : bound.tensors) {
    bytes += static_cast<std::uint64_t>(tensor.elements) * element_bytes + 2 * guard_bytes;
  }
  return bytes;
}

Answer Lease::lend_to(WorkerProcess& worker, bool inputs_writable, WorkerProcess::Patience patience) {
  Answer answer = worker.give_back(patience);
  for (std::size_t i = 0; i < loans_.size() && answer.ok(); ++i) {
    const Tensor& tensor = case_.tensors[i];
    const LoanTerms terms{static_cast<std::uint32_t>(tensor.parameter), tensor.output || inputs_writable,
                          !tensor.output, loans_[i].begin, loans_[i].bytes};
    answer = worker.lend(*loans_[i].buffer, terms, patience);
  }
  return answer;
}

void Lease::refresh(const Draw& draw, std::uint64_t poison_key, std::uint32_t call) {
  for (std::size_t i = 0; i < loans_.size(); ++i) {
    Loan& loan = loans_[i];
    const Tensor& tensor = case_.tensors[i];
    loan.poison = {poison_key, static_cast<std::uint32_t>(tensor.parameter), call};
    device_.fill_random_bytes(*loan.buffer, 0, loan.buffer->bytes(), loan.poison);
    if (tensor.output) continue;
    loan.input = input_stream(draw.seed, problem_.slug, case_.name, tensor.parameter, draw.index);
    device_.fill_input(*loan.buffer, loan.begin, static_cast<std::uint64_t>(tensor.elements),
                       to_distribution(tensor.init), loan.input);
  }
}

Lease::Damage Lease::inspect() const {
  Damage damage;
  for (std::size_t i = 0; i < loans_.size(); ++i) {
    const Loan& loan = loans_[i];
    const Tensor& tensor = case_.tensors[i];
    const std::uint64_t end = loan.begin + loan.bytes;
    const std::uint64_t changed =
        device_.count_changed_bytes(*loan.buffer, 0, loan.begin, loan.poison) +
        device_.count_changed_bytes(*loan.buffer, end, loan.buffer->bytes(), loan.poison);
    if (changed > 0 && damage.guard_bytes == 0) damage.guard_tensor = tensor.name;
    damage.guard_bytes += changed;
    if (tensor.output) continue;
    const std::uint64_t elements =
        device_.count_changed_elements(*loan.buffer, loan.begin, static_cast<std::uint64_t>(tensor.elements),
                                       to_distribution(tensor.init), loan.input);
    if (elements > 0 && damage.input_elements == 0) damage.input_tensor = tensor.name;
    damage.input_elements += elements;
  }
  return damage;
}

CallSlots Lease::slots() const {
  CallSlots call;
  std::size_t next_tensor = 0;
  for (const Parameter& parameter : problem_.parameters) {
    if (parameter.is_tensor()) {
      call.slots.push_back({true, loans_[next_tensor++].begin});
    } else {
      call.slots.push_back({false, scalar_slot(parameter, case_)});
    }
  }
  return call;
}

std::vector<Lease::Loaned> Lease::tensors() const {
  std::vector<Loaned> all;
  for (std::size_t i = 0; i < loans_.size(); ++i) {
    all.push_back({&case_.tensors[i], loans_[i].buffer.get(), loans_[i].begin});
  }
  return all;
}

std::vector<Lease::Loaned> Lease::outputs() const {
  std::vector<Loaned> outputs = tensors();
  std::erase_if(outputs, [](const Loaned& output) { return !output.tensor->output; });
  return outputs;
}

std::uint64_t Lease::unwritten_elements(const Loaned& output) const {
  for (std::size_t i = 0; i < loans_.size(); ++i) {
    const Loan& loan = loans_[i];
    if (loan.buffer.get() != output.buffer) continue;
    return device_.count_unwritten_words(*loan.buffer, loan.begin, loan.begin + loan.bytes, loan.poison);
  }
  return 0;
}

}  // namespace kgrade
