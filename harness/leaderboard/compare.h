// Two sets of finished results side by side: what became faster or slower, what is no longer accepted. And
// the candidates of one run.
//
// Candidates that were called in the same blocks of a heat were compared there (Neighbour). All others were
// measured against the same reference, at different times: the ratio of their speeds is the quotient of their
// speedups over it. On the log scale the two errors are independent, so that the half-widths of their
// intervals add in quadrature. Two devices of one model give the same files different speedups, and that is
// in the interval too where the sides were measured on two devices.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "leaderboard/record_files.h"
#include "record/record.h"

namespace kgrade {

// Of verdicts; `other` is from one that is not accepted to another, `lower_class` from accepted to accepted
// in a class of less precision, `needs_gpu` from accepted to what the emulated device cannot run.
enum class VerdictChange { none, regression, improvement, other, lower_class, needs_gpu };
std::string_view to_string(VerdictChange change);  // "regression"

// What two devices of one model differ by: the standard deviation of the log of the ratio of two speedups
// over the reference, of one case and the same files, beyond what their own intervals explain. From two H200
// (results/nvidia-h200/tuned-earlier.jsonl and sweep.jsonl): the root mean square of 16 cases, of which 15
// lie within its 95 % (2.7 %), and one at 4.3 %. It differs from case to case, so over several cases it
// averages out. Records of further pairs that were made because these differed most are left out. Other
// models are assumed to differ as much.
inline constexpr double device_offset_of_log_ratio = 0.014;

// Above 1 the second candidate is faster.
struct ComparedSpeeds {
  bool in_same_blocks = false;  // of a heat, and not by speedups over the reference
  bool other_device = false;    // speeds were measured on two devices, or on one that is not known
  // Over all cases: the geometric mean of their ratios, as suite_score() has it. Nothing where the speeds
  // cannot be compared.
  std::optional<SpeedRatio> speed;
  std::string no_speed;  // why not
  std::vector<ComparedCase> cases;
};

// Of two candidates for one problem, element type and GPU model.
ComparedSpeeds compare_speeds(const Record& before, const Record& after);

// The same candidate twice, or two candidates where there is one on each side.
struct ComparedPair : ComparedSpeeds {
  Record before;
  Record after;
  VerdictChange change = VerdictChange::none;
  bool same_files = false;  // candidate, problem and reference, byte by byte

  // Nothing without a speed, and for the same files on another device: their speeds say how the devices
  // differ, and nothing of the candidate.
  std::optional<Statement> statement() const;
  bool is_same_on_other_device() const { return speed && same_files && other_device; }
};

struct ComparedRecords {
  std::vector<ComparedPair> pairs;  // by problem, element type, device and path of the second one
  std::vector<Record> removed;      // that only the first side has, in the same order
  std::vector<Record> added;        // likewise the second one
  SuiteScore suite;                 // of the pairs with a statement
  std::size_t superseded = 0;       // results on either side of which there is a newer one there
  // Of files on either side in which a result is missing: see RecordsRead.
  Errors unfinished_before;
  Errors unfinished_after;
};

// A pair is the same problem, element type, GPU model and candidate; the emulated device is one model,
// however many cores it has. It is the same candidate if the path is the same, or else the file name where
// only one on each side has it. If each side has a single candidate, and both are on the same problem, type
// and model, these are the pair, whatever they are called. Of several results of one candidate on a side the
// newest counts.
ComparedRecords compare_records(std::vector<Record> before, std::vector<Record> after);
// The same, with what the files lack.
ComparedRecords compare_results(RecordsRead before, RecordsRead after);

// The ratio of the second speed over the first: both speedups over the same opponent. No interval where one
// of them has none.
SpeedRatio ratio_of_speedups(const SpeedRatio& before, const SpeedRatio& after);
// The same ratio, with what two devices differ by in its interval, if it has one.
SpeedRatio across_devices(SpeedRatio ratio);

std::size_t count_of(const ComparedRecords& comparison, Statement statement);
std::size_t count_of(const ComparedRecords& comparison, VerdictChange change);
// How many pairs may be slower than before: those that are slower, and those that look slower
// and have too few samples for an interval. The same files on another device are not among them.
std::size_t count_of_suspects(const ComparedRecords& comparison);
// Of those that only the first side has, how many it has accepted.
std::size_t count_of_missing(const ComparedRecords& comparison);
// Of pairs that are accepted on both sides, how many have times that cannot be compared.
std::size_t count_of_incomparable(const ComparedRecords& comparison);
// How many pairs are the same files on another device.
std::size_t count_of_same_files(const ComparedRecords& comparison);
// Something that was accepted cannot be seen to be as good as it was: it is not accepted, missing, or of a
// lower class, or a file lacks a result.
bool loses_accepted(const ComparedRecords& comparison);

}  // namespace kgrade
