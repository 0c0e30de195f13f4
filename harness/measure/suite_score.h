// One number for a whole set of problems.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "measure/speed_ratio.h"

namespace kgrade {

// Geometric mean of the ratios; 0 when there are none. Its interval assumes that the ratios were measured
// independently, all at the same confidence: then the errors' variances add, so the half-widths on the log
// scale add in quadrature, divided by the count. What moves all ratios alike (one GPU for all problems) is
// not in it. No interval where one of the ratios has none.
SuiteScore suite_score(const std::vector<SpeedRatio>& ratios);

// Share of all problems whose answer is correct and whose speedup is above p; 0 when there are no problems.
// Nothing stands for an answer that is not correct. (fast_p of A. Ouyang et al., "KernelBench: Can LLMs Write
// Efficient GPU Kernels?", 2025.)
double fast_p(const std::vector<std::optional<double>>& speedups, double p);

}  // namespace kgrade
