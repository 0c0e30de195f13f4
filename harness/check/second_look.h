// What `grade` without a GPU looks for with the checker once a candidate is accepted: faults that the answers
// on the emulated device do not show, since its threads run one after another and its memory is the host's.
#pragma once

#include "grade/grade.h"

namespace kgrade {

// Runs the checked candidate on the smallest case, and on the smallest one with enough elements for several
// warps unless its grid is large whatever the case, in one process. A candidate is refused for two reasons
// only:
// - runtime_error for an access that ends with an error on every GPU: a kernel touches no device memory, host
//   code touches device memory, a vector access is not aligned;
// - wrong_answer if races or work in a stream that nothing joins were found, and the answer is wrong once the
//   checker lets them happen (device/emulated/checker/checker.h), or in reverse order.
// Every other finding is a note, as the answer may be right on every GPU. So is a wrong answer in the first
// call, where local variables without a value are filled with a pattern.
Failure look_with_checker(RunSetup& setup, const Problem& problem, const RunOptions& options,
                          const CandidateSource& source, CandidateRecord& record);

}  // namespace kgrade
