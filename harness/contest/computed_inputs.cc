#include "contest/computed_inputs.h"

#include <algorithm>
#include <functional>
#include <stdexcept>

#include "contest/call_contents.h"
#include "contest/contestant_runner.h"

namespace kgrade {
namespace {

std::uint64_t bytes_of(const Tensor& input) {
  return static_cast<std::uint64_t>(input.elements) * element_bytes(ComputedInputs::source_dtype(input));
}

}  // namespace

std::shared_ptr<ComputedInputs> ComputedInputs::make(Device& device, const Problem& problem,
                                                     ContestantRunner& file) {
  const auto computes = [](const CaseSpec& spec) {
    return spec.module && std::ranges::any_of(spec.module->tensors, [](const auto& tensor) {
             return tensor.second.init && tensor.second.init->kind == Init::Kind::computed;
           });
  };
  if (std::ranges::none_of(problem.parameters, std::mem_fn(&Parameter::is_computed)) &&
      std::ranges::none_of(problem.cases, computes))
    return nullptr;
  // Two objects would not know which buffers the other has lent to the worker.
  if (file.computed_inputs() != nullptr) return file.computed_inputs();
  return std::make_shared<ComputedInputs>(device, problem, file);
}

std::uint64_t ComputedInputs::bytes_needed(const Case& bound) {
  std::uint64_t bytes = 0;
  for (const Tensor& tensor : bound.tensors) {
    if (tensor.is_computed()) bytes += bytes_of(tensor);
  }
  return bytes;
}

// Whether the present buffers fit the case. They may be larger: devices round up.
bool ComputedInputs::is_for(const Case& bound) const {
  if (launches_.empty()) return false;
  const std::vector<Source>& sources = launches_.front().sources;
  std::size_t next = 0;
  for (const Tensor& tensor : bound.tensors) {
    if (!tensor.is_computed()) continue;
    if (next == sources.size() || sources[next].parameter != tensor.parameter ||
        sources[next].buffer->bytes() < bytes_of(tensor))
      return false;
    next += 1;
  }
  return next == sources.size();
}

std::optional<Errors> ComputedInputs::make_room(const Case& bound, std::uint32_t launches) {
  if (!is_for(bound)) launches_.clear();
  while (launches_.size() < launches) {
    auto launch = make_launch(bound);
    if (!launch) return launch.errors();
    launches_.push_back(std::move(*launch));
    lent_.reset();
  }
  return std::nullopt;
}

Result<ComputedInputs::Launch> ComputedInputs::make_launch(const Case& bound) {
  Launch launch;
  for (const Tensor& tensor : bound.tensors) {
    if (!tensor.is_computed()) continue;
    auto buffer = device_.allocate(bytes_of(tensor));
    if (!buffer) return buffer.errors();
    launch.sources.push_back({tensor.parameter, std::move(*buffer)});
  }
  return launch;
}

Answer ComputedInputs::hold(const Case& bound, const std::vector<ComputedSeeds>& seeds) {
  if (seeds.size() > launches_.size()) throw std::logic_error("computed inputs without room");
  CallSlots scalars = slots_of_scalars(problem_, bound, Dtype::float32);
  // In other cases, other inputs may be computed.
  for (const Tensor& tensor : bound.tensors)
    if (tensor.is_computed()) scalars.slots.at(tensor.parameter).tensor = true;
  bool has_all = true;
  for (std::size_t i = 0; i < seeds.size(); ++i) has_all = has_all && launches_[i].holds(seeds[i], scalars);
  if (has_all) return {};
  WorkerProcess& worker = file_.worker();
  worker.thaw();
  // The worker compares the file's inputs with the shapes of the case, even if it has no call in this case.
  Answer answer = worker.describe_case(case_description(problem_, bound, true), trusted_patience);
  if (answer.ok() && !is_lent()) answer = lend(worker);
  if (answer.ok()) answer = draw(worker, scalars, seeds);
  worker.freeze();
  if (answer.ok()) return answer;
  const bool is_silent = answer.fault == Fault::cannot_load && !problem_.has_model();
  answer.detail = (problem_.has_model() ? "get_inputs(): " : "the reference's inputs(): ") +
                  (is_silent ? "it fails on the device" : answer.detail);
  return answer;
}

bool ComputedInputs::is_lent() const { return lent_ && *lent_ == file_.worker().times_given_back(); }

Answer ComputedInputs::lend(WorkerProcess& worker) {
  Answer answer;
  for (std::size_t i = 0; i < launches_.size(); ++i) {
    for (const Source& source : launches_[i].sources) {
      if (!answer.ok()) return answer;
      answer = worker.lend_for_input(*source.buffer, static_cast<std::uint32_t>(source.parameter),
                                     static_cast<std::uint32_t>(i), lending_patience);
    }
  }
  if (answer.ok()) lent_ = worker.times_given_back();
  return answer;
}

Answer ComputedInputs::draw(WorkerProcess& worker, const CallSlots& scalars,
                            const std::vector<ComputedSeeds>& seeds) {
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    if (launches_[i].holds(seeds[i], scalars)) continue;
    launches_[i].seeds.reset();
    const auto launch = static_cast<std::uint32_t>(i);
    Answer answer = worker.draw_inputs(seeds[i].seed, launch, scalars, trusted_patience);
    if (answer.ok() && seeds[i].perturbation)
      answer = worker.perturb_inputs(*seeds[i].perturbation, launch, scalars, trusted_patience);
    if (!answer.ok()) return answer;
    launches_[i].seeds = seeds[i];
    launches_[i].scalars = scalars;
  }
  return {};
}

SharedBuffer& ComputedInputs::source(std::uint32_t launch, const Tensor& input) const {
  for (const Source& source : launches_.at(launch).sources) {
    if (source.parameter == input.parameter) return *source.buffer;
  }
  throw std::logic_error("an input that is not computed has no source");
}

}  // namespace kgrade
