// Where a worker keeps what the outputs of a call hold when the clock stops.
#pragma once

#include <cstdint>
#include <vector>

namespace kgrade {

struct Capture {
  std::uint32_t launch;  // of the call
  std::uint32_t parameter;
  void* memory;
  std::uint64_t bytes;  // of the output
  std::uint64_t room;   // in `memory`
};

class Captures {
 public:
  void add(const Capture& capture) { all_.push_back(capture); }
  void clear() { all_.clear(); }
  // False where the output is not captured, or has no room for so much.
  bool set_length(std::uint32_t launch, std::uint32_t parameter, std::uint64_t bytes) {
    for (Capture& capture : all_) {
      if (capture.launch != launch || capture.parameter != parameter || bytes > capture.room) continue;
      capture.bytes = bytes;
      return true;
    }
    return false;
  }
  auto begin() const { return all_.begin(); }
  auto end() const { return all_.end(); }

 private:
  std::vector<Capture> all_;
};

}  // namespace kgrade
