// The service as the client of its dispatcher: makes the messages for lanes, handles their results, and
// reports what the lanes do.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "draw/seed.h"
#include "record/record_json.h"
#include "serve/answers_json.h"
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

// A text as it stands in JSON, without quotes.
std::string escaped(const std::string& text) {
  const std::string quoted = Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
  return quoted.substr(1, quoted.size() - 2);
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
  const std::string shown = replace_all(replace_all(text, own, ""), folder + "/problem/", "");
  GradeJob& job = jobs_.at(id);
  const auto record = parse_record(shown, {});
  if (!record || !*record || (*record)->candidates.size() != 1)
    return "the lane sent no record of the candidate";
  if (std::string why = why_not_of(job, **record); !why.empty()) return why;
  if (const auto written = write_file_atomically(record_file(job.id), shown); !written) {
    options_.note(to_string(written.errors()));
  } else {
    job.file_bytes = shown.size();
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
  // The hash of a candidate with headers is that of its files together. Without headers, there is no other
  // file.
  std::string sha256 = sha256_hex(request.candidate_source);
  if (!request.headers.empty()) {
    const fs::path folder = folder_of("hash-" + random_id());
    const auto file = write_candidate(folder, request);
    const auto read = file ? read_candidates({*file}, Layout::find(options_.lane.problems)) : file.errors();
    std::error_code ignored;
    fs::remove_all(folder, ignored);
    if (!read) return to_string(read.errors());
    sha256 = read->front().sha256;
  }
  return sha256 == record.candidate().sha256 ? "" : "the lane sent the record of another candidate";
}

void Service::failed(const std::string& id, const std::string& batch, const std::string& why, int exit_code) {
  GradeJob& job = jobs_.at(id);
  const std::string folder = folder_of(batch).string();
  // A reason that comes from jobs of other owners is not shown.
  const std::string shown =
      batch.empty() ? "no lane grades this problem: each has refused several jobs in a row before they began"
                    : replace_all(replace_all(why, folder + "/problem/", ""), folder + "/" + id + "/", "");
  const char* const fault = exit_code == exit_usage     ? "problem"
                            : exit_code == exit_machine ? "machine"
                                                        : "service";
  end(job, JobState::finished, [&] { return failed_view(job, fault, shown); });
}

void Service::overran(const std::string& id) {
  GradeJob& job = jobs_.at(id);
  end(job, JobState::finished, [&] { return overrun_view(job); });
}

// --- What a service reports about itself: its lanes, counts and health ---

nlohmann::ordered_json Service::capacity(const std::string& owner) const {
  answers::Capacity capacity;
  for (const LaneSlot& lane : dispatcher_.lanes()) {
    // All jobs of a batch have one owner.
    const bool is_own = !lane.batch.empty() && lane.batch.front().owner == owner;
    const char* const idle = dispatcher_.is_paused(lane)  ? "quarantined"
                             : dispatcher_.is_there(lane) ? "idle"
                                                          : "starting";
    answers::Lane& shown = capacity.lanes.emplace_back();
    if (lane.host) shown.name = *lane.host;
    shown.device = lane.device;
    shown.state = lane.batch.empty() ? idle : "busy";
    shown.since_s = now() - lane.since;
    if (!is_own) continue;
    shown.problem = shown_problems_.at(lane.batch_id);
    if (lane.current() != nullptr) shown.job = lane.current()->id;
    shown.doing = lane.doing;
  }
  capacity.queued = dispatcher_.queue().size();
  capacity.by_owner = dispatcher_.queue().by_owner();
  for (const LaneSlot& lane : dispatcher_.lanes()) {
    const std::size_t waiting = count(lane, JobState::queued);
    capacity.running += count(lane, JobState::running);
    capacity.queued += waiting;
    if (waiting > 0) capacity.by_owner[lane.batch.front().owner] += waiting;
  }
  capacity.grades_per_minute = rate() * 60;
  capacity.version = tool_info().version;
  return json_of(capacity);
}

std::string Service::farewell() const {
  const std::size_t jobs = dispatcher_.left();
  if (jobs == 0) return "kgrade serve: stopped\n";
  return fmt::format("kgrade serve: stopped; {} in {} and {} on when it is started again\n",
                     jobs == 1 ? "1 job waits" : fmt::format("{} jobs wait", jobs),
                     printable_line(options_.state.string()), jobs == 1 ? "goes" : "go");
}

std::size_t Service::count(const LaneSlot& lane, JobState state) const {
  std::size_t jobs = 0;
  for (std::size_t i = 0; i < lane.batch.size(); ++i)
    jobs += !lane.is_done[i] && jobs_.at(lane.batch[i].id).state == state ? 1 : 0;
  return jobs;
}

std::size_t Service::handed_out(const std::string& owner) const {
  std::size_t waiting = 0;
  for (const LaneSlot& lane : dispatcher_.lanes()) {
    // All jobs of a batch have one owner.
    if (!lane.batch.empty() && lane.batch.front().owner == owner) waiting += count(lane, JobState::queued);
  }
  return waiting;
}

Service::Positions Service::positions(const std::string& owner) const {
  Positions positions = dispatcher_.queue().positions(owner);
  const std::size_t before = handed_out(owner);
  for (auto& [id, position] : positions) position += before;
  for (const LaneSlot& lane : dispatcher_.lanes()) {
    std::size_t position = 0;  // lanes work side by side
    for (std::size_t i = 0; i < lane.batch.size(); ++i) {
      const QueuedJob& job = lane.batch[i];
      if (job.owner == owner && !lane.is_done[i] && jobs_.at(job.id).state == JobState::queued)
        positions.emplace(job.id, position++);
    }
  }
  return positions;
}

double Service::rate() const {
  return static_cast<double>(graded_at_.size()) / std::clamp(now() - began_at_, 1.0, rate_seconds);
}

std::string Service::metrics() const {
  std::size_t busy = 0, quarantined = 0, starting = 0, queued = dispatcher_.queue().size(), running = 0;
  for (const LaneSlot& lane : dispatcher_.lanes()) {
    queued += count(lane, JobState::queued);
    running += count(lane, JobState::running);
    busy += lane.batch.empty() ? 0 : 1;
    const bool is_paused = dispatcher_.is_paused(lane);
    quarantined += is_paused ? 1 : 0;
    starting += !is_paused && !dispatcher_.is_there(lane) ? 1 : 0;
  }
  std::string text = fmt::format(
      "# HELP kgrade_queued_jobs Jobs that wait for their turn.\n# TYPE kgrade_queued_jobs gauge\n"
      "kgrade_queued_jobs {}\n"
      "# HELP kgrade_running_jobs Jobs that are being graded.\n# TYPE kgrade_running_jobs gauge\n"
      "kgrade_running_jobs {}\n"
      "# HELP kgrade_lanes Lanes by state.\n# TYPE kgrade_lanes gauge\n"
      "kgrade_lanes{{state=\"busy\"}} {}\nkgrade_lanes{{state=\"idle\"}} {}\n"
      "kgrade_lanes{{state=\"quarantined\"}} {}\nkgrade_lanes{{state=\"starting\"}} {}\n"
      "# HELP kgrade_jobs_ended_total Jobs that have ended since the service was started.\n"
      "# TYPE kgrade_jobs_ended_total counter\n",
      queued, running, busy, dispatcher_.lanes().size() - busy - quarantined - starting, quarantined,
      starting);
  for (const auto& [how, count] : ended_as_)
    text += fmt::format("kgrade_jobs_ended_total{{as=\"{}\"}} {}\n", how, count);
  return text;
}

bool Service::is_healthy() const {
  const auto works = [this](const LaneSlot& lane) {
    return dispatcher_.is_there(lane) && !dispatcher_.is_paused(lane) &&
           (lane.batch.empty() || now() - lane.heard_at < 600);
  };
  return std::any_of(dispatcher_.lanes().begin(), dispatcher_.lanes().end(), works);
}

}  // namespace kgrade
