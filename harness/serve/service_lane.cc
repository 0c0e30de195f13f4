#include "serve/service_lane.h"

#include "base/text.h"

namespace kgrade {
namespace fs = std::filesystem;

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
  const auto write = [](const fs::path& path, const std::string& text) {
    std::error_code failure;
    fs::create_directories(path.parent_path(), failure);
    return write_file_atomically(path, text);
  };
  if (first.slug.empty()) {
    const fs::path file = folder / "problem" / first.problem_name;
    if (const auto written = write(file, first.problem_source); !written) return written.errors();
    job.problem = file.string();
  } else {
    job.problem = problems.at(first.slug).path.string();
  }
  for (const GradeJob* const one : jobs) {
    const GradeRequest& request = one->request;
    const fs::path own = folder / one->id;
    const fs::path file = own / request.candidate_name;
    if (const auto written = write(file, request.candidate_source); !written) return written.errors();
    for (const auto& [name, text] : request.headers) {
      if (const auto written = write(own / name, text); !written) return written.errors();
    }
    job.candidates.push_back(file.string());
    // With a seed, each gets the inputs that it would get in a grade of its own.
    if (first.settings.seed) job.numbers.push_back(0);
  }
  return job;
}

}  // namespace kgrade
