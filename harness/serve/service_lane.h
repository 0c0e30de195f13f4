// A lane of a service, and the batch that it grades.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "problem/problem.h"
#include "serve/fair_queue.h"
#include "serve/grade_job.h"
#include "sweep/lane.h"

namespace kgrade {

// Keeps work from a lane that refuses it again and again. Times are in seconds, by the service's clock.
class Quarantine {
 public:
  // After this number of refusals in a row, there is no work for a while: for a minute, then for two, and up
  // to an hour.
  static constexpr int most_refusals = 3;

  // A batch failed before one of its jobs began. True if there is no work from now on. While there is none
  // already, it does not count.
  bool refused(double now);
  // A job got its verdict.
  void graded() { *this = {}; }
  bool holds(double now) const { return now < until_; }
  double seconds() const { return backoff_s_; }

 private:
  int refusals_ = 0;  // in a row
  double backoff_s_ = 0;
  double until_ = 0;
};

// Times are in seconds, by the service's clock.
struct ServiceLane {
  std::string id;
  std::size_t number = 0;  // from 0
  std::string device;
  std::optional<std::string> host;       // of a lane that is elsewhere, when it has said so
  std::optional<Lane> process;           // started with its first batch, or before if it is elsewhere
  std::string lease;                     // of the batch
  std::vector<QueuedJob> batch;          // empty: the lane has nothing to do
  std::vector<bool> has_begun, is_done;  // for each job of the batch
  std::filesystem::path folder;          // of the batch's files
  std::string problem;                   // of the batch, as the client named it
  Warmth warmth;                         // of the process
  std::string doing;
  double since = 0;          // when it got work, or ended it, or refused it too often
  double heard_at = 0;       // when its process last said that it got on
  double charged_until = 0;  // up to when its time is charged to owners
  std::size_t spender = 0;   // the job of the batch that takes the lane's time
  double spent_s = 0;        // what that job's candidate has taken of its run_limit_s, as the process says
  double away_s = 0;         // how long the service was away during the batch, and perhaps the process too

  void begin(const std::vector<QueuedJob>& jobs, std::string new_lease, double now) {
    batch = jobs;
    lease = std::move(new_lease);
    has_begun.assign(jobs.size(), false);
    is_done.assign(jobs.size(), false);
    warmth.took(jobs.front().batch);
    spender = jobs.size();
    spent_s = away_s = 0;
    since = heard_at = charged_until = now;
  }

  void close(double now) {
    batch.clear();
    lease.clear();
    doing.clear();
    since = now;
  }

  // The number of the batch's jobs without a result.
  std::size_t left() const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < batch.size(); ++i) count += is_done[i] ? 0 : 1;
    return count;
  }

  std::optional<std::size_t> index_of(const std::string& job) const {
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (batch[i].id == job && !is_done[i]) return i;
    }
    return std::nullopt;
  }

  // The first job that has begun and has no result. Null before the first one begins.
  const GradeJob* current(const std::map<std::string, GradeJob>& jobs) const {
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (has_begun[i] && !is_done[i]) return &jobs.at(batch[i].id);
    }
    return nullptr;
  }
};

// The hash that a record has of this candidate. Writes its files into the folder if there are headers. An
// Error if they cannot be written.
Result<std::string> candidate_sha256(const GradeRequest& request, const std::filesystem::path& folder,
                                     const Layout& layout);

// Writes the files of jobs of one batch into a folder, and returns the job for a process of a lane. An Error
// if they cannot be written.
Result<LaneJob> lane_job(const LaneOptions& options, const std::filesystem::path& folder,
                         const std::vector<const GradeJob*>& jobs,
                         const std::map<std::string, Problem>& problems);

}  // namespace kgrade
