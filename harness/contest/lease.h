// A lease is the buffers of one case for one contestant: one allocation per tensor, with a guard zone on both
// sides. The referee fills and checks them. The worker has them only while they are lent. What it is told of
// one buffer is a Loan (contest/protocol.h).
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "contest/call_contents.h"
#include "contest/worker_process.h"
#include "device/device.h"
#include "draw/draws.h"
#include "problem/case.h"

namespace kgrade {

class ComputedInputs;

// The least size of a guard zone on either side of a tensor. Everything around the tensor in its buffer is
// guard zone.
constexpr std::uint64_t guard_bytes = 4096;
// Tensors' addresses are multiples of this, as cudaMalloc() promises.
constexpr std::uint64_t address_step = 256;

struct LeaseTerms {
  bool moves = false;          // tensors lie elsewhere in their buffers in every call
  bool captures = false;       // outputs are captured when the clock stops
  std::uint32_t launches = 1;  // the most launches of a call; each has its own tensors
  // For the oracle. It reads the same values as the other contestants, but stored as float32, and its outputs
  // are not rounded (Case::stored_as). Its inputs are not inspected after a call: the oracle is ours, and
  // they are lent read-only.
  bool widens = false;
  // For a candidate in Python: the memory that it returns is overwritten after it has been captured. Other
  // contestants may return memory that they keep using.
  bool overwrites_returned = false;

  bool operator==(const LeaseTerms&) const = default;
};

class Lease {
 public:
  // An Error when the device has no room.
  static Result<std::unique_ptr<Lease>> make(Device& device, const Problem& problem, const Case& bound,
                                             LeaseTerms terms = {});

  // Bytes that all tensors of a case need on a device for one launch, guard zones included.
  static std::uint64_t bytes_needed(const Case& bound, bool widened);

  Answer lend_to(WorkerProcess& worker, bool inputs_writable, WorkerProcess::Patience patience);

  // Small buffers may serve another case of the same problem, because mapping new ones takes longer than many
  // calls of a small case. A contestant that is not trusted gets new buffers in each case.
  bool is_small() const;
  bool has_room_for(const Case& bound, const LeaseTerms& terms) const;
  void rebind(const Case& bound);
  // After rebind(): tells the worker how much of each output to capture.
  Answer tell_lengths(WorkerProcess& worker) const;
  // Captures only one element of each output, until tell_lengths().
  Answer capture_little(WorkerProcess& worker) const;
  // Whether outputs() returns the captures of the following calls, or the tensors themselves.
  void count_captures(bool captures) { counts_captures_ = captures; }

  // The seeds under which the problem's file computes inputs for a draw, by launch. Empty if it computes
  // none.
  std::vector<ComputedSeeds> seeds_of_computed(const Draw& draw) const;
  // Three steps before a call: prepare() chooses new places, poison and contents, and writes nothing.
  // poison() fills guard zones and outputs. reveal() fills inputs, empties the cache and opens the gate.
  // slots() returns the places. `computed` holds the inputs of seeds_of_computed(), and may be null if there
  // are none. `drawn` is null, or a lease whose contestant cannot write to its inputs. If the inputs of that
  // lease are of the same draw, they are copied to this lease, and inspections compare with them. This takes
  // less time than drawing the inputs again.
  void prepare(const Draw& draw, std::uint64_t poison_key, std::uint32_t call,
               const ComputedInputs* computed = nullptr, const Lease* drawn = nullptr);
  // Call this when the inputs are no longer those of the call's draw.
  void forget_draw() { draw_.reset(); }
  // Writes the poison. reveal() does so if poison() was not called before.
  void poison();
  // Fills all buffers, then opens the gate. Returns how long the device was busy with other work before it
  // began to fill them.
  std::chrono::nanoseconds reveal(GateOpening opening = {});

  // Memory that changed in a call and must not.
  struct Corruption {
    std::uint64_t guard_bytes = 0;  // changed bytes in guard zones
    std::string guard_tensor;       // the first tensor with such bytes around it
    std::uint64_t input_elements = 0;
    std::string input_tensor;
  };
  // The result of an inspection. With an expected lease, also how the outputs differ from that lease's.
  struct Findings {
    Corruption corruption;
    // The time from when the inputs were in place until the device had nothing else to do and began the
    // inspection.
    std::chrono::nanoseconds settled{0};
    std::vector<ElementErrors> errors;
  };
  // An inspection in two steps, like that of Device::begin_inspection(). `expected` is null or another lease
  // of the same case.
  void begin_inspection(const Lease* expected = nullptr);
  Findings end_inspection();

  // The slots of one launch of the call.
  CallSlots slots(std::uint32_t launch = 0) const;
  // How many launches the call has.
  std::uint32_t launches() const { return launches_; }

  struct Loaned {
    const Tensor* tensor;
    SharedBuffer* buffer;
    std::uint64_t begin;
    Dtype dtype;  // how its elements are stored
  };
  // The outputs of all launches of the call, as they are compared: the captures, or the tensors themselves if
  // nothing is captured.
  std::vector<Loaned> outputs() const;
  // Elements of output number `output` that the call did not write. Always 0 for types whose poison does not
  // show this (device::poison_tells_unwritten).
  std::uint64_t unwritten_elements(std::size_t output) const;

  // The elements of an output from outputs(), and which elements of its tensor still hold the poison.
  std::vector<double> output_values(std::size_t output) const;
  std::vector<bool> untouched(std::size_t output) const;
  // For a candidate in Python: returned elements that still hold the bytes with which their memory was
  // overwritten.
  std::vector<bool> still_overwritten(std::size_t output) const;
  // Before a call, instead of poison: fills outputs with values of their types from 1 to 2, to which a kernel
  // can add. Integer types get ones. Returns the values by output.
  std::vector<std::vector<float>> fill_outputs();
  // Before a call, instead of poison: fills all memory around tensors with these four bytes.
  void fill_guard_zones(std::uint32_t bytes);

  const Case& bound_case() const { return *case_; }
  // How elements of type [VAR], and those of one tensor, are stored.
  Dtype dtype() const { return terms_.widens ? Dtype::float32 : case_->dtype; }
  Dtype dtype_of(const Tensor& tensor) const { return case_->stored_as(tensor, terms_.widens); }
  // All tensors of the first launch in parameter order, inputs included.
  std::vector<Loaned> tensors() const;
  // An output with everything that a comparison of it needs.
  struct Compared {
    Loaned output;
    std::optional<Loaned> values;  // the tensor that its tied indices point into, or that its codes stand for
    std::optional<Loaned> scales;  // the scales of its codes
  };
  Compared compared(std::size_t output) const;
  // For each output of the case, a sample of its elements after the first launch of a call (Device::sample).
  // For codes, a sample of the values that they stand for. Empty for the scales of codes.
  std::vector<std::vector<double>> sample_outputs() const;
  // Sets the magnitudes of each output of the case. Comparisons with this lease's outputs use them from now
  // on.
  void set_magnitudes(std::vector<Magnitudes> magnitudes) { magnitudes_ = std::move(magnitudes); }
  // Output number `output`, paired with the same output of `expected`, where [VAR] is float32.
  OutputPair pair_with(const Lease& expected, std::size_t output) const;

 private:
  Lease(Device& device, const Problem& problem, const Case& bound, LeaseTerms terms)
      : device_(device), problem_(problem), case_(&bound), terms_(terms) {}

  std::optional<Errors> add_buffers(const Tensor& tensor);
  void fill_captures();
  using Length = std::function<std::uint64_t(const Tensor&)>;
  Answer tell_each(const Length& length, WorkerProcess& worker) const;
  std::uint64_t bytes_of(const Tensor& tensor) const;
  // Bytes around a tensor: guard zones, and room to move.
  std::uint64_t around_tensor() const;
  // Buffers are ordered by launch, then as in case_->tensors.
  const Tensor& tensor_of(std::size_t buffer) const { return case_->tensors[buffer % case_->tensors.size()]; }
  std::uint32_t launch_of(std::size_t buffer) const {
    return static_cast<std::uint32_t>(buffer / case_->tensors.size());
  }
  std::uint32_t stream_of(std::size_t buffer) const;
  std::uint64_t place_of(std::size_t buffer, std::uint64_t poison_key, std::uint32_t call) const;
  InputContents contents_of(std::size_t buffer, const Draw& draw) const;
  void fill_input(std::size_t buffer, const Draw& draw, const ComputedInputs* computed, const Lease* drawn);
  std::size_t buffer_of_output(std::size_t output) const;
  std::vector<OutputPair> pairs_with(const Lease& expected) const;
  Loaned input_beside(std::size_t output, std::size_t tensor) const;

  Device& device_;
  const Problem& problem_;
  const Case* case_;
  LeaseTerms terms_;
  std::uint32_t first_call_ = 0;  // number of the first call that was prepared; 0: none
  std::uint32_t launches_ = 1;    // of the present call
  std::optional<Draw> draw_;      // of the inputs that are in place
  bool counts_captures_ = true;
  bool is_poisoned_ = false;
  std::vector<std::uint64_t> forward_seeds_;  // of the present call, by launch
  std::vector<std::unique_ptr<SharedBuffer>> buffers_;
  std::vector<std::unique_ptr<SharedBuffer>> captures_;  // by buffer; null where nothing is captured
  std::vector<Filling> fillings_;                        // of the buffers, then of the captures
  std::vector<Filling> inspected_;                       // by the present inspection
  std::vector<OutputPair> pairs_;                        // compared by the present inspection
  std::vector<Magnitudes> magnitudes_;
};

// One output of the case in two calls. In the expected output, [VAR] is float32.
OutputPair pair_of(const Case& bound, const Lease::Compared& actual, const Lease::Compared& expected);

}  // namespace kgrade
