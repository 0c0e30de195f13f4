// Compares the speeds of two candidates for one problem.
//
// Candidates that ran in the same blocks of a heat were compared there (Neighbour). All other pairs were
// measured against the same reference at different times. The ratio of their speeds is the quotient of their
// speedups over the reference. On the log scale the two errors are independent, so the half-widths of the
// intervals add in quadrature. Two devices of one model give the same files different speedups. If the sides
// were measured on two devices, the interval includes this difference.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "record/record.h"

namespace kgrade {

// The difference between two devices of one model. It is the standard deviation of the log of the ratio of
// two speedups over the reference, for one case and the same files, beyond their own intervals. It was
// measured on two H200 (results/nvidia-h200/tuned-earlier.jsonl, results/nvidia-h200/sweep.jsonl), as the
// root mean square of 16 cases. 15 of these cases lie within the 95 % range of this deviation (2.7 %), and
// one is at 4.3 %. The pairs that had differed most were measured again, and these later records are left
// out. The difference varies between cases, so over several cases it averages out. Other models are assumed
// to differ as much.
inline constexpr double device_offset_of_log_ratio = 0.014;

// The speeds of two candidates. Ratios above 1 mean that the second is faster.
struct ComparedSpeeds {
  bool in_same_blocks = false;  // in a heat, not by speedups over the reference
  bool other_device = false;    // speeds were measured on two devices, or on an unknown one
  // The geometric mean of the ratios of all cases, as in suite_score(). Nothing if the speeds cannot be
  // compared.
  std::optional<SpeedRatio> speed;
  std::string no_speed;  // why there is no speed
  std::vector<ComparedCase> cases;
};

// Compares two candidates for one problem, element type and GPU model.
ComparedSpeeds compare_speeds(const Record& before, const Record& after);

// The ratio of the second speed to the first. Both speedups must be over the same opponent. There is no
// interval if one of the speedups has none.
SpeedRatio ratio_of_speedups(const SpeedRatio& before, const SpeedRatio& after);
// Widens the interval, if there is one, by the difference between two devices.
SpeedRatio across_devices(SpeedRatio ratio);

// Whether two records are of one GPU model. Only then speeds are compared.
bool are_on_one_model(const Record& before, const Record& after);

// --- Text ---

inline constexpr char in_the_same_blocks[] = "in the same blocks";

// "1.125x". Ratios in comparisons are near 1, so this text has more digits than ratio_text(). Their number
// depends on the interval's width.
std::string precise_ratio_text(const SpeedRatio& ratio);
// "1.121x to 1.129x", empty without an interval.
std::string precise_interval_text(const SpeedRatio& ratio);

// A line for each pair of candidates of a run: "b.cu is faster than a.cu: 1.12x (1.10x to 1.14x), in the same
// blocks". With more than three candidates, each is compared with the fastest. Only candidates of one class
// are compared. Empty if there are no speeds.
std::string candidates_text(const Record& record);

}  // namespace kgrade
