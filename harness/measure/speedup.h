// How many times as fast one contestant is as another, and how a speedup's interval is computed: within one
// process, over several, and for a set of cases or problems.
//
// A log difference is, for one block, the mean log of the opponent's times less the mean log of the
// candidate's: exp of it is above 1 where the candidate is faster, and exchanging the two sides inverts it.
// Logarithms are natural; values are finite (std::invalid_argument otherwise). Intervals have a confidence of
// 95 % (confidence_level). The statistics behind them are in measure/intervals.h.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "measure/intervals.h"
#include "record/record.h"

namespace kgrade {

// Mean logarithm of one arm's times less that of another's. Of the blocks that count, in order.
std::vector<double> log_differences(std::span<const Block> blocks, std::size_t arm, std::size_t other);
// The same for arms of two lists of the same blocks: those blocks that count in both.
std::vector<double> log_differences(std::span<const Block> blocks, std::size_t arm,
                                    std::span<const Block> other_blocks, std::size_t other);

// From the blocks of one process: Hodges and Lehmann's estimate with Wilcoxon's interval. It holds for this
// process only: what differs from one process to the next (addresses, clocks, temperature) is not in it.
// The interval is exact where each block's order was chosen by a fair coin (ABBA or BAAB), whatever the
// drift or the states of the clock, as long as that disturbs both sides alike: given the disturbance, the
// coin alone makes the sign of a block's error. A run that is stopped by the half-width, looked at every ten
// blocks, keeps between 94 % and 95 % (simulated; a later first look costs less).
SpeedRatio ratio_within(const std::vector<double>& log_differences);

// One call of a contestant in so many may have any time without moving that estimate by more than the noise
// of the others does, where there are many: with two calls a block that is at most a quarter of the blocks,
// and 29 % of them (1 - 1 / sqrt(2)) still leave half of the pairs, whose means' median it is, without one.
inline constexpr std::size_t calls_per_outlier = 8;

// The process offset: what a process adds to the time of every launch, for as long as it lives. Two processes
// that run the same binary differ by a constant: on one H200 by 0.1 us (standard deviation), the same for
// kernels of 3 us and of 100 us, with a cold cache and a warm one, for any event, copy of the code or address
// of the data (results/nvidia-h200/process-offset.json). No number of samples in one process shows it. So the
// interval of a ratio takes it into account, and a kernel for which it matters is measured in several
// processes.

// Of the log of the ratio of two processes' times, from the standard deviation of one process's constant and
// what a launch of either takes; all positive and in one unit.
double offset_of_log_ratio(double offset, double one, double other);

// How many processes bring an interval to the half-width that is wanted; from goal.processes to
// goal.most_processes. Half-widths add in quadrature, and of the square no more than `most_of_offset` is left
// to the offsets: the rest is what samples have to do with.
constexpr double most_of_offset = 0.75;
int processes_wanted(const MeasuringGoal& goal, double offset_log);

// The half-width inside one of these processes with which that of all is the one wanted. Where so many
// processes do not suffice, and never more than, goal.half_width.
double half_width_within(const MeasuringGoal& goal, double offset_log);

// A note on a device whose offset is assumed to be that of another, on which it was measured. Where that is
// wrong by a factor of two, intervals of two to four processes hold the truth in 71 to 83 % of all runs
// instead of 95 % (harness/tests/measure/coverage_test.cc).
std::optional<std::string> borrowed_offset_note(const DeviceInfo& device);

// From what ratio_within() says of a few processes (one to four), each moved on the log scale by an offset of
// its own, of which the standard deviation is known. The mean of their estimates; the interval is that of the
// mean, its two sides wide as the root of the sum of squares of the processes' own and of the offsets' 95 %.
// Where the processes differ by more than all that explains (chi-square, 1 %), or one has no interval, the
// answer is that of ratio_across().
SpeedRatio ratio_pooled(const std::vector<SpeedRatio>& processes, double offset_log);

// From one estimate per process, each the log of its ratio_within(): their mean with Student's interval.
SpeedRatio ratio_across(const std::vector<double>& process_estimates_log);

// The candidate, which is the last arm, beside the reference and the baseline that counts. Over several processes every one of them
// counts as one estimate, however many blocks it has; what processes differ by of themselves is in the
// interval.
std::vector<Speedup> speedups_of(const CaseRecord& record);
// The same beside the baselines that do not count.
std::vector<Speedup> other_speedups_of(const CaseRecord& record);

// The candidate beside another one of its heat. Nothing if one of them is not accepted, if their classes
// differ, or if there is a measured case in which no block counts for both of them.
std::optional<Neighbour> neighbour_of(const CandidateRecord& candidate, const CandidateRecord& other);

// In how many processes the case is to be measured, as far as its record tells by now.
int processes_wanted(const CaseRecord& record);

// Geometric mean of the ratios by their weights; 0 when there are none. Its interval assumes that the ratios
// were measured independently, all at the same confidence: then the errors' variances add, so the half-widths
// on the log scale, times the weights, add in quadrature, divided by the sum of the weights. What moves all
// ratios alike (one GPU for all problems) is not in it. No interval where one of the ratios has none.
SuiteScore suite_score(const std::vector<SpeedRatio>& ratios);

// Share of all problems whose answer is correct and whose speedup is above p; 0 when there are no problems.
// Nothing stands for an answer that is not correct. (fast_p of A. Ouyang et al., "KernelBench: Can LLMs Write
// Efficient GPU Kernels?", 2025.)
double fast_p(const std::vector<std::optional<double>>& speedups, double p);

// Over the cases that were compared: with the reference, and with the fastest baseline of each case where
// every case has one.
std::vector<Score> scores_of(const std::vector<CaseRecord>& cases);
// The same against each baseline by its name that was measured in every one of them.
std::vector<Score> scores_by_baseline(const std::vector<CaseRecord>& cases);

}  // namespace kgrade
