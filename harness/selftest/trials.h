// The measurements of the self-test: the floor, the pilot, then one comparison after the other, each of them
// a measured case as in grading (grade/case_run.h).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "grade/session.h"
#include "selftest/arms_arena.h"
#include "selftest/kernels.h"
#include "selftest/pilot.h"
#include "selftest/plan.h"
#include "selftest/selftest_record.h"

namespace kgrade::selftest {

struct TrialOptions {
  std::vector<Kernel> kernels;
  std::size_t comparisons = 0;              // of kernels with themselves
  std::size_t slowdowns = 0;                // with a slow-down
  bool fresh = false;                       // new processes for each of them
  std::optional<double> most_seconds = {};  // of all comparisons; what is done by then is what there is
  std::uint64_t free_bytes = 0;             // of the device's memory
  std::function<void(const std::string&)> progress = [](const std::string&) {};
};

// What watches the device.
struct Watch {
  BlockWatch* blocks = nullptr;
  TelemetrySampler* sampler = nullptr;
};

class Trials {
 public:
  // Keeps references to all but the last. The record comes with its seed, effort and goal.
  Trials(Arena& arena, const Problem& problem, const TrialOptions& options, StageClock& stages,
         SelftestRecord& record, Watch watch = {});

  // An Error when the device fails; the record has what was found before.
  std::optional<Error> run();

 private:
  std::optional<Error> calibrate();
  std::optional<Error> compare(const PlannedComparison& planned, std::size_t number);
  // One that is not accepted, or not in all processes, has no ratio.
  Result<CaseRecord> measure(const Case& bound, std::uint64_t seed, const std::string& words);
  std::optional<Error> start_anew();
  const Case& set_cases(const SelftestComparison& comparison);
  std::int64_t second_length(const Calibration& calibration, double added) const;
  double expected_seconds(const Calibration& calibration) const;
  std::string words_for(std::size_t number) const;

  ArmsArena arena_;
  const Problem& problem_;
  const TrialOptions& options_;
  StageClock& stages_;
  SelftestRecord& record_;
  Watch watch_;
  std::vector<Calibration> calibrations_;
  std::vector<PlannedComparison> plan_;
  std::optional<Forecast> forecast_;
  int calls_ = 0;  // of the second side's process
  bool is_shared_ = false;
};

// "about 3 min left", "less than a minute left".
std::string time_left(double seconds);

}  // namespace kgrade::selftest
