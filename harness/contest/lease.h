// The buffers of one case that one contestant works on: an allocation a tensor, with a guard zone on both
// sides. The referee fills and checks them; the worker has them only as long as they are lent.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "contest/worker_process.h"
#include "device/device.h"
#include "draw/draws.h"
#include "problem/case.h"

namespace kgrade {

class ComputedInputs;

// Bytes of guard zone at least on either side of a tensor; all of its buffer around it is one.
constexpr std::uint64_t guard_bytes = 4096;
// What a tensor's address is a multiple of: as cudaMalloc() promises it.
constexpr std::uint64_t address_step = 256;

// How the indices that an output of a case holds lie over the tensor that they point into, without its
// values; of an output that is tied.
TiedValues layout_of_ties(const Case& bound, const Tensor& indices);
// The same of an output of codes.
Quantised layout_of_codes(const Case& bound, const Tensor& codes);

// The bits of the scalars, by parameter, and 0 for tensors. Those of [VAR] are stored as that type.
CallSlots slots_of_scalars(const Problem& problem, const Case& bound, Dtype stored_as);

struct LeaseTerms {
  bool moves = false;          // tensors lie elsewhere in their buffers in every call
  bool captures = false;       // outputs are captured when the clock stops
  std::uint32_t launches = 1;  // of a call, at most: so many sets of tensors
  // Of the oracle, which reads the very values that the others read, and whose outputs are not rounded
  // (Case::stored_as). Its inputs are not looked at after a call: it is ours, and they are lent for reading.
  bool widens = false;
  // Of a candidate in Python: what it returns is overwritten once it has been captured. What others return
  // may be what they keep.
  bool overwrites_returned = false;

  bool operator==(const LeaseTerms&) const = default;
};

class Lease {
 public:
  // An Error when the device has no room.
  static Result<std::unique_ptr<Lease>> make(Device& device, const Problem& problem, const Case& bound,
                                             LeaseTerms terms = {});

  // What all tensors of a case need on a device for one launch, guard zones included.
  static std::uint64_t bytes_needed(const Case& bound, bool widened);

  Answer lend_to(WorkerProcess& worker, bool inputs_writable, WorkerProcess::Patience patience);

  // Small buffers may serve another case of the same problem: mapping others takes longer than many a call of
  // a small case. Not for a contestant that is not trusted, whose buffers are new in each case.
  bool is_small() const;
  bool has_room_for(const Case& bound, const LeaseTerms& terms) const;
  void rebind(const Case& bound);
  // After that: how much of each output is captured.
  Answer tell_lengths(WorkerProcess& worker) const;
  // Of each output one element, until tell_lengths().
  Answer capture_little(WorkerProcess& worker) const;
  // Whether outputs() are what was captured, of the calls that follow, or the tensors themselves.
  void count_captures(bool captures) { counts_captures_ = captures; }

  // Under which seed the problem's file computes inputs for a draw, by launch; empty where it computes none.
  std::vector<std::uint64_t> seeds_of_computed(const Draw& draw) const;
  // Before a call: chooses new places, poison and contents; slots() tells the places. `computed` holds those
  // of these seeds, and may be null where there are none. `drawn`: a lease whose contestant cannot write to
  // its inputs, or null. If it has inputs of the same draw, they are copied and compared with, since that
  // takes less time than drawing them again.
  void prepare(const Draw& draw, std::uint64_t poison_key, std::uint32_t call,
               const ComputedInputs* computed = nullptr, const Lease* drawn = nullptr);
  // The inputs of the present call are not those of its draw any more.
  void forget_draw() { draw_.reset(); }
  // The poison may go ahead of the rest.
  void poison();
  // Puts all of it in place, then opens the gate. Returns how long the device had other things to do before
  // it began.
  std::chrono::nanoseconds reveal(GateOpening opening = {});

  // After a call: memory that changed and must not.
  struct Corruption {
    std::uint64_t guard_bytes = 0;  // changed in guard zones
    std::string guard_tensor;       // the first tensor beside which they are
    std::uint64_t input_elements = 0;
    std::string input_tensor;
  };
  // What an inspection found; with an expected lease also how the outputs differ from that lease's.
  struct Findings {
    Corruption corruption;
    // How long after the inputs were in place the device had nothing else to do any more, and began with the
    // inspection.
    std::chrono::nanoseconds settled{0};
    std::vector<ElementErrors> errors;
  };
  // In two steps, as Device::begin_inspection(); `expected` is null or another lease of the same case.
  void begin_inspection(const Lease* expected = nullptr);
  Findings end_inspection();

  // Of one launch of the call.
  CallSlots slots(std::uint32_t launch = 0) const;
  // How many launches the call has.
  std::uint32_t launches() const { return launches_; }

  struct Loaned {
    const Tensor* tensor;
    SharedBuffer* buffer;
    std::uint64_t begin;
    Dtype dtype;  // how its elements are stored
  };
  // Of all launches of the call, as they count: what was captured, where outputs are, in full.
  std::vector<Loaned> outputs() const;
  // Elements of output number `output` that the call left as they were; 0 where that cannot be told, of
  // bytes.
  std::uint64_t unwritten_elements(std::size_t output) const;

  // Of its elements, as outputs() count; and which of them still hold the poison.
  std::vector<double> output_values(std::size_t output) const;
  std::vector<bool> untouched(std::size_t output) const;
  // Of what a candidate in Python returned: elements that still hold what its memory was overwritten with.
  std::vector<bool> still_overwritten(std::size_t output) const;
  // Before a call, instead of poison: values from 1 to 2 that a kernel can add to, and that every element
  // type holds exactly; of an integer type ones. Returns them, by output.
  std::vector<std::vector<float>> fill_outputs();

  const Case& bound_case() const { return *case_; }
  // How elements of [VAR] are stored, and those of a tensor.
  Dtype dtype() const { return terms_.widens ? Dtype::float32 : case_->dtype; }
  Dtype dtype_of(const Tensor& tensor) const { return case_->stored_as(tensor, terms_.widens); }
  // All tensors of the first launch in parameter order, inputs included.
  std::vector<Loaned> tensors() const;
  // An output with all that it is compared by.
  struct Compared {
    Loaned output;
    std::optional<Loaned> values;  // what its indices with ties point into, or its codes stand for
    std::optional<Loaned> scales;  // of its codes
  };
  Compared compared(std::size_t output) const;
  // What each output of the case holds after the first launch of a call: a sample of its elements
  // (Device::sample), or, of codes, of the values that they stand for. Empty for the scales of codes.
  std::vector<std::vector<double>> sample_outputs() const;
  // By output of the case: what comparisons with this lease's outputs use from now on.
  void set_magnitudes(std::vector<Magnitudes> magnitudes) { magnitudes_ = std::move(magnitudes); }
  // Output number `output` beside another lease's, whose [VAR] is float32.
  OutputPair pair_with(const Lease& expected, std::size_t output) const;

 private:
  Lease(Device& device, const Problem& problem, const Case& bound, LeaseTerms terms)
      : device_(device), problem_(problem), case_(&bound), terms_(terms) {}

  std::optional<Errors> add_buffers(const Tensor& tensor);
  void fill_captures();
  using Length = std::function<std::uint64_t(const Tensor&)>;
  Answer tell_each(const Length& length, WorkerProcess& worker) const;
  std::uint64_t bytes_of(const Tensor& tensor) const;
  // Guard zones, and room to move in.
  std::uint64_t around_tensor() const;
  // Buffers come a launch after another, as case_->tensors in each.
  const Tensor& tensor_of(std::size_t buffer) const { return case_->tensors[buffer % case_->tensors.size()]; }
  std::uint32_t launch_of(std::size_t buffer) const {
    return static_cast<std::uint32_t>(buffer / case_->tensors.size());
  }
  std::uint32_t stream_of(std::size_t buffer) const;
  std::uint64_t place_of(std::size_t buffer, std::uint64_t poison_key, std::uint32_t call) const;
  std::uint64_t seed_of_forward(const Draw& draw, std::uint32_t launch) const;
  std::uint32_t number_of(const Draw& draw, std::uint32_t launch) const;
  InputContents contents_of(std::size_t buffer, const Draw& draw) const;
  void fill_input(std::size_t buffer, const Draw& draw, const ComputedInputs* computed, const Lease* drawn);
  bool has_inputs_of(const Draw& draw, const Lease& other) const;
  // Of an output that begins as an input of the case, when that is filled.
  void begin_as(std::size_t output, std::size_t input);
  std::size_t buffer_of_output(std::size_t output) const;
  bool is_fixed(const Tensor& tensor, const Draw& draw) const;
  std::size_t changed_tensor(const Draw& draw) const;
  std::vector<OutputPair> pairs_with(const Lease& expected) const;
  Loaned input_beside(std::size_t output, std::size_t tensor) const;
  Loaned output_beside(std::size_t output, std::size_t tensor) const;

  Device& device_;
  const Problem& problem_;
  const Case* case_;
  LeaseTerms terms_;
  std::uint32_t first_call_ = 0;  // that was prepared
  std::uint32_t launches_ = 1;    // of the present call
  std::optional<Draw> draw_;      // what the inputs are of, once they are in place
  bool counts_captures_ = true;
  bool is_poisoned_ = false;
  std::vector<std::uint64_t> forward_seeds_;  // of the present call, by launch
  std::vector<std::unique_ptr<SharedBuffer>> buffers_;
  std::vector<std::unique_ptr<SharedBuffer>> captures_;  // likewise; null where nothing is captured
  std::vector<Filling> fillings_;   // of the buffers, then of the captures that there are
  std::vector<Filling> inspected_;  // by the present inspection
  std::vector<OutputPair> pairs_;   // likewise
  std::vector<Magnitudes> magnitudes_;
};

// One output of the case in two calls, of which the expected one's [VAR] is float32.
OutputPair pair_of(const Case& bound, const Lease::Compared& actual, const Lease::Compared& expected);

}  // namespace kgrade
