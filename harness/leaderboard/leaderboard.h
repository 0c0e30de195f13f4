// Turns finished results into boards on which candidates are ranked.
//
// Each board has a problem, an element type, a GPU model and a precision class. Results that differ in any of
// these are not ranked together. A candidate is identified by its path, whatever its file contains. Its
// newest result is on the board. Its older results are its history, including results of other versions.
//
// Results without a speed have no rank and are listed separately: candidates that were not accepted, and
// results of devices whose times do not measure speed (the emulated device).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "leaderboard/samples.h"
#include "record/record.h"

namespace kgrade {

// The score against that opponent. Null if the record has no such score. Also null against a reference in a
// better precision class than the answers. If the reference is PyTorch's eager mode, the score against
// pytorch-fp32 is the one against the reference.
const Score* score_against(const Record& record, std::string_view against);

// The possible ranks of a result whose speedup is only known to lie in an interval. `best` is 1 + the number
// of intervals wholly above this one. `worst` is the number of intervals minus the number wholly below.
// Overlap is not transitive: a can overlap b, and b can overlap c, while a is above c. So ties are not
// groups. Two results have the same `best` if equally many intervals are wholly above each. An interval
// wholly above another has a better rank. Intervals that touch overlap.
struct RankRange {
  std::size_t best = 1;
  std::size_t worst = 1;
};

// A record of one candidate.
struct LeaderboardResult : Record {
  LeaderboardResult() { candidates.resize(1); }
  explicit LeaderboardResult(Record record) : Record(std::move(record)) {}

  bool is_new_version = false;  // the previous result at this path was of a file with other contents
};

// A candidate on a board.
struct LeaderboardRow {
  std::string id;  // 12 hexadecimal digits from problem, type, device and path: equal in every leaderboard
  std::string solution;  // its name across problems, for fast_p and suite scores: solution_of() of its path
  LeaderboardResult newest;
  std::vector<LeaderboardResult> earlier;  // results with the same path, oldest first
  std::optional<RankRange> rank;           // unset: see unranked_because, or the verdict
  bool tied = false;                       // another row has the same `best`
  std::string unranked_because{};          // why an accepted candidate has no rank
};

// A candidate that is on no board.
struct UnmeasuredRow : LeaderboardRow {};

// A case that the rows of a board have measured. Results are only compared if their cases have the same
// names, the same work and the same state of the cache.
struct BoardCase {
  std::string name;
  std::optional<std::int64_t> flops;
  std::int64_t bytes = 0;
  auto operator<=>(const BoardCase&) const = default;
};

struct Board {
  std::string slug;
  Dtype dtype = Dtype::float32;
  std::string device;
  Precision precision = Precision::fp32;
  bool modules = false;  // of modules, which prepare weights once; not ranked with others
  std::string title;     // of the problem, from the newest result
  // "baseline" if all ranked rows were measured beside a baseline, otherwise "reference". Empty if nothing is
  // ranked.
  std::string against;
  std::vector<std::string> baselines;  // their names, if against is "baseline"
  std::vector<BoardCase> cases;        // the cases that the ranked rows have measured, by name
  std::string cache;                   // "cold"
  // Ranked rows first, by rank and then by speedup. Within a rank, a row comes after any row that was faster
  // in the same blocks, when both were graded side by side (grade/heat.h). Rows without a rank come last, by
  // path.
  std::vector<LeaderboardRow> rows;
};

// The results of one solution over all problems of a suite.
struct SuiteRow {
  std::string solution;
  std::size_t accepted = 0;         // problems answered in the class
  SuiteScore score;                 // over these problems
  std::vector<double> speedups;     // for these problems, largest first
  std::map<double, double> fast_p;  // at 0.5, 1, 1.5, 2, 3, 5: share of all problems of the suite
  // Like fast_p, but over the problems that are not in Suite::degenerate. Empty if both shares are equal, or
  // if no problem is left.
  std::map<double, double> fast_p_without_degenerate;
};

// All problems for one element type, GPU model, class, opponent and state of the cache.
struct Suite {
  std::string device;
  Dtype dtype = Dtype::float32;
  Precision precision = Precision::fp32;
  bool modules = false;  // as in Board
  std::string against;
  std::string cache;  // "cold"
  // The number of problems that have results in this type on this GPU model and allow answers in the class.
  // If `against` is "baseline" or the name of a baseline, only problems with that baseline count.
  std::size_t problems = 0;
  // The slugs of the problems whose answer hardly depends on the inputs (CaseRecord::hardly_depends).
  std::vector<std::string> degenerate;
  std::vector<SuiteRow> rows;  // best first: by fast_p at 1, accepted, score
};

struct LeaderboardDevice {
  std::string name;
  std::string kind;
  bool times_are_speed = false;
  std::optional<Ceilings> ceilings;  // from the newest result that has them
};

struct Leaderboard {
  std::string newest;            // when the newest result began; ISO 8601, UTC
  std::size_t measurements = 0;  // distinct results on which it is based
  std::vector<LeaderboardDevice> devices;
  std::vector<Board> boards;  // by problem, element type, GPU model, class
  // Candidates that were not accepted, and accepted candidates whose times do not measure speed. They are in
  // the order of the boards.
  std::vector<UnmeasuredRow> unmeasured;
  std::vector<Suite> suites;
  std::string against;           // the only opponent of the suites; empty: all opponents
  std::vector<SampledRun> runs;  // by name, level, GPU model and type
};

// Keeps only the suites against this opponent: "reference", "baseline", or the name of a baseline. If there
// are none, an Error names the opponents that exist.
Result<bool> keep_suites_against(Leaderboard& leaderboard, const std::string& against);

// The newest result of each candidate: first of the candidates on boards, then of all others.
std::vector<const Record*> newest_records(const Leaderboard& leaderboard);

// The result does not depend on the order of the records. Two records are the same result, read twice, if
// candidate, version, problem, device and time of beginning are equal. Candidates are named by
// name_candidates().
Leaderboard make_leaderboard(std::vector<Record> records);

// Gives each record a path that hides where the machine keeps its files. A path below the working folder of
// the run stays as it is, in its shortest form. Any other path is shortened to begin near the folder that is
// named after the problem: "/srv/me/solutions/scale/fast.cu" becomes "solutions/scale/fast.cu", and
// "/tmp/scale/fast.cu" becomes "scale/fast.cu". If there is no such folder, the path becomes "scale/" and the
// file's name. The path of a sample of a run (samples.h) begins with the run's folder. If several candidates
// of one file of results would get the same name, each is named by its problem and its path below their
// common folder.
void name_candidates(std::vector<Record>& records);

// --- Ranking rows on boards, and solutions over many problems ---

// The ranks of the intervals, in their order. Rank 1 has the largest values. Time O(n log n).
std::vector<RankRange> rank_ranges(const std::vector<Interval>& intervals);

// `rows` are accepted candidates on devices whose times measure speed.
std::vector<Board> boards_of(std::vector<LeaderboardRow> rows);

// The thresholds for which fast_p is reported.
inline constexpr double fast_p_thresholds[] = {0.5, 1, 1.5, 2, 3, 5};

// Uses results of devices whose times measure speed. A solution may have several results on a problem
// (another file of that name, an earlier version, another run). The newest counts, whatever its verdict. If
// its answer is in another class or not accepted, the solution has no speedup on that problem.
std::vector<Suite> suites_of(const std::vector<Record>& records);

}  // namespace kgrade
