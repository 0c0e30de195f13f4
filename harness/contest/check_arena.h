// What checking a case needs of a contest, apart from how it is done: tests put a fake in its place.
#pragma once

#include <string>
#include <vector>

#include "contest/arena.h"
#include "device/finding_book.h"
#include "device/thread_order.h"

namespace kgrade {

// One way in which a case is run: an order of threads on the emulated device, a tool of compute-sanitizer on
// a GPU.
struct CheckPass {
  std::string name;  // "reverse", "memcheck"
  ThreadOrder order = ThreadOrder::forward;
};

// What a pass leaves for us to read: entries of the worker's book, or the tool's report.
struct Evidence {
  std::vector<FindingEntry> entries;
  std::uint32_t dropped = 0;  // places that the book had no room for
  std::string tool_report;
};

class CheckArena {
 public:
  virtual ~CheckArena() = default;

  // Oracle: buffers for the case, and one call on this draw, whose outputs are held against themselves: how
  // large they are. An Error when the device has no room.
  virtual Result<CallReport> call_oracle(const Case& bound, const Draw& draw) = 0;

  // A fresh worker of the candidate's, with the candidate loaded and buffers of its own. An Error is the
  // machine's. The fault of an answer that is not ok is the candidate's.
  virtual Result<Answer> enter(const CheckPass& pass, const Case& bound) = 0;
  virtual CallReport call(const Draw& draw, Patience patience) = 0;
  // Every output of the candidate with what the oracle's call left.
  virtual std::vector<OutputComparison> compare() = 0;
  // Ends the worker, if it still lives, and reads what it left.
  virtual Evidence leave() = 0;
};

}  // namespace kgrade
