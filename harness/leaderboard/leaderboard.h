// From finished results to boards on which candidates are ranked.
//
// A board is one problem in one element type on one GPU model, for answers of one precision class: nothing is
// ranked together that differs in one of them. A candidate (a path, whatever its file has held) stands on it
// with the newest of its results; the older ones, of this and of other versions, are its history.
//
// What has no speed has no rank, and stands apart: candidates that were not accepted, and results of devices
// whose times do not measure speed (the emulated one).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "leaderboard/samples.h"
#include "record/record.h"

namespace kgrade {

// What speedups are taken against: the reference, or in each case the fastest baseline of the answer's class; fast_p
// and suite scores also against one baseline by its name, of whatever class.
inline constexpr std::string_view against_reference = "reference";
inline constexpr std::string_view against_baseline = "baseline";

// The score of that name; null where there is none. That of pytorch-fp32 is the reference's where the reference is
// PyTorch's eager mode.
const Score* score_against(const Record& record, std::string_view against);

// The ranks that an estimate can have that is known to an interval only. `best` is 1 + the number of
// intervals that lie wholly above this one, `worst` the number of intervals less those that lie wholly below.
// Overlap is not transitive (a can overlap b, and b overlap c, where a lies above c), so ties are no groups:
// two share a rank when as many lie wholly above either, and whatever lies wholly above another has a better
// rank than it. Intervals that touch overlap.
struct RankRange {
  std::size_t best = 1;
  std::size_t worst = 1;
};

// A candidate where it stands.
struct LeaderboardRow {
  std::string id;  // 12 hexadecimal digits of problem, type, device and path: the same in every leaderboard
  std::string solution;  // what fast_p and suite scores follow over problems: solution_of() its path
  Record newest;
  std::vector<Record> earlier;     // of the same path, the oldest first
  std::optional<RankRange> rank;   // none: see unranked_because, or the verdict
  bool tied = false;               // another row has the same (best) rank
  std::string unranked_because{};  // of an accepted candidate

  // Between the result before this one and this one the candidate was edited. Results are numbered as in
  // `earlier`, and the newest follows.
  bool changed_before(std::size_t result) const;
};

// What the rows of a board have measured: only results of the same cases, with the same work in them and the
// same state of the cache, are compared.
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
  bool modules = false;  // of modules, which prepare their weights once: they are not ranked with the others
  std::string title;     // of the problem, as the newest result has it
  // "baseline" where all that are ranked were measured beside one, or else "reference", beside which
  // everything is measured. Empty where nothing is ranked.
  std::string against;
  std::vector<std::string> baselines;  // their names, where against is "baseline"
  std::vector<BoardCase> cases;        // that the ranked rows have measured, by name
  std::string cache;                   // "cold"
  // Ranked ones first, by rank, and those of one rank by speedup, but one that was slower than another in the
  // same blocks of a heat after it; then the others by path.
  std::vector<LeaderboardRow> rows;
};

// One solution's results over all problems of a suite.
struct SuiteRow {
  std::string solution;
  std::size_t accepted = 0;         // problems answered in the class
  SuiteScore score;                 // of these
  std::vector<double> speedups;     // of these, the largest first
  std::map<double, double> fast_p;  // at 0.5, 1, 1.5, 2, 3, 5: share of all problems of the suite
};

// All problems in one element type on one GPU model in one class, with one thing to compare with and one state of the
// cache.
struct Suite {
  std::string device;
  Dtype dtype = Dtype::float32;
  Precision precision = Precision::fp32;
  bool modules = false;  // as on boards
  std::string against;
  std::string cache;  // "cold"
  // Problems with results in this type on this GPU model that may be answered in the class; against
  // "baseline", or one by its name, only those that have it.
  std::size_t problems = 0;
  std::vector<SuiteRow> rows;  // by fast_p at 1, accepted, score: the best first
};

struct LeaderboardDevice {
  std::string name;
  std::string kind;
  bool times_are_speed = false;
  std::optional<Ceilings> ceilings;  // of the newest result that has them
};

struct Leaderboard {
  std::string newest;            // when the newest result was begun; ISO 8601, UTC
  std::size_t measurements = 0;  // results that it was made of, each once
  std::vector<LeaderboardDevice> devices;
  std::vector<Board> boards;  // by problem, element type, GPU model, class
  // In the order of the boards: candidates that were not accepted, and those accepted where times are no
  // speed.
  std::vector<LeaderboardRow> unmeasured;
  std::vector<Suite> suites;
  std::string against;  // the suites are against this alone; empty: against everything that there is
  std::vector<SampledRun> runs;  // by name, level, GPU model and type
};

// Leaves only the suites against this one: a baseline's name, "reference" or "baseline". An Error where there are
// none names those that there are.
Result<bool> keep_suites_against(Leaderboard& leaderboard, const std::string& against);

// Of each candidate the newest result: those on boards, then the others.
std::vector<const Record*> newest_records(const Leaderboard& leaderboard);

// The same records give the same leaderboard, in whatever order they come. Records of the same candidate and
// version on the same problem and device that began at the same time are one, read twice. Candidates are
// called as name_candidates() says.
Leaderboard make_leaderboard(std::vector<Record> records);

// Gives each record a path that does not tell where the machine keeps its files. One below the working folder
// of the run stays as it is, in its shortest form. Any other ends at the folder that is called like the
// problem:
// "/srv/me/solutions/scale/fast.cu" is "solutions/scale/fast.cu", and "/tmp/scale/fast.cu" is
// "scale/fast.cu"; without such a folder it is "scale/" and the file's name. A sample of a run (samples.h)
// begins with the run's folder. Where that would be one name for
// several candidates of one file of results, they are called by problem and path below their common folder.
void name_candidates(std::vector<Record>& records);

}  // namespace kgrade
