#include "serve/service_lane.h"

#include "base/text.h"

namespace kgrade {
namespace fs = std::filesystem;

Result<LaneJob> lane_job(const LaneOptions& options, const ServiceLane& lane,
                         const std::map<std::string, GradeJob>& jobs,
                         const std::map<std::string, Problem>& problems) {
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
