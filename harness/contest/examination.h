// Examines a wrong output: reads it in full, and calls its contestant again to see whether the result depends
// on what the output held before.
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

// Makes one more call, with outputs that hold values from 1 to 2 before it. Buffers must be lent. Adds
// nothing if the call fails.
void call_on_filled_outputs(ContestantRunner& runner, const Draw& draw, const FurtherCall& call,
                            std::size_t output, OutputValues& values);

}  // namespace kgrade
