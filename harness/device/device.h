// The referee's side of a device: memory that can be lent to a worker, and the work before and after a call.
// A buffer is one allocation. Offsets and counts are in bytes, unless their name contains "elements". All
// functions have finished their work on the device when they return.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "device/contents.h"
#include "device/gate.h"
#include "device/thread_order.h"
#include "problem/problem.h"
#include "record/device_info.h"
#include "sandbox/sandbox.h"

namespace kgrade {

// The libraries of the machine that a contestant may use if its problem allows none (Libraries::none in
// problem/problem.h).
//
// Whether a file of this name belongs to the C and C++ runtime, the dynamic loader, or the driver. The name
// may have a version.
bool is_allowed_without_libraries(std::string_view file_name);

// The allowed files in `folders` and in the subfolders that the loader or the driver uses, and the libraries
// that `program` needs to start. Links are not followed.
std::vector<std::filesystem::path> allowed_library_files(const std::vector<std::filesystem::path>& folders,
                                                         const std::filesystem::path& program);

// Memory that the referee owns and lends by file descriptor.
class SharedBuffer {
 public:
  virtual ~SharedBuffer() = default;
  virtual int descriptor() const = 0;
  // A descriptor for a process that may only read, if the device has such descriptors. After this call, a
  // process that has not yet mapped the memory for writing may no longer be able to do so.
  virtual int read_only_descriptor() const { return descriptor(); }
  virtual std::uint64_t bytes() const = 0;
};

// The contents of a lent buffer at the beginning of a call. The tensor has `elements` elements of the type
// from byte `begin` on. Everything around the tensor is guard zone.
struct Filling {
  SharedBuffer* buffer = nullptr;
  std::uint64_t begin = 0;
  std::uint64_t elements = 0;
  bool input = false;
  InputContents contents;  // of an input
  RandomStream poison;     // of guard zones and of outputs
  // How elements are stored. The distribution in `contents` has the type of the values, which may differ: the
  // oracle reads values of a 16-bit type as float32.
  Dtype dtype = Dtype::float32;
  // The input is copied from this buffer, from byte `source_begin` on. Null: the input is drawn.
  SharedBuffer* source = nullptr;
  std::uint64_t source_begin = 0;
  Dtype source_dtype = Dtype::float32;
  bool cleared = false;  // an output that is zero when a call begins
  bool filled = false;   // an output that holds `contents` or a copy of `source` when a call begins

  std::uint64_t end() const { return begin + elements * element_bytes(dtype); }
};

// Forbidden changes that a call made.
struct BufferCorruption {
  std::uint64_t guard_bytes = 0;
  std::uint64_t input_elements = 0;
};

// An output and the expected output. Each has `elements` elements, from byte `..._begin` on. If the type is
// narrow, the expected elements are float32, so that they are not rounded.
struct OutputPair {
  SharedBuffer* actual = nullptr;
  std::uint64_t actual_begin = 0;
  SharedBuffer* expected = nullptr;
  std::uint64_t expected_begin = 0;
  std::uint64_t elements = 0;
  Dtype dtype = Dtype::float32;  // of the output
  // For count_by_rule(): the expected elements are stored in the output's type, and not as float32.
  bool expects_own_type = false;
  // For an output of indices: the tensor with the values that the indices point to. Null: only the expected
  // index counts. For an output of codes: the encoded values.
  SharedBuffer* values = nullptr;
  std::uint64_t values_begin = 0;
  TiedValues tied = {};  // its pointer is not set
  // For an output of codes: the scales of the codes.
  SharedBuffer* scales = nullptr;
  std::uint64_t scales_begin = 0;
  SharedBuffer* expected_scales = nullptr;
  std::uint64_t expected_scales_begin = 0;
  Quantised quantised = {};  // its pointers are not set
  Magnitudes magnitudes = {};
};

struct Inspection {
  std::vector<BufferCorruption> corruption;  // in the order of the fillings
  std::vector<ElementErrors> errors;         // in the order of the outputs
  // The time from the end of the last reveal() until the device began the inspection. The device begins it as
  // soon as its other work is done. The device's own clock measures this time, if there is one.
  std::chrono::nanoseconds since_reveal{0};
};

// The gate of this device that is to be opened for one call. Null: there is no gate to open.
struct GateOpening {
  Gate* gate = nullptr;
  std::uint32_t number = 0;
};

class Device {
 public:
  virtual ~Device() = default;

  virtual DeviceInfo info() const = 0;
  virtual std::uint64_t free_bytes() const = 0;

  // Allocates at least `bytes`, rounded up to the device's mapping unit. An Error if there is no room.
  virtual Result<std::unique_ptr<SharedBuffer>> allocate(std::uint64_t bytes) = 0;

  // Fills buffers, except the tensors of inputs, with poison: random bits that are not a value of an output
  // in any element (device/poison.h). May return before the work is done.
  virtual void poison(std::span<const Filling> fillings) = 0;
  // Clears the outputs that begin as zero (Filling::cleared). Draws the inputs and the outputs that begin
  // with contents (Filling::filled), or copies them. Then makes sure that no cache holds any of these, unless
  // calls should find warm caches. Afterwards the call that waits at the gate of `opening` may begin. Returns
  // how long the device was busy with other work before it began with this, or with an earlier poison().
  virtual std::chrono::nanoseconds reveal(std::span<const Filling> fillings, GateOpening opening) = 0;
  std::chrono::nanoseconds reveal(std::span<const Filling> fillings) { return reveal(fillings, {}); }
  // Compares guard zones and inputs with the bytes that poison() and reveal() wrote, and outputs with the
  // expected outputs.
  Inspection inspect(std::span<const Filling> fillings, std::span<const OutputPair> outputs = {}) {
    begin_inspection(fillings, outputs);
    return end_inspection();
  }
  // inspect() in two steps, so that a device can begin while the caller still waits for something else. The
  // contents of the spans must stay until end_inspection().
  virtual void begin_inspection(std::span<const Filling> fillings, std::span<const OutputPair> outputs) = 0;
  virtual Inspection end_inspection() = 0;
  // How many elements of the tensor still hold poison, and so were never written.
  virtual std::uint64_t count_unwritten(const Filling& filling) = 0;

  // Compares two outputs.
  ElementErrors compare(const OutputPair& output) { return inspect({}, std::span(&output, 1)).errors[0]; }
  // How many elements differ by more than `limit`, in the units of device::own_unit_of(), or in a non-finite
  // value.
  virtual std::uint64_t count_wrong(const OutputPair& output, double limit) = 0;

  // Judges the elements by the rule of a problem's set. The expected elements are rounded to the output's
  // type. Codes and indices count as the numbers that are stored.
  virtual RuleCount count_by_rule(const OutputPair& output, const SetRule& rule) = 0;

  // A sample of the elements of a tensor that begins at byte `begin`. device::sampled_element() chooses at
  // most device::most_sampled of them.
  virtual std::vector<double> sample(SharedBuffer& buffer, std::uint64_t begin, std::uint64_t elements,
                                     Dtype dtype) = 0;

  virtual void read(SharedBuffer& buffer, std::uint64_t begin, void* destination, std::uint64_t bytes) = 0;
  virtual void write(SharedBuffer& buffer, std::uint64_t begin, const void* source, std::uint64_t bytes) = 0;

  // How far a tensor may move within its buffer from call to call.
  virtual std::uint64_t room_to_move() const = 0;
  // Whether calls wait at a gate (device/gate.h), so that launches are queued before the inputs are in place.
  virtual bool gates_calls() const { return false; }
  // A gate that this device's reveal() can open. Null if calls are not gated, or if memory runs out.
  virtual std::unique_ptr<Gate> make_gate() { return nullptr; }
  // Runs a kernel with a known result. An Error if the result is wrong.
  virtual std::optional<Error> prove_healthy() = 0;
  // Measures the rates that the device reaches, in well under a second. Nothing else may run on the device.
  // Nothing if the device has no speed of its own, or no room for the measurement.
  virtual std::optional<Ceilings> measure_ceilings() { return std::nullopt; }

  CacheState cache_state() const { return cache_state_; }
  void set_cache_state(CacheState state) { cache_state_ = state; }
  // Whether outputs are zero instead of poison when a call begins. If they are zero, it is unknown which
  // elements a call leaves unwritten.
  bool clears_outputs() const { return clears_outputs_; }
  void set_clears_outputs(bool clears) { clears_outputs_ = clears; }

  // From now on workers are confined.
  void confine_workers(std::shared_ptr<const Sandbox> sandbox) { sandbox_ = std::move(sandbox); }
  // The command that runs a worker. The worker is confined if confine_workers() was called. With
  // Libraries::none, the worker sees only the libraries of allowed_library_files(). `more` has additional
  // permissions for a tool that runs workers: files to read and write, and that it may start programs.
  std::vector<std::string> confined(const std::vector<std::string>& worker, Libraries libraries,
                                    const SandboxPolicy& more = {}) const;

  // The program (and first arguments) that runs a worker for this device.
  virtual std::vector<std::string> worker_command() const = 0;
  // Like worker_command(), for another order of threads. Shuffled orders are drawn from the seed. A device
  // that decides the order itself has only worker_command().
  virtual std::vector<std::string> worker_command_in(ThreadOrder /*order*/, std::uint64_t /*seed*/) const {
    return worker_command();
  }

 protected:
  // The parts of the machine that a worker has to see, except libraries.
  virtual SandboxPolicy worker_policy() const = 0;
  // Folders of the worker's libraries, besides the folders that the loader searches on its own.
  virtual std::vector<std::filesystem::path> library_folders() const { return {}; }

 private:
  std::shared_ptr<const Sandbox> sandbox_;
  CacheState cache_state_ = CacheState::cold;
  bool clears_outputs_ = false;
};

// The driver frees the memory of a process some time after its end. This function returns when no more memory
// becomes free, or after `patience`. It returns at once if the device uses the host's memory.
void await_freed_memory(const Device& device, std::chrono::milliseconds patience);

}  // namespace kgrade
