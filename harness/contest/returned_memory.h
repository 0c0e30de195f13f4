// The memory that a contestant in Python returns instead of the outputs that it was lent. Its interpreter
// writes the addresses into the arguments of the call. The contestant's Python cannot reach this code, which
// decides what may be returned.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "contest/protocol.h"
#include "device/worker_device.h"

namespace kgrade {

// All bytes of an element of returned memory are overwritten with the same byte. The byte is in this range,
// with or without the sign bit. In every floating type this gives a large number: a small one would pass for
// zero.
constexpr unsigned char least_overwriting_byte = 0x41, most_overwriting_byte = 0x7b, overwriting_sign = 0x80;

// Whether an element may still hold what it was overwritten with. Elements of one or two bytes do not show
// this.
inline bool is_overwritten(const unsigned char* element, std::size_t bytes) {
  constexpr std::size_t least_bytes = 4;
  const auto size = static_cast<unsigned char>(element[0] & ~overwriting_sign);
  return bytes >= least_bytes && size >= least_overwriting_byte && size <= most_overwriting_byte &&
         std::all_of(element, element + bytes, [&](unsigned char byte) { return byte == element[0]; });
}

class ReturnedMemory {
 public:
  // The arguments of each launch of a call.
  using Arguments = std::array<std::array<unsigned long long, max_parameters>, max_launches>;

  // Records what is lent: the buffer of a tensor, which is mapped at `address`, or the capture of an output.
  void lend(const Loan& loan, std::uint64_t address);
  // Records that a captured output has another length in the next case, whose tensors lie in the same
  // buffers. The length of a candidate's output stays: it gets new buffers in each case, and some calls
  // capture less than it returns.
  void set_length(const Loan& loan);
  void give_back() { *this = {}; }

  // Before the launches of a call: records where its tensors are.
  void begin_call(const Arguments& lent, std::uint32_t launches);
  // After the launches: says why the returned memory is not an answer; empty if it is one.
  std::string look(const Arguments& returned);
  // Overwrites what the last call returned with random bytes, so that the next call has to write all of it.
  // False if the device cannot write to this memory. Nothing is left to overwrite then.
  bool overwrite(WorkerDevice& device);
  // Call this after a failed call: nothing is overwritten then.
  void forget() { to_overwrite_.clear(); }

 private:
  struct Extent {
    std::uint64_t begin = 0;
    std::uint64_t bytes = 0;

    bool meets(const Extent& other) const {
      return begin < other.begin + other.bytes && other.begin < begin + bytes;
    }
  };
  bool is_memory_of_input(const Extent& extent) const;

  // `length` 0: no tensor is lent.
  std::array<std::array<Loan, max_parameters>, max_launches> lent_{};
  // Where the buffers are. A tensor lies in its buffer, which may be larger.
  std::array<std::array<Extent, max_parameters>, max_launches> buffers_{};
  Arguments arguments_{};
  std::uint32_t launches_ = 0;
  std::vector<Extent> to_overwrite_;
};

}  // namespace kgrade
