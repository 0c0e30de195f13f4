// Compares two sets of finished results: what became faster or slower, and what is no longer accepted. How
// speeds are compared: measure/compared_speeds.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/enum_words.h"
#include "leaderboard/record_files.h"
#include "measure/compared_speeds.h"
#include "record/record.h"

namespace kgrade {

// How a verdict changed. `other`: from one failed verdict to another. `lower_class`: accepted on both sides,
// but with less precision on the second. `needs_gpu`: accepted on the first side, and on the second the
// emulated device cannot run the candidate.
enum class VerdictChange { none, regression, improvement, other, lower_class, needs_gpu };
template <>
inline constexpr std::array<std::string_view, 6> enum_words<VerdictChange> = {
    "none", "regression", "improvement", "other", "lower_class", "needs_gpu"};

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
