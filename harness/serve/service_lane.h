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

// A lane on this machine has a process. A lane on another machine asks for each batch, and hands in its
// results (service_leases.cc).
struct ServiceLane {
  // After this number of refusals in a row, the lane gets no work for a while.
  static constexpr int most_refusals = 3;

  std::string device;
  std::string name;        // that a lane on another machine gave itself; empty: it is on this machine
  double lease_until = 0;  // of a lane on another machine: when its batch is given to others
  std::vector<std::string> cancelled;    // jobs that a lane on another machine does not know of yet
  std::optional<Lane> process;           // started with its first batch
  std::string lease;                     // of the batch
  std::vector<QueuedJob> batch;          // empty: the lane is idle
  std::vector<bool> has_begun, is_done;  // for each job of the batch
  std::filesystem::path folder;          // of the batch's files
  std::string problem;                   // of the batch, as the client named it
  std::string last;                      // key of the last batch, for which the process is warm
  std::string doing;
  double since = 0;          // when it became idle, busy or quarantined; seconds since 1970
  double heard_at = 0;       // when its process last said something
  double charged_until = 0;  // up to when its time is charged to owners
  int refusals = 0;          // in a row, each before a job began
  bool is_quarantined = false;
  double quarantined_until = 0;
  double backoff_s = 0;

  void begin(const std::vector<QueuedJob>& jobs, std::string new_lease, double now) {
    batch = jobs;
    lease = std::move(new_lease);
    has_begun.assign(jobs.size(), false);
    is_done.assign(jobs.size(), false);
    last = jobs.front().batch;
    since = heard_at = charged_until = now;
  }

  bool is_elsewhere() const { return !name.empty(); }

  void close(double now) {
    batch.clear();
    lease.clear();
    doing.clear();
    since = now;
  }

  const char* state() const {
    if (is_quarantined) return "quarantined";
    return batch.empty() ? "idle" : "busy";
  }

  // The number of the batch's jobs without a result.
  std::size_t left() const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < batch.size(); ++i) count += is_done[i] ? 0 : 1;
    return count;
  }

  std::optional<std::size_t> index_of(const std::string& id) const {
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (batch[i].id == id && !is_done[i]) return i;
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

// Writes the files of jobs of one batch into a folder, and returns the job for a process of a lane. An Error
// if they cannot be written.
Result<LaneJob> lane_job(const LaneOptions& options, const std::filesystem::path& folder,
                         const std::vector<const GradeJob*>& jobs,
                         const std::map<std::string, Problem>& problems);

}  // namespace kgrade
