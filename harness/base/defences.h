// The names of the grader's defences. The suite of cheats (harness/tests/cheats) builds a second set of
// programs, in which each defence can be switched off. The suite shows that a cheat then succeeds. In kgrade
// itself every defence is on, and nothing can switch a defence off at run time.
#pragma once

#include <string>
#include <vector>

namespace kgrade {

enum class Defence {
  compile_sandbox,      // the compiler sees the candidate, its headers and the toolchain only
  worker_sandbox,       // a worker sees only the parts of the machine that it needs
  fresh_inputs,         // every call has contents of its own
  small_changes,        // between some calls only a few elements change
  moving_buffers,       // every call has addresses of its own
  fresh_poison,         // outputs are filled with fresh random bits before every call
  guard_zones,          // the bytes around a buffer are checked after every call
  read_only_inputs,     // a worker cannot write to its inputs
  sealed_inputs,        // a worker cannot reopen the memory of its inputs for writing
  unchanged_inputs,     // inputs are checked after every call
  every_call_compared,  // every call of a case is compared, not only the first
  whole_output_compared,
  nonfinite_compared,  // NaN and infinities must be where the oracle has them
  precision_class,     // an answer below the precision asked for is refused
  hidden_shapes,
  capture_at_stop,       // outputs count as they are when the clock stops
  idle_after_call,       // no work of a call may be left when it is over
  host_threads,          // no thread may be left after a call
  frozen_between_calls,  // a contestant is stopped between its calls, and while its outputs are judged
  clock_agreement,       // a call counts as at least as long as the referee's clock attests
  message_checks,        // replies are checked for size, type and sequence number
  lower_bound,           // nothing is faster than the device's memory and arithmetic allow
  reference_agreement,   // the reference is as fast beside the candidate as alone
  declared_libraries,    // libraries that a contestant links or opens must be allowed
  outputs_apart,         // outputs of a contestant in Python do not share memory with its inputs
  outputs_overwritten,   // outputs of a contestant in Python are filled with random bits after they are
                         // captured
  forward_seeds,         // a module's random numbers, such as a dropout's mask, have a new seed in each call
  own_contents,          // every candidate, and every attempt to grade it, has contents of its own
};

// In kgrade, true for every defence.
bool is_on(Defence defence);

// The environment variables that make a worker switch off the defences that are off here. Empty in kgrade.
std::vector<std::string> environment_of_defences();

}  // namespace kgrade
