// The referee's side of a device: memory that can be lent to a worker, and what has to be done with it
// before and after a call. A buffer is one allocation; offsets and counts are in bytes unless a name says
// elements. All functions have finished their work on the device when they return.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "data/distribution.h"
#include "data/philox.h"
#include "device/thread_order.h"

namespace kgrade {

struct DeviceInfo {
  std::string kind;  // "cuda" or "emulated"
  std::string name;  // "NVIDIA H200"
  std::string uuid;
  std::string architecture;     // "sm_90"
  std::string driver_version;   // of the CUDA driver: "13.0"; empty where there is none
  std::string runtime_version;  // of the CUDA runtime that the harness was built with
  int multiprocessors = 0;
  std::uint64_t memory_bytes = 0;
  std::uint64_t l2_bytes = 0;
  std::string thread_order;     // in which threads run: "forward"; empty where the device decides
  bool measures_speed = false;  // false: times of this device are never reported as speed
};

// Memory that the referee owns and lends by file descriptor.
class SharedBuffer {
 public:
  virtual ~SharedBuffer() = default;
  virtual int descriptor() const = 0;
  virtual std::uint64_t bytes() const = 0;
};

// What a full comparison of an output with the expected one finds. Elements where both are finite enter the
// sums; any other element must be the same non-finite value (NaN, +inf, -inf) in both.
struct Comparison {
  double sum_squared_difference = 0;
  double sum_squared_expected = 0;
  double max_abs_difference = 0;
  std::uint64_t worst_index = 0;  // where it is
  std::uint64_t nonfinite_mismatches = 0;
  std::uint64_t first_nonfinite_mismatch = 0;
  std::uint64_t compared = 0;  // elements that entered the sums
};

class Device {
 public:
  virtual ~Device() = default;

  virtual DeviceInfo info() const = 0;
  virtual std::uint64_t free_bytes() const = 0;

  // At least `bytes`, rounded up to what the device maps at once. An Error when there is no room.
  virtual Result<std::unique_ptr<SharedBuffer>> allocate(std::uint64_t bytes) = 0;

  // Fills bytes [begin, end) with poison: bytes begin.. of the stream, with the bits set that keep every word
  // from being a value that an output could hold (device/element_operations.h).
  virtual void fill_random_bytes(SharedBuffer& buffer, std::uint64_t begin, std::uint64_t end,
                                 const RandomStream& stream) = 0;
  // How many bytes of [begin, end) differ from what fill_random_bytes wrote.
  virtual std::uint64_t count_changed_bytes(SharedBuffer& buffer, std::uint64_t begin, std::uint64_t end,
                                            const RandomStream& stream) = 0;
  // How many aligned 4-byte words of [begin, end) still are what fill_random_bytes wrote: never written to.
  virtual std::uint64_t count_unwritten_words(SharedBuffer& buffer, std::uint64_t begin, std::uint64_t end,
                                              const RandomStream& stream) = 0;

  // Draws `elements` floats at byte offset `begin` (a multiple of 4).
  virtual void fill_input(SharedBuffer& buffer, std::uint64_t begin, std::uint64_t elements,
                          const Distribution& distribution, const RandomStream& stream) = 0;
  // How many elements differ in any bit from what fill_input wrote.
  virtual std::uint64_t count_changed_elements(SharedBuffer& buffer, std::uint64_t begin,
                                               std::uint64_t elements, const Distribution& distribution,
                                               const RandomStream& stream) = 0;

  // Compares `elements` floats.
  virtual Comparison compare(SharedBuffer& actual, std::uint64_t actual_begin, SharedBuffer& expected,
                             std::uint64_t expected_begin, std::uint64_t elements) = 0;
  // How many elements differ by more than `limit`, or in a non-finite value.
  virtual std::uint64_t count_wrong(SharedBuffer& actual, std::uint64_t actual_begin, SharedBuffer& expected,
                                    std::uint64_t expected_begin, std::uint64_t elements, double limit) = 0;

  virtual void read(SharedBuffer& buffer, std::uint64_t begin, void* destination, std::uint64_t bytes) = 0;

  // The program (and first arguments) that runs a worker for this device.
  virtual std::vector<std::string> worker_command() const = 0;
  // The same, running threads in another order than the device's own; shuffled ones are drawn from the seed.
  // A device that decides the order itself has only worker_command().
  virtual std::vector<std::string> worker_command_in(ThreadOrder /*order*/, std::uint64_t /*seed*/) const {
    return worker_command();
  }
};

}  // namespace kgrade
