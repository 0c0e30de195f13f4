// Runs one candidate on one case. A case that is not measured gets a few rounds of oracle, reference and
// candidate on the same new inputs. A measured case (of the role bench) gets blocks of rounds, in which the
// reference, the fastest baseline of the candidate's class and the candidate are timed beside each other
// (measure/block_run.h). Every call is checked either way.
#pragma once

#include <string>
#include <vector>

#include "grade/session.h"
#include "record/record.h"

namespace kgrade {

// An Error is not the candidate's fault: the device ran out of memory, or a contestant of our own failed.
Result<CaseRecord> run_case(Session& session, const Case& bound);

// Runs several candidates on one case, and returns a record for each. They share the calls of the reference.
// `trusted`, a session without a candidate, makes these calls. Each candidate has its own contents and calls
// of the oracle. An Error is not the fault of a candidate. Then run the candidates one after the other.
Result<std::vector<CaseRecord>> run_case_together(Session& trusted, const std::vector<Session*>& sessions,
                                                  const Case& bound);

// Runs a measured case once more, in new processes of all contestants, and adds to the record of run_case().
std::optional<Error> run_case_again(Session& session, const Case& bound, CaseRecord& record);

}  // namespace kgrade
