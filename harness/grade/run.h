// What runs of `grade` and `check` have in common: their options and their outcome.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "compile/candidate_source.h"
#include "compile/layout.h"
#include "contest/contest.h"
#include "grade/bench.h"
#include "grade/failure.h"
#include "record/settings.h"

namespace kgrade {

// The options of every run that judges candidates.
struct RunOptions : GradeSettings {
  std::vector<CandidateSource> candidates;  // at least one: read_candidates() refuses an empty list
  std::vector<std::size_t> numbers;         // of the candidates in a larger run; empty: from 0 on
  bool shuffled = false;  // if speed is measured: the seed draws the order of the candidates
  Layout layout;
  // Counts the time that each candidate causes, by its number. Null: the time is not counted.
  CandidateTime* candidate_time = nullptr;
  std::function<void(const std::string&)> progress = [](const std::string&) {};
  // Shows what a user should read before the run goes on.
  std::function<void(const std::string&)> notice = [](const std::string&) {};
};

// After a failure, the record keeps what was found before.
template <class RecordType>
struct RunOutcome {
  std::optional<RecordType> record;  // of the candidates that are finished; unset if there are none
  Failure failure;                   // why the other candidates are not finished
  // The processes and the device that the run still holds. Releasing them takes a moment, so print the record
  // first.
  std::shared_ptr<const void> machine = nullptr;
};

}  // namespace kgrade
