// How many times as fast one contestant is as another, and the interval of this speedup: within one process,
// over several processes, and for a set of cases or problems.
//
// The log difference of a round is the log of the opponent's time less the log of the candidate's, and that
// of a block is the mean of its two rounds. Its exp is above 1 if the candidate is faster, and exchanging the
// two sides inverts it. Logarithms are natural; values must be finite (std::invalid_argument otherwise).
// Intervals have a confidence of 95 % (confidence_level), those of a few blocks 98 %. The statistics behind
// them are in measure/intervals.h. speedups_of() goes from log_differences() to ratio_within() for each
// process, and joins the processes by ratio_pooled() or ratio_across().
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "measure/intervals.h"
#include "record/record.h"

namespace kgrade {

// For each round of the blocks that count, in order: the logarithm of one arm's time less that of the
// other's. A block has two rounds.
std::vector<double> log_differences(std::span<const Block> blocks, std::size_t arm, std::size_t other);
// For arms of two lists of the same blocks: blocks that count in both lists.
std::vector<double> log_differences(std::span<const Block> blocks, std::size_t arm,
                                    std::span<const Block> other_blocks, std::size_t other);

// From the rounds of one process: Hodges and Lehmann's estimate from the blocks, with an interval. The
// interval holds for this process only and leaves out the differences between processes (addresses, clocks,
// temperature). One block gives no interval.
//
// From six blocks on (fewest_for_wilcoxon) the interval is Wilcoxon's. It is exact if a fair coin chose each
// block's order (ABBA or BAAB), whatever the drift or the states of the clock, as long as these disturb both
// sides alike: given the disturbance, the coin alone decides the sign of a block's error. If the half-width
// is examined every ten blocks and ends the run when it is small enough, the confidence is still 94 % to 95 %
// (simulated; it is higher if the first examination comes later).
//
// With fewer blocks the coin has too few tosses. Then the interval is Student's, from the rounds, for they
// have twice as many degrees of freedom as the blocks. It takes the errors of rounds to be independent, which
// a drift only widens. Its confidence is few_blocks_confidence. So a run that is examined after each of its
// first blocks still has intervals of about 95 % (harness/tests/measure/coverage_test.cc).
SpeedRatio ratio_within(const std::vector<double>& log_differences);
inline constexpr std::size_t fewest_for_interval = 2;  // blocks
inline constexpr double few_blocks_confidence = 0.98;

// If there are many calls, one in this many of a contestant's calls may take any time. The estimate of
// ratio_within() then moves by no more than the noise of the other calls. With two calls per block, at most a
// quarter of the blocks have such a call. The estimate is the median of the means of pairs of blocks, and 29
// % of the blocks (1 - 1 / sqrt(2)) would still leave half of the pairs without such a call.
inline constexpr std::size_t calls_per_outlier = 8;

// The process offset: the time that a process adds to every launch, for as long as it lives. Two processes
// that run the same binary differ by a constant. On one H200 its standard deviation is 0.1 us, for kernels of
// 3 us and of 100 us alike, with a cold cache and a warm one, for any event, copy of the code or address of
// the data (results/nvidia-h200/process-offset.json). No number of samples in one process shows it. So the
// interval of a ratio takes it into account, and a kernel for which it matters is measured in several
// processes.

// The standard deviation of the log of the ratio of two processes' times. `offset` is the standard deviation
// of one process's constant, `one` and `other` are the times of a launch. All are positive and in one unit.
double offset_of_log_ratio(double offset, double one, double other);

// How many processes give an interval the wanted half-width, from goal.processes to goal.most_processes.
// Half-widths add in quadrature. At most `most_of_offset` of the square is left to the offsets; the rest is
// for the samples.
constexpr double most_of_offset = 0.75;
int processes_wanted(const MeasuringGoal& goal, double offset_log);

// The half-width in each process with which all processes together reach goal.half_width. It is at most
// goal.half_width, also if that many processes are not enough.
double half_width_within(const MeasuringGoal& goal, double offset_log);

// A note on a device whose offset is assumed to be as measured on another device. If the offset is wrong by a
// factor of two, intervals of two to four processes hold the truth in 71 to 83 % of all runs instead of 95 %
// (harness/tests/measure/coverage_test.cc).
std::optional<std::string> borrowed_offset_note(const DeviceInfo& device);

// Pools ratio_within() of one to four processes. Each is moved on the log scale by an offset of its own,
// whose standard deviation is known. The estimate is the mean of their estimates. Each side of its interval
// is the root of a sum of squares: the processes' own half-widths, and the 95 % of the offsets. If the
// processes differ by more than all this explains (chi-square, 1 %), or if one has no interval, the answer is
// that of ratio_across().
SpeedRatio ratio_pooled(const std::vector<SpeedRatio>& processes, double offset_log);

// From one estimate per process, the log of its ratio_within(): their mean with Student's interval.
SpeedRatio ratio_across(const std::vector<double>& process_estimates_log);

// Speedups of the candidate, the last arm, over the reference and over the baseline that counts. Each process
// counts as one estimate, however many blocks it has. ratio_pooled() joins the estimates, even if there is
// only one. If the goal asks for several processes (--ranked), ratio_across() joins them instead.
std::vector<Speedup> speedups_of(const CaseRecord& record);
// Speedups over the baselines that do not count.
std::vector<Speedup> other_speedups_of(const CaseRecord& record);

// The candidate beside another candidate of its heat. Nothing if one of them is not accepted, if their
// classes differ, or if no block of some measured case counts for both.
std::optional<Neighbour> neighbour_of(const CandidateRecord& candidate, const CandidateRecord& other);

// In how many processes the case is to be measured, by its record so far.
int processes_wanted(const CaseRecord& record);

// Weighted geometric mean of the ratios; 0 if there are none. Its interval assumes that the ratios were
// measured independently, all at the same confidence. Then the errors' variances add: half-widths on the log
// scale, times the weights, add in quadrature, and are divided by the sum of the weights. Effects that move
// all ratios alike (one GPU for all problems) are not included. There is no interval if one of the ratios has
// none.
SuiteScore suite_score(const std::vector<SpeedRatio>& ratios);

// The share of all problems whose answer is correct and whose speedup is above p; 0 if there are no problems.
// An unset speedup means that the answer is not correct. (fast_p of A. Ouyang et al., "KernelBench: Can LLMs
// Write Efficient GPU Kernels?", 2025.)
double fast_p(const std::vector<std::optional<double>>& speedups, double p);

// Scores over the cases that were compared: against the reference, and against the fastest baseline of each
// case if every case has one.
std::vector<Score> scores_of(const std::vector<CaseRecord>& cases);
// Scores against each baseline, by name, that was measured in every case.
std::vector<Score> scores_by_baseline(const std::vector<CaseRecord>& cases);

// A speedup counts only over contestants of the candidate's class. If the class of the reference is better
// than the candidate's, moves the score over the reference to the scores that do not count, and says so in a
// note if no other score counts.
void keep_to_class(CandidateRecord& candidate, Precision reference);

}  // namespace kgrade
