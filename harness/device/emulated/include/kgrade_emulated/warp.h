// Warp operations. The lanes of a mask meet, each with one value, and each works out its own result from the
// values of all (Programming Guide, "Warp Shuffle Functions", "Warp Vote Functions", "Warp Match Functions",
// "Warp Reduce Functions").
#pragma once

#include <cstring>
#include <type_traits>

#include "kgrade_emulated/bits.h"
#include "kgrade_emulated/block.h"

namespace kgrade_emulated {

// Lanes meet only with lanes that came for the same operation.
enum class WarpOperation : unsigned int { synchronise, shuffle, vote, match, reduce, converge };

struct WarpMeeting {
  unsigned int mask = 0;
  unsigned int arrived = 0;  // lanes whose value counts; those that returned from the kernel are missing
  unsigned int readers = 0;  // lanes that still have to read
  WarpOperation operation = WarpOperation::synchronise;
  unsigned int site = 0;  // of `converge`: lanes meet only at the same place in the source
  unsigned long long value[32] = {};
};

// Waits until every lane of `mask` that has not returned has come. The meeting stays until leave_warp().
const WarpMeeting& meet_warp(WarpOperation operation, unsigned int mask, unsigned long long value);
void leave_warp(const WarpMeeting& meeting);
// Reports, in a checked run, that a lane reads from a lane that takes no part.
void report_missing_lane(unsigned int mask);

// The position of the current thread in its warp.
unsigned int current_lane();
// The lanes that come to this place together: all that have not returned and do not wait elsewhere.
unsigned int converged_lanes(unsigned int site);

// Keeps a meeting while its results are read.
class WarpValues {
 public:
  WarpValues(WarpOperation operation, unsigned int mask, unsigned long long value)
      : meeting_(meet_warp(operation, mask, value)) {}
  ~WarpValues() { leave_warp(meeting_); }
  WarpValues(const WarpValues&) = delete;
  WarpValues& operator=(const WarpValues&) = delete;

  bool has(unsigned int lane) const { return (meeting_.arrived >> lane & 1u) != 0; }
  unsigned int arrived() const { return meeting_.arrived; }
  unsigned long long operator[](unsigned int lane) const { return meeting_.value[lane]; }

 private:
  const WarpMeeting& meeting_;
};

template <class T>
unsigned long long to_bits(T value) {
  static_assert(sizeof(T) <= 8 && std::is_trivially_copyable_v<T>);
  unsigned long long bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

template <class T>
T from_bits(unsigned long long bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// A lane that reads from a missing lane gets its own value; on a GPU the value is undefined.
template <class T>
T shuffle(unsigned int mask, T value, unsigned int source) {
  const WarpValues values(WarpOperation::shuffle, mask, to_bits(value));
  if (source < 32 && values.has(source)) return from_bits<T>(values[source]);
#ifdef KGRADE_EMULATED_CHECKED
  report_missing_lane(mask);
#endif
  return value;
}

inline unsigned int ballot(unsigned int mask, int predicate, unsigned int& arrived) {
  const WarpValues values(WarpOperation::vote, mask, predicate != 0);
  arrived = values.arrived();
  unsigned int result = 0;
  for (unsigned int lane = 0; lane < 32; ++lane) {
    if (values.has(lane) && values[lane] != 0) result |= 1u << lane;
  }
  return result;
}

template <class T, class Operation>
T reduce(unsigned int mask, T value, Operation operation) {
  const WarpValues values(WarpOperation::reduce, mask, to_bits(value));
  bool first = true;
  T result = value;
  for (unsigned int lane = 0; lane < 32; ++lane) {
    if (!values.has(lane)) continue;
    const T other = from_bits<T>(values[lane]);
    result = first ? other : operation(result, other);
    first = false;
  }
  return result;
}

// The types that CUDA shuffles; other types of up to 8 bytes are those of its headers (half2, ...).
template <class T>
using IfShuffled =
    std::enable_if_t<std::is_trivially_copyable_v<T> && sizeof(T) <= 8 && !std::is_pointer_v<T>>;

}  // namespace kgrade_emulated

template <class T, class = kgrade_emulated::IfShuffled<T>>
T __shfl_sync(unsigned int mask, T value, int source, int width = warpSize) {
  const unsigned int lane = kgrade_emulated::current_lane();
  const unsigned int segment = lane & ~static_cast<unsigned int>(width - 1);
  return kgrade_emulated::shuffle(mask, value, segment + (static_cast<unsigned int>(source) & (width - 1)));
}

template <class T, class = kgrade_emulated::IfShuffled<T>>
T __shfl_up_sync(unsigned int mask, T value, unsigned int delta, int width = warpSize) {
  const unsigned int lane = kgrade_emulated::current_lane();
  const unsigned int position = lane & static_cast<unsigned int>(width - 1);
  return kgrade_emulated::shuffle(mask, value, position < delta ? lane : lane - delta);
}

template <class T, class = kgrade_emulated::IfShuffled<T>>
T __shfl_down_sync(unsigned int mask, T value, unsigned int delta, int width = warpSize) {
  const unsigned int lane = kgrade_emulated::current_lane();
  const unsigned int position = lane & static_cast<unsigned int>(width - 1);
  const bool inside = delta < static_cast<unsigned int>(width) - position;
  return kgrade_emulated::shuffle(mask, value, inside ? lane + delta : lane);
}

// A source in a later segment gives the caller's own value; a source in an earlier segment is read.
template <class T, class = kgrade_emulated::IfShuffled<T>>
T __shfl_xor_sync(unsigned int mask, T value, int lane_mask, int width = warpSize) {
  const unsigned int lane = kgrade_emulated::current_lane();
  const unsigned int source = lane ^ static_cast<unsigned int>(lane_mask);
  const unsigned int segment_end = (lane | static_cast<unsigned int>(width - 1)) + 1;
  return kgrade_emulated::shuffle(mask, value, source < segment_end ? source : lane);
}

inline unsigned int __ballot_sync(unsigned int mask, int predicate) {
  unsigned int arrived = 0;
  return kgrade_emulated::ballot(mask, predicate, arrived);
}

inline int __any_sync(unsigned int mask, int predicate) { return __ballot_sync(mask, predicate) != 0; }

inline int __all_sync(unsigned int mask, int predicate) {
  unsigned int arrived = 0;
  return kgrade_emulated::ballot(mask, predicate, arrived) == arrived;
}

inline int __uni_sync(unsigned int mask, int predicate) {
  unsigned int arrived = 0;
  const unsigned int votes = kgrade_emulated::ballot(mask, predicate, arrived);
  return votes == 0 || votes == arrived;
}

inline void __syncwarp(unsigned int mask = 0xffffffffu) {
  const kgrade_emulated::WarpValues met(kgrade_emulated::WarpOperation::synchronise, mask, 0);
}

// A GPU promises nothing about which lanes are converged; here as many as possible are. The place in the
// source keeps the branches of a warp apart; the compiler fills it in.
inline unsigned int __activemask(const char* file = __builtin_FILE(), unsigned int line = __builtin_LINE()) {
  return kgrade_emulated::converged_lanes(
      static_cast<unsigned int>(reinterpret_cast<unsigned long>(file)) << 12 ^ line);
}

template <class T, class = kgrade_emulated::IfShuffled<T>>
unsigned int __match_any_sync(unsigned int mask, T value) {
  const unsigned long long bits = kgrade_emulated::to_bits(value);
  const kgrade_emulated::WarpValues values(kgrade_emulated::WarpOperation::match, mask, bits);
  unsigned int result = 0;
  for (unsigned int lane = 0; lane < 32; ++lane) {
    if (values.has(lane) && values[lane] == bits) result |= 1u << lane;
  }
  return result;
}

template <class T, class = kgrade_emulated::IfShuffled<T>>
unsigned int __match_all_sync(unsigned int mask, T value, int* predicate) {
  const unsigned long long bits = kgrade_emulated::to_bits(value);
  const kgrade_emulated::WarpValues values(kgrade_emulated::WarpOperation::match, mask, bits);
  bool all = true;
  for (unsigned int lane = 0; lane < 32; ++lane) all = all && (!values.has(lane) || values[lane] == bits);
  *predicate = all;
  return all ? values.arrived() : 0;
}

#define KGRADE_REDUCTION(name, type, expression)                                                    \
  inline type name(unsigned int mask, type value) {                                                 \
    return kgrade_emulated::reduce(mask, value, [](type a, type b) -> type { return expression; }); \
  }
KGRADE_REDUCTION(__reduce_add_sync, unsigned int, a + b)
KGRADE_REDUCTION(__reduce_min_sync, unsigned int, a < b ? a : b)
KGRADE_REDUCTION(__reduce_max_sync, unsigned int, a > b ? a : b)
KGRADE_REDUCTION(__reduce_add_sync, int,
                 static_cast<int>(static_cast<unsigned int>(a) + static_cast<unsigned int>(b)))
KGRADE_REDUCTION(__reduce_min_sync, int, a < b ? a : b)
KGRADE_REDUCTION(__reduce_max_sync, int, a > b ? a : b)
KGRADE_REDUCTION(__reduce_and_sync, unsigned int, a& b)
KGRADE_REDUCTION(__reduce_or_sync, unsigned int, a | b)
KGRADE_REDUCTION(__reduce_xor_sync, unsigned int, a ^ b)
#undef KGRADE_REDUCTION
