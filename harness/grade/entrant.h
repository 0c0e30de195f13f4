// A candidate in one case: its calls, and what the blocks of a measured case decide about it.
#pragma once

#include <cstddef>
#include <limits>

#include "grade/case_calls.h"

namespace kgrade {

// Whether outputs are captured in all blocks, in one of every two, or in none.
enum class CaptureRule { always, by_turns, never };

struct Entrant {
  Entrant(Session& its_session, const Case& bound) : session(its_session), calls(its_session, bound) {}

  CaseRecord& record() { return calls.record(); }

  Session& session;
  CaseCalls calls;
  double fastest_ms = 0;  // one launch of it or of the reference, whichever is faster, after warming up
  CaptureRule captures = CaptureRule::always;
  int launches = 1;                                              // that its calls should have
  std::size_t blocks = std::numeric_limits<std::size_t>::max();  // in which it takes part before it leaves
};

}  // namespace kgrade
