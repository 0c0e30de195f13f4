// Compares two sets of finished results: what became faster or slower, and what is no longer accepted. Also
// compares the candidates of one run.
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

#include "base/enum_words.h"
#include "leaderboard/record_files.h"
#include "record/record.h"

namespace kgrade {

// How a verdict changed. `other`: from one failed verdict to another. `lower_class`: accepted on both sides,
// but with less precision on the second. `needs_gpu`: accepted on the first side, and on the second the
// emulated device cannot run the candidate.
enum class VerdictChange { none, regression, improvement, other, lower_class, needs_gpu };
template <>
inline constexpr std::array<std::string_view, 6> enum_words<VerdictChange> = {
    "none", "regression", "improvement", "other", "lower_class", "needs_gpu"};

// The difference between two devices of one model. It is the standard deviation of the log of the ratio of
// two speedups over the reference, for one case and the same files, beyond their own intervals. It was
// measured on two H200 (results/nvidia-h200/tuned-earlier.jsonl and sweep.jsonl), as the root mean square of
// 16 cases. 15 of these cases lie within the 95 % range of this deviation (2.7 %), and one is at 4.3 %. The
// pairs that had differed most were measured again, and these later records are left out. The difference
// varies between cases, so over several cases it averages out. Other models are assumed to differ as much.
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

// A pair of results: one candidate's from both sides, or those of the only candidate of each side.
struct ComparedPair : ComparedSpeeds {
  Record before;
  Record after;
  VerdictChange change = VerdictChange::none;
  bool same_files = false;  // candidate, problem and reference are equal, byte by byte

  // Nothing if there is no speed. Also nothing if the same files ran on another device, because then the
  // speeds compare the devices, not the candidates.
  std::optional<Statement> statement() const;
  bool is_same_on_other_device() const { return speed && same_files && other_device; }
  // True if the two sides ran on two GPU models. Then verdicts are compared, and speeds are not.
  bool is_on_other_model() const;
  // True if the candidate was accepted before and its verdict, class or speed may have become worse.
  bool is_worse() const;
};

struct ComparedRecords {
  std::vector<ComparedPair> pairs;  // by problem, element type, device and path of the second record
  std::vector<Record> removed;      // only the first side has them; in the same order
  std::vector<Record> added;        // only the second side has them; in the same order
  SuiteScore suite;                 // of the pairs with a statement
  std::size_t superseded = 0;       // results that are not the newest of their candidate on their side
  // The files on each side in which a result is missing: see RecordsRead.
  Errors unfinished_before;
  Errors unfinished_after;
  // The first files and lines on both sides that should be records but are not, and the number of all of
  // them.
  Errors skipped;
  std::size_t skipped_count = 0;
};

// Pairs results with the same problem, element type, GPU model and candidate. The emulated device is one
// model, however many cores it has. Candidates are the same if their paths are equal. Without an equal path,
// they are the same if their files are equal byte by byte, and without an equal file, if their file names are
// equal and each side has only one such candidate. The remaining results are paired by the same rules across
// GPU models. For such pairs only verdicts are compared. If each side has only one candidate, and problem,
// type and model agree, these two are a pair whatever their names. If a side has several results of one
// candidate, the newest counts.
ComparedRecords compare_records(std::vector<Record> before, std::vector<Record> after);
// Like compare_records(), and notes which results are missing in the files.
ComparedRecords compare_results(RecordsRead before, RecordsRead after);

// The ratio of the second speed to the first. Both speedups must be over the same opponent. There is no
// interval if one of the speedups has none.
SpeedRatio ratio_of_speedups(const SpeedRatio& before, const SpeedRatio& after);
// Widens the interval, if there is one, by the difference between two devices.
SpeedRatio across_devices(SpeedRatio ratio);

std::size_t count_of(const ComparedRecords& comparison, Statement statement);
std::size_t count_of(const ComparedRecords& comparison, VerdictChange change);
// The number of pairs that are slower than before, or look slower but have too few samples for an interval.
// Pairs of the same files on another device do not count.
std::size_t count_of_suspects(const ComparedRecords& comparison);
// The number of accepted candidates that only the first side has.
std::size_t count_of_missing(const ComparedRecords& comparison);
// The number of pairs that are accepted on both sides but have times that cannot be compared, on one GPU
// model.
std::size_t count_of_incomparable(const ComparedRecords& comparison);
// The number of pairs that are accepted on two GPU models.
std::size_t count_of_other_models(const ComparedRecords& comparison);
// The number of pairs of the same files on another device.
std::size_t count_of_same_files(const ComparedRecords& comparison);
// True if a candidate that was accepted is now not accepted, missing or of a lower class. Also true if a file
// lacks a result.
bool loses_accepted(const ComparedRecords& comparison);

}  // namespace kgrade
