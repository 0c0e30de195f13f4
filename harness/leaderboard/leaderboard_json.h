// The JSON of a leaderboard, as it is written and read back.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json_value.h"
#include "leaderboard/leaderboard.h"

namespace kgrade {

struct WrittenScore {
  std::string against;
  double speedup = 1;
  std::optional<Interval> interval;
};

// Over all measured cases.
struct StatedScore : WrittenScore {};

struct WrittenCase {
  std::string name;
  double median_ms = 0;
  std::optional<std::int64_t> flops;
  std::int64_t bytes = 0;
  std::vector<WrittenScore> comparisons;
  std::optional<double> roofline_share;
  std::optional<BoundBy> bound_by;
};

struct WrittenResult {
  std::string measured_at;
  std::string sha256;
  bool is_new_version = false;
  Precision precision = Precision::fp32;
  std::string device_uuid;
  std::string file;
  std::string tool_version;
  std::string git_commit;
  std::string problem_sha256;
  std::string reference_sha256;
  Effort effort = Effort::normal;
  std::optional<CacheState> cache;
  Verdict verdict = Verdict::accepted;
  std::vector<StatedScore> scores;
};

struct WrittenRow : WrittenResult {
  std::string id;
  std::string candidate;
  std::string solution;
  std::optional<RankRange> rank;
  bool is_tied = false;
  std::optional<std::string> unranked_because;
  std::string message;
  std::vector<WrittenCase> cases;
  std::vector<WrittenResult> earlier;
};

// What the results of a board have in common.
struct WrittenContest {
  std::string problem;
  std::string title;
  Dtype dtype = Dtype::float32;
  std::string device;
  bool is_of_modules = false;
};

struct WrittenBoard : WrittenContest {
  Precision precision = Precision::fp32;
  std::optional<std::string> against;
  std::vector<std::string> baselines;
  std::optional<std::string> cache;
  std::vector<BoardCase> cases;
  std::vector<WrittenRow> rows;
};

struct WrittenUnmeasured : WrittenContest, WrittenRow {
  Precision required_precision = Precision::fp32;
};

struct WrittenLeaderboard {
  std::string newest;
  std::size_t measurements = 0;
  std::vector<LeaderboardDevice> devices;
  std::vector<WrittenBoard> boards;
  std::vector<WrittenUnmeasured> unmeasured;
  std::vector<Suite> suites;
  std::vector<SampledRun> runs;
};

// Leaves out suites, runs, scores and earlier results. Complaints are the JsonValue's.
WrittenLeaderboard read_leaderboard(const JsonValue& json);

}  // namespace kgrade
