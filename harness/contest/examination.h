// Examines a wrong output: reads it in full, and calls its contestant again to see whether the result depends
// on what the output held before, or on what lies around the tensors.
#pragma once

#include "contest/arena.h"
#include "contest/contestant_runner.h"

namespace kgrade {

// What a call left in output number `output`, and what the oracle's call left there. Nothing if the output
// has more elements than most_examined_elements.
std::optional<OutputValues> examine_output(const Lease& actual, const Lease& expected, std::size_t output);

struct FurtherCall {
  std::uint64_t poison_key = 0;
  std::uint32_t number = 0;
  Patience patience{};
};

// Poison elements are at least 2^65 in size, or not finite (device/poison.h). A sum may cancel half of that.
inline constexpr double least_poison = 1.8e19;

// Makes one more call, with outputs and the memory around all tensors holding values from 1 to 2 before it.
// If elements of the first call look like poison, makes a third one, with NaNs around the tensors. Buffers
// must be lent. Adds nothing if a call fails.
void call_on_filled_outputs(ContestantRunner& runner, const Draw& draw, const FurtherCall& call,
                            std::size_t output, OutputValues& values);

}  // namespace kgrade
