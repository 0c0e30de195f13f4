// From blocks to statements: what the record says about a candidate's speed.
#pragma once

#include <optional>
#include <vector>

#include "record/record.h"

namespace kgrade {

// The candidate, which is the last arm, beside each of the others. Over several processes every one of them
// counts as one estimate, however many blocks it has; what processes differ by of themselves is in the
// interval.
std::vector<Speedup> speedups_of(const CaseRecord& record);

// In how many processes the case is to be measured, as far as its record tells by now.
int processes_wanted(const CaseRecord& record);

// The floor of the class that the candidate reaches, and how near to it each arm comes. Nothing where the
// ceilings are not known, or the case says too little.
std::optional<CaseRoofline> roofline_of(const Case& bound, const CaseRecord& record,
                                        const std::optional<Ceilings>& ceilings);

// Over the cases that were compared: with the reference, and with the fastest baseline of each case where
// every case has one.
std::vector<Score> scores_of(const std::vector<CaseRecord>& cases);

}  // namespace kgrade
