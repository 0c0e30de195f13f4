#include "serve/service_lane.h"

#include <algorithm>

#include "base/text.h"

namespace kgrade {
namespace fs = std::filesystem;
namespace {

Result<bool> write(const fs::path& path, const std::string& text) {
  std::error_code failure;
  fs::create_directories(path.parent_path(), failure);
  return write_file_atomically(path, text);
}

// Returns the file of the candidate.
Result<fs::path> write_candidate(const fs::path& folder, const GradeRequest& request) {
  const fs::path file = folder / request.candidate_name;
  if (const auto written = write(file, request.candidate_source); !written) return written.errors();
  for (const auto& [name, text] : request.headers) {
    if (const auto written = write(folder / name, text); !written) return written.errors();
  }
  return file;
}

}  // namespace

bool Quarantine::refused(double now) {
  refusals_ += 1;
  if (refusals_ < most_refusals) return false;
  refusals_ = 0;
  backoff_s_ = std::min(3600.0, std::max(60.0, 2 * backoff_s_));
  until_ = now + backoff_s_;
  return true;
}

Result<std::string> candidate_sha256(const GradeRequest& request, const fs::path& folder,
                                     const Layout& layout) {
  // Without headers, the candidate has no other file.
  if (request.headers.empty()) return sha256_hex(request.candidate_source);
  const auto file = write_candidate(folder, request);
  if (!file) return file.errors();
  const auto read = read_candidates({*file}, layout);
  if (!read) return read.errors();
  return read->front().sha256;
}

Result<LaneJob> lane_job(const LaneOptions& options, const fs::path& folder,
                         const std::vector<const GradeJob*>& jobs,
                         const std::map<std::string, Problem>& problems) {
  const GradeRequest& first = jobs.front()->request;
  LaneJob job;
  static_cast<GradeSettings&>(job.options) = first.settings;
  job.options.problems = options.problems;
  job.options.python = options.python;
  job.options.require_sandbox = options.require_sandbox;
  job.options.device = options.device;
  job.dtype = first.dtype;
  job.precision = first.precision;
  job.cases = first.cases;
  job.as_declared = true;
  if (first.slug.empty()) {
    const fs::path file = folder / "problem" / first.problem_name;
    if (const auto written = write(file, first.problem_source); !written) return written.errors();
    job.problem = file.string();
  } else {
    job.problem = problems.at(first.slug).path.string();
  }
  for (const GradeJob* const one : jobs) {
    const auto file = write_candidate(folder / one->id, one->request);
    if (!file) return file.errors();
    job.candidates.push_back(file->string());
    // With a seed, each gets the inputs that it would get in a grade of its own.
    if (first.settings.seed) job.numbers.push_back(0);
  }
  return job;
}

}  // namespace kgrade
