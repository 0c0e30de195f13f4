// A lane of a service: its process, and the batch that it grades. Part of serve/service.cc.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/text.h"
#include "serve/service.h"

namespace kgrade {

struct Service::ServiceLane {
  // After this number of refusals in a row, the lane gets no work for a while.
  static constexpr int most_refusals = 3;

  std::string device;
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

// Writes the files of the lane's batch into its folder, and returns the job for its process. An Error if they
// cannot be written.
template <class ServiceLane>
Result<LaneJob> lane_job(const LaneOptions& options, const ServiceLane& lane,
                         const std::map<std::string, GradeJob>& jobs,
                         const std::map<std::string, Problem>& problems) {
  namespace fs = std::filesystem;
  const GradeRequest& first = jobs.at(lane.batch.front().id).request;
  LaneJob job;
  static_cast<GradeSettings&>(job.options) = first.settings;
  job.options.problems = options.problems;
  job.options.python = options.python;
  job.options.require_sandbox = options.require_sandbox;
  job.options.device = lane.device;
  job.dtype = first.dtype;
  job.precision = first.precision;
  job.cases = first.cases;
  job.as_declared = true;
  job.lease = lane.lease;
  const auto write = [](const fs::path& path, const std::string& text) {
    std::error_code failure;
    fs::create_directories(path.parent_path(), failure);
    return write_file_atomically(path, text);
  };
  if (first.slug.empty()) {
    const fs::path file = lane.folder / "problem" / first.problem_name;
    if (const auto written = write(file, first.problem_source); !written) return written.errors();
    job.problem = file.string();
  } else {
    job.problem = problems.at(first.slug).path.string();
  }
  for (std::size_t i = 0; i < lane.batch.size(); ++i) {
    const GradeRequest& request = jobs.at(lane.batch[i].id).request;
    const fs::path folder = lane.folder / lane.batch[i].id;
    const fs::path file = folder / request.candidate_name;
    if (const auto written = write(file, request.candidate_source); !written) return written.errors();
    for (const auto& [name, text] : request.headers) {
      if (const auto written = write(folder / name, text); !written) return written.errors();
    }
    job.candidates.push_back(file.string());
    // With a seed, each gets the inputs that it would get in a grade of its own.
    if (first.settings.seed) job.numbers.push_back(0);
  }
  return job;
}

}  // namespace kgrade
