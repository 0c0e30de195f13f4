// The service as the client of its dispatcher: makes the messages for lanes, and handles their results.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "draw/seed.h"
#include "record/record_json.h"
#include "serve/service.h"

namespace kgrade {
namespace fs = std::filesystem;
namespace {

using Json = nlohmann::json;

Result<bool> write(const fs::path& path, const std::string& text) {
  std::error_code failure;
  fs::create_directories(path.parent_path(), failure);
  return write_file_atomically(path, text);
}

// Writes the candidate and the files beside it. Returns the candidate's file.
Result<fs::path> write_candidate(const fs::path& folder, const GradeRequest& request) {
  const fs::path file = folder / request.candidate_name;
  if (const auto written = write(file, request.candidate_source); !written) return written.errors();
  for (const auto& [name, text] : request.headers) {
    if (const auto written = write(folder / name, text); !written) return written.errors();
  }
  return file;
}

// The hash that a record has of this candidate. Writes its files into the folder if there are headers. An
// Error if they cannot be written.
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

// A text as it stands in JSON, without quotes.
std::string escaped(const std::string& text) {
  const std::string quoted = Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
  return quoted.substr(1, quoted.size() - 2);
}

const char* fault_of(int exit_code) {
  if (exit_code == exit_usage) return "problem";
  return exit_code == exit_machine ? "machine" : "service";
}

}  // namespace

fs::path Service::folder_of(const std::string& batch) const {
  return fs::absolute(options_.state / "work" / batch);
}

Result<LaneJob> Service::lane_job(const std::vector<std::string>& ids, const std::string& batch) {
  const fs::path folder = folder_of(batch);
  const GradeRequest& first = jobs_.at(ids.front()).request;
  shown_problems_[batch] = first.problem_shown();
  LaneJob job;
  job.options = options_.lane;
  static_cast<GradeSettings&>(job.options) = first.settings;
  job.options.problems = options_.lane.problems;
  job.options.python = options_.lane.python;
  job.options.require_sandbox = options_.lane.require_sandbox;
  job.as_declared = true;
  if (first.slug.empty()) {
    const fs::path file = folder / "problem" / first.problem_name;
    if (const auto written = write(file, first.problem_source); !written) return written.errors();
    job.problem = file.string();
  } else {
    job.problem = problems_.at(first.slug).path.string();
  }
  for (const std::string& id : ids) {
    const auto file = write_candidate(folder / id, jobs_.at(id).request);
    if (!file) return file.errors();
    job.candidates.push_back(file->string());
    // With a seed, each candidate gets the inputs that it would get if it were graded alone.
    if (first.settings.seed) job.numbers.push_back(0);
  }
  return job;
}

void Service::batch_ended(const std::string& batch) {
  std::error_code ignored;
  fs::remove_all(folder_of(batch), ignored);
  shown_problems_.erase(batch);
}

void Service::at_work(const std::string& id) { jobs_.at(id).state = JobState::running; }

// The text of what a lane is doing names cases, so only full feedback shows it.
bool Service::shows_doing(const std::string& id) const { return jobs_.at(id).feedback == Feedback::full; }

void Service::begun(const std::string& id) {
  GradeJob& job = jobs_.at(id);
  job.state = JobState::running;
  job.started_at = wall_clock();
  tell(job, "started", event_of(job));
  job.attempts += 1;
  journal_.append(begun_line(id));
}

void Service::waits_again(const std::string& id) {
  GradeJob& job = jobs_.at(id);
  job.state = JobState::queued;
  job.started_at = 0;
}

void Service::charged(const std::string& owner, double seconds) { quotas_.charge(owner, seconds, now()); }

std::string Service::result(const std::string& id, const std::string& batch, const std::string& text) {
  // Clients see the names that they gave, and not the service's folders.
  const std::string folder = escaped(folder_of(batch).string());
  const std::string own = folder + "/" + escaped(id) + "/";
  if (text.find(own) == text.npos)
    return "the lane sent a result that is not of the candidate that it was given";
  return finish(jobs_.at(id), replace_all(replace_all(text, own, ""), folder + "/problem/", ""));
}

std::string Service::finish(GradeJob& job, const std::string& text) {
  const auto record = parse_record(text, {});
  if (!record || !*record || (*record)->candidates.size() != 1)
    return "the lane sent no record of the candidate";
  if (std::string why = why_not_of(job, **record); !why.empty()) return why;
  if (const auto written = write_file_atomically(record_file(job.id), text); !written) {
    options_.note(to_string(written.errors()));
  } else {
    job.file_bytes = text.size();
  }
  end(job, JobState::finished, [&] { return graded_view(job, **record); });
  return "";
}

std::string Service::why_not_of(const GradeJob& job, const Record& record) const {
  const GradeRequest& request = job.request;
  const std::string& problem =
      request.slug.empty() ? sha256_hex(request.problem_source) : problems_.at(request.slug).content_sha256;
  if (record.problem_sha256 != problem)
    return "the lane has another version of the problem than the service: after a change of problems, start "
           "both again";
  const fs::path folder = folder_of("hash-" + random_id());
  const auto candidate = candidate_sha256(request, folder, Layout::find(options_.lane.problems));
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  if (!candidate) return to_string(candidate.errors());
  return *candidate == record.candidate().sha256 ? "" : "the lane sent the record of another candidate";
}

void Service::failed(const std::string& id, const std::string& batch, const std::string& why, int exit_code) {
  GradeJob& job = jobs_.at(id);
  const std::string folder = folder_of(batch).string();
  // A reason that comes from jobs of other owners is not shown.
  const std::string shown =
      batch.empty() ? "no lane grades this problem: each has refused several jobs in a row before they began"
                    : replace_all(replace_all(why, folder + "/problem/", ""), folder + "/" + id + "/", "");
  end(job, JobState::finished, [&] { return failed_view(job, fault_of(exit_code), shown); });
}

void Service::overran(const std::string& id) {
  GradeJob& job = jobs_.at(id);
  end(job, JobState::finished, [&] { return overrun_view(job); });
}

}  // namespace kgrade
