#include "contest/lease.h"

#include <algorithm>
#include <span>
#include <stdexcept>
#include <utility>

#include "base/defences.h"
#include "contest/call_contents.h"
#include "contest/computed_inputs.h"
#include "contest/returned_memory.h"
#include "contest/tensor_values.h"
#include "device/poison.h"

namespace kgrade {
namespace {

// The largest buffers that small cases may reuse. Poisoning and inspecting a buffer takes time by its size.
constexpr std::uint64_t small_buffer_bytes = std::uint64_t{8} << 20;

// Streams of the poison key. The streams of the tensors' poison have the numbers of the parameters.
constexpr std::uint32_t places_stream = 0x80000000;
constexpr std::uint32_t captures_stream = 0x40000000;

}  // namespace

Result<std::unique_ptr<Lease>> Lease::make(Device& device, const Problem& problem, const Case& bound,
                                           LeaseTerms terms) {
  terms.moves = terms.moves && is_on(Defence::moving_buffers);
  terms.captures = terms.captures && is_on(Defence::capture_at_stop);
  std::unique_ptr<Lease> lease(new Lease(device, problem, bound, terms));
  for (std::uint32_t launch = 0; launch < terms.launches; ++launch) {
    for (const Tensor& tensor : bound.tensors) {
      if (auto errors = lease->add_buffers(tensor)) return *errors;
    }
  }
  lease->fill_captures();
  return lease;
}

void Lease::fill_captures() {
  for (std::size_t i = 0; i < captures_.size(); ++i) {
    if (captures_[i] == nullptr) continue;
    const auto elements = static_cast<std::uint64_t>(tensor_of(i).elements);
    fillings_.push_back({captures_[i].get(), 0, elements, false, {}, {}, dtype_of(tensor_of(i))});
  }
}

std::optional<Errors> Lease::add_buffers(const Tensor& tensor) {
  const auto elements = static_cast<std::uint64_t>(tensor.elements);
  auto buffer = device_.allocate(bytes_of(tensor) + around_tensor());
  if (!buffer) return buffer.errors();
  fillings_.push_back({buffer->get(), guard_bytes, elements, !tensor.output, {}, {}, dtype_of(tensor)});
  buffers_.push_back(std::move(*buffer));
  captures_.emplace_back();
  if (!terms_.captures || !tensor.output) return std::nullopt;
  auto capture = device_.allocate(bytes_of(tensor));
  if (!capture) return capture.errors();
  captures_.back() = std::move(*capture);
  return std::nullopt;
}

std::uint64_t Lease::bytes_of(const Tensor& tensor) const {
  return static_cast<std::uint64_t>(tensor.elements) * element_bytes(dtype_of(tensor));
}

std::uint64_t Lease::around_tensor() const {
  return 2 * guard_bytes + (terms_.moves ? device_.room_to_move() : 0);
}

bool Lease::is_small() const {
  return std::all_of(buffers_.begin(), buffers_.end(),
                     [](const auto& buffer) { return buffer->bytes() <= small_buffer_bytes; });
}

// The previous case may be destroyed, so this function looks only at the contents with which the buffers were
// filled.
bool Lease::has_room_for(const Case& bound, const LeaseTerms& terms) const {
  if (!(terms == terms_) || !is_small() || bound.tensors.size() * terms.launches != buffers_.size())
    return false;
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    const Tensor& tensor = bound.tensors[i % bound.tensors.size()];
    const Dtype stored_as = bound.stored_as(tensor, terms.widens);
    const std::uint64_t bytes = static_cast<std::uint64_t>(tensor.elements) * element_bytes(stored_as);
    if (fillings_[i].dtype != stored_as || fillings_[i].input == tensor.output ||
        buffers_[i]->bytes() < bytes + around_tensor() ||
        (captures_[i] != nullptr && captures_[i]->bytes() < bytes))
      return false;
  }
  return true;
}

void Lease::rebind(const Case& bound) {
  case_ = &bound;
  first_call_ = 0;
  launches_ = 1;
  draw_.reset();
  is_poisoned_ = false;
  fillings_.clear();
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    const auto elements = static_cast<std::uint64_t>(tensor_of(i).elements);
    fillings_.push_back(
        {buffers_[i].get(), guard_bytes, elements, !tensor_of(i).output, {}, {}, dtype_of(tensor_of(i))});
  }
  fill_captures();
}

Answer Lease::tell_lengths(WorkerProcess& worker) const {
  return tell_each([this](const Tensor& tensor) { return bytes_of(tensor); }, worker);
}

Answer Lease::capture_little(WorkerProcess& worker) const {
  return tell_each([this](const Tensor& tensor) { return element_bytes(dtype_of(tensor)); }, worker);
}

Answer Lease::tell_each(const Length& length, WorkerProcess& worker) const {
  using Milliseconds = WorkerProcess::Patience;
  constexpr Milliseconds for_all{5'000};
  const auto deadline = std::chrono::steady_clock::now() + for_all;
  Answer answer;
  for (std::size_t i = 0; i < captures_.size() && answer.ok(); ++i) {
    if (captures_[i] == nullptr) continue;
    const Tensor& tensor = tensor_of(i);
    const auto parameter = static_cast<std::uint32_t>(tensor.parameter);
    const auto left = std::chrono::ceil<Milliseconds>(deadline - std::chrono::steady_clock::now());
    answer =
        worker.set_capture_length(parameter, launch_of(i), length(tensor), std::max(left, Milliseconds(0)));
  }
  return answer;
}

std::uint64_t Lease::bytes_needed(const Case& bound, bool widened) {
  std::uint64_t bytes = 0;
  for (const Tensor& tensor : bound.tensors) {
    const Dtype dtype = bound.stored_as(tensor, widened);
    bytes += static_cast<std::uint64_t>(tensor.elements) * element_bytes(dtype) + 2 * guard_bytes;
  }
  return bytes;
}

Answer Lease::lend_to(WorkerProcess& worker, bool inputs_writable, WorkerProcess::Patience patience) {
  const bool writable = inputs_writable || !is_on(Defence::read_only_inputs);
  Answer answer = worker.give_back(patience);
  for (std::size_t i = 0; i < buffers_.size() && answer.ok(); ++i) {
    const Tensor& tensor = tensor_of(i);
    const Filling& filling = fillings_[i];
    Loan loan{.begin = filling.begin,
              .length = filling.end() - filling.begin,
              .parameter = static_cast<std::uint32_t>(tensor.parameter),
              .launch = launch_of(i)};
    loan.writable = tensor.output || writable;
    loan.holds_data = !tensor.output || tensor.begins_as || tensor.begins_as_drawn;
    answer = worker.lend(*buffers_[i], loan, patience);
    if (!answer.ok() || captures_[i] == nullptr) continue;
    loan.begin = loan.holds_data = 0;
    loan.captures = 1;
    loan.may_be_input = problem_.torch && problem_.torch->may_return_input(tensor.name);
    loan.is_overwritten = terms_.overwrites_returned;
    answer = worker.lend(*captures_[i], loan, patience);
  }
  return answer;
}

// The number of a buffer's stream of the poison key.
std::uint32_t Lease::stream_of(std::size_t buffer) const {
  const auto parameter = static_cast<std::uint32_t>(tensor_of(buffer).parameter);
  return launch_of(buffer) * static_cast<std::uint32_t>(max_parameters) + parameter;
}

// A random place within the buffer's room to move.
std::uint64_t Lease::place_of(std::size_t buffer, std::uint64_t poison_key, std::uint32_t call) const {
  if (!terms_.moves) return guard_bytes;
  const PhiloxBlock random = random_block({poison_key, places_stream | stream_of(buffer), call}, 0);
  return guard_bytes + random.word[0] % (device_.room_to_move() / address_step) * address_step;
}

InputContents Lease::contents_of(std::size_t buffer, const Draw& draw) const {
  return CallContents(problem_, *case_).of_tensor(buffer % case_->tensors.size(), launch_of(buffer), draw);
}

std::vector<ComputedSeeds> Lease::seeds_of_computed(const Draw& draw) const {
  return CallContents(problem_, *case_).seeds_of_computed(draw, terms_.launches);
}

void Lease::fill_input(std::size_t buffer, const Draw& draw, const ComputedInputs* computed,
                       const Lease* drawn) {
  Filling& filling = fillings_[buffer];
  filling.contents = contents_of(buffer, draw);
  filling.source = nullptr;
  const Tensor& input = tensor_of(buffer);
  if (input.is_computed()) {
    if (computed == nullptr) throw std::logic_error("nobody computes the inputs");
    filling.source = &computed->source(launch_of(buffer), input);
    filling.source_begin = 0;
    filling.source_dtype = ComputedInputs::source_dtype(input);
  } else if (drawn != nullptr) {
    const Filling& original = drawn->fillings_[buffer];
    filling.source = original.buffer;
    filling.source_begin = original.begin;
    filling.source_dtype = original.dtype;
  }
}

void Lease::prepare(const Draw& draw, std::uint64_t poison_key, std::uint32_t call,
                    const ComputedInputs* computed, const Lease* drawn) {
  // Inputs are copied only from a lease that has those of this draw, buffer by buffer.
  if (drawn != nullptr &&
      (drawn->draw_ != draw || drawn->case_ != case_ || drawn->buffers_.size() != buffers_.size()))
    drawn = nullptr;
  draw_ = draw;
  launches_ = std::clamp<std::uint32_t>(draw.launches, 1, terms_.launches);
  forward_seeds_.clear();
  for (std::uint32_t launch = 0; problem_.has_model() && launch < launches_; ++launch)
    forward_seeds_.push_back(CallContents(problem_, *case_).seed_of_forward(draw, launch));
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    if (fillings_[i].input) fill_input(i, draw, computed, drawn);
  }
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    if (tensor_of(i).begins_as) {
      // Draws or copies the input's contents once more, which is as fast as copying the input.
      const Filling& source = fillings_[launch_of(i) * case_->tensors.size() + *tensor_of(i).begins_as];
      fillings_[i].filled = true;
      fillings_[i].contents = source.contents;
      fillings_[i].source = source.source;
      fillings_[i].source_begin = source.source_begin;
      fillings_[i].source_dtype = source.source_dtype;
    }
    if (tensor_of(i).begins_as_drawn) {
      fillings_[i].filled = true;
      fillings_[i].contents = contents_of(i, draw);
    }
  }
  if (!is_on(Defence::fresh_poison) && call != first_call_ && first_call_ != 0) return;
  if (first_call_ == 0) first_call_ = call;
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    fillings_[i].begin = place_of(i, poison_key, call);
    fillings_[i].poison = {poison_key, stream_of(i), call};
    const Tensor& tensor = tensor_of(i);
    fillings_[i].cleared =
        tensor.output && !tensor.begins_as && !tensor.begins_as_drawn && device_.clears_outputs();
  }
  for (std::size_t i = buffers_.size(); i < fillings_.size(); ++i) {
    fillings_[i].poison = {poison_key, captures_stream | static_cast<std::uint32_t>(i), call};
  }
  is_poisoned_ = false;
}

void Lease::poison() {
  if (!std::exchange(is_poisoned_, true)) device_.poison(fillings_);
}

std::chrono::nanoseconds Lease::reveal(GateOpening opening) {
  poison();
  return device_.reveal(fillings_, opening);
}

Lease::Compared Lease::compared(std::size_t output) const {
  Compared compared{outputs().at(output), std::nullopt, std::nullopt};
  const Tensor& tensor = *compared.output.tensor;
  if (tensor.tied) compared.values = input_beside(output, tensor.tied->tensor);
  if (tensor.quantised) {
    compared.values = input_beside(output, tensor.quantised->values);
    // The scales are an output of the same launch.
    const auto is_output = [](const Tensor& each) { return each.output; };
    const auto begin = case_->tensors.begin();
    const auto in_launch = static_cast<std::size_t>(std::count_if(begin, case_->tensors.end(), is_output));
    const auto scales = static_cast<std::ptrdiff_t>(tensor.quantised->scales);
    const auto before = static_cast<std::size_t>(std::count_if(begin, begin + scales, is_output));
    compared.scales = outputs().at(output / in_launch * in_launch + before);
  }
  return compared;
}

OutputPair Lease::pair_with(const Lease& expected, std::size_t output) const {
  if (expected.dtype() != Dtype::float32) throw std::logic_error("expected outputs are float32");
  OutputPair pair = pair_of(*case_, compared(output), expected.compared(output));
  const std::vector<Magnitudes>& magnitudes = expected.magnitudes_;
  if (!magnitudes.empty()) pair.magnitudes = magnitudes[output % magnitudes.size()];
  return pair;
}

std::vector<std::vector<double>> Lease::sample_outputs() const {
  std::vector<std::vector<double>> samples(outputs().size() / launches_);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Compared found = compared(i);
    if (found.output.tensor->compare == Comparison::Kind::scales) continue;
    const Loaned& from = found.output.tensor->quantised ? *found.values : found.output;
    samples[i] = device_.sample(*from.buffer, from.begin, static_cast<std::uint64_t>(from.tensor->elements),
                                from.dtype);
  }
  return samples;
}

OutputPair pair_of(const Case& bound, const Lease::Compared& actual, const Lease::Compared& expected) {
  const Tensor& tensor = *actual.output.tensor;
  if (tensor.elements != expected.output.tensor->elements)
    throw std::logic_error("outputs of another case are no expected ones");
  OutputPair pair{actual.output.buffer,
                  actual.output.begin,
                  expected.output.buffer,
                  expected.output.begin,
                  static_cast<std::uint64_t>(tensor.elements),
                  actual.output.dtype};
  if (expected.values) {
    pair.values = expected.values->buffer;
    pair.values_begin = expected.values->begin;
  }
  if (tensor.tied) {
    pair.tied = layout_of_ties(bound, tensor);
    pair.tied.dtype = expected.values->dtype;
  }
  if (tensor.quantised) {
    pair.scales = actual.scales->buffer;
    pair.scales_begin = actual.scales->begin;
    pair.expected_scales = expected.scales->buffer;
    pair.expected_scales_begin = expected.scales->begin;
    pair.quantised = layout_of_codes(bound, tensor);
    pair.quantised.dtype = expected.values->dtype;
  }
  if (tensor.compare == Comparison::Kind::scales) pair.elements = 0;  // the codes' pair has the scales
  return pair;
}

// An input of the launch that the output belongs to.
Lease::Loaned Lease::input_beside(std::size_t output, std::size_t tensor) const {
  const std::size_t buffer =
      buffer_of_output(output) / case_->tensors.size() * case_->tensors.size() + tensor;
  return {&tensor_of(buffer), buffers_[buffer].get(), fillings_[buffer].begin, fillings_[buffer].dtype};
}

std::vector<OutputPair> Lease::pairs_with(const Lease& expected) const {
  std::vector<OutputPair> pairs;
  const std::size_t count = outputs().size();
  if (count != expected.outputs().size())
    throw std::logic_error("outputs of another call are no expected ones");
  for (std::size_t i = 0; i < count; ++i) {
    pairs.push_back(pair_with(expected, i));
    if (!is_on(Defence::whole_output_compared)) pairs.back().elements = (pairs.back().elements + 1) / 2;
  }
  return pairs;
}

void Lease::begin_inspection(const Lease* expected) {
  pairs_.clear();
  if (expected != nullptr) pairs_ = pairs_with(*expected);
  inspected_.assign(fillings_.begin(), fillings_.begin() + static_cast<std::ptrdiff_t>(buffers_.size()));
  for (Filling& filling : inspected_) filling.input = filling.input && !terms_.widens;
  device_.begin_inspection(inspected_, pairs_);
}

Lease::Findings Lease::end_inspection() {
  Inspection inspection = device_.end_inspection();
  Corruption corruption;
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    const BufferCorruption& found = inspection.corruption[i];
    const std::string& name = tensor_of(i).name;
    if (is_on(Defence::guard_zones)) {
      if (found.guard_bytes > 0 && corruption.guard_bytes == 0) corruption.guard_tensor = name;
      corruption.guard_bytes += found.guard_bytes;
    }
    if (is_on(Defence::unchanged_inputs)) {
      if (found.input_elements > 0 && corruption.input_elements == 0) corruption.input_tensor = name;
      corruption.input_elements += found.input_elements;
    }
  }
  return {std::move(corruption), inspection.since_reveal, std::move(inspection.errors)};
}

CallSlots Lease::slots(std::uint32_t launch) const {
  CallSlots call = slots_of_scalars(problem_, *case_, dtype());
  if (launch < forward_seeds_.size()) call.seed = forward_seeds_[launch];
  std::size_t next_tensor = launch * case_->tensors.size();
  const std::span<const Parameter> arguments = problem_.arguments();
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].is_tensor()) call.slots[i] = {true, fillings_[next_tensor++].begin};
  }
  return call;
}

std::vector<Lease::Loaned> Lease::tensors() const {
  std::vector<Loaned> all;
  for (std::size_t i = 0; i < case_->tensors.size(); ++i) {
    all.push_back({&case_->tensors[i], buffers_[i].get(), fillings_[i].begin, fillings_[i].dtype});
  }
  return all;
}

std::vector<Lease::Loaned> Lease::outputs() const {
  std::vector<Loaned> outputs;
  for (std::size_t i = 0; i < launches_ * case_->tensors.size(); ++i) {
    if (!tensor_of(i).output) continue;
    const bool captured = captures_[i] != nullptr && counts_captures_;
    outputs.push_back({&tensor_of(i), captured ? captures_[i].get() : buffers_[i].get(),
                       captured ? 0 : fillings_[i].begin, fillings_[i].dtype});
  }
  return outputs;
}

std::size_t Lease::buffer_of_output(std::size_t output) const {
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    if (tensor_of(i).output && output-- == 0) return i;
  }
  throw std::out_of_range("no such output");
}

std::uint64_t Lease::unwritten_elements(std::size_t output) const {
  const Filling& filling = fillings_[buffer_of_output(output)];
  return device::poison_tells_unwritten(filling.dtype) ? device_.count_unwritten(filling) : 0;
}

std::vector<double> Lease::output_values(std::size_t output) const {
  const Values values = read_values(device_, outputs().at(output));
  if (values.integers.empty()) return {values.begin(), values.end()};
  return {values.integers.begin(), values.integers.end()};
}

std::vector<bool> Lease::untouched(std::size_t output) const {
  const Filling& filling = fillings_[buffer_of_output(output)];
  if (!device::poison_tells_unwritten(filling.dtype)) return std::vector<bool>(filling.elements);
  std::vector<unsigned char> bytes(filling.end() - filling.begin);
  device_.read(*filling.buffer, filling.begin, bytes.data(), bytes.size());
  const device::Poison poison{filling.poison, filling.dtype};
  std::vector<bool> untouched;
  for (std::uint64_t i = 0; i < filling.elements; ++i)
    untouched.push_back(device::is_poison(bytes.data(), filling.begin, i, poison));
  return untouched;
}

std::vector<bool> Lease::still_overwritten(std::size_t output) const {
  const Loaned captured = outputs().at(output);
  const std::size_t step = element_bytes(captured.dtype);
  std::vector<unsigned char> bytes(static_cast<std::size_t>(captured.tensor->elements) * step);
  device_.read(*captured.buffer, captured.begin, bytes.data(), bytes.size());
  std::vector<bool> overwritten;
  for (std::size_t at = 0; at < bytes.size(); at += step)
    overwritten.push_back(is_overwritten(bytes.data() + at, step));
  return overwritten;
}

std::vector<std::vector<float>> Lease::fill_outputs() {
  constexpr std::uint32_t steps = 64;  // bfloat16 has 128 values from 1 to 2
  std::vector<std::vector<float>> all;
  for (std::size_t i = 0; i < launches_ * case_->tensors.size(); ++i) {
    if (!tensor_of(i).output) continue;
    const Filling& filling = fillings_[i];
    Values values;
    for (std::uint64_t k = 0; k < filling.elements; ++k) {
      const std::uint32_t random = random_block(filling.poison, k / 4).word[k % 4];
      const float value = is_integer(filling.dtype) ? 1 : 1 + static_cast<float>(random % steps) / steps;
      values.push_back(rounded_to(filling.dtype, value));
    }
    write_values(device_, {&tensor_of(i), buffers_[i].get(), filling.begin, filling.dtype}, 0, values);
    all.push_back(std::move(values));
  }
  return all;
}

void Lease::fill_guard_zones(std::uint32_t bytes) {
  for (std::size_t i = 0; i < launches_ * case_->tensors.size(); ++i) {
    const Filling& filling = fillings_[i];
    const std::uint64_t all = buffers_[i]->bytes();
    for (const auto& [begin, end] :
         {std::pair{std::uint64_t{0}, filling.begin}, std::pair{filling.end(), all}}) {
      // The words begin where the buffer begins and where the tensor ends, so a read beyond the tensor gets
      // whole numbers.
      const std::vector<std::uint32_t> words((end - begin) / sizeof bytes + 1, bytes);
      device_.write(*buffers_[i], begin, words.data(), end - begin);
    }
  }
}

}  // namespace kgrade
