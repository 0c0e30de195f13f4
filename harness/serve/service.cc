#include "serve/service.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "draw/seed.h"
#include "problem/catalogue.h"
#include "record/record_json.h"
#include "serve/answers_json.h"

namespace kgrade {
namespace fs = std::filesystem;
namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

// A journal below this size is not worth a compaction.
constexpr std::uint64_t small_journal = std::uint64_t{64} << 20;
// A compaction that failed is tried again after this time.
constexpr double compact_again_seconds = 60;

bool is_text(const Json& json, const char* name) {
  const auto at = json.find(name);
  return at != json.end() && at->is_string();
}

}  // namespace

// --- Beginning and journal ---

Service::Service(ServiceOptions options, Journal journal)
    : options_(std::move(options)),
      journal_(std::move(journal)),
      events_(static_cast<std::uint64_t>(wall_clock() * 1000) * 1000),
      began_at_(now()),
      dispatcher_(options_, *this) {}

Service::~Service() = default;

Result<std::unique_ptr<Service>> Service::open(ServiceOptions options) {
  std::error_code failure;
  for (const char* const folder : {"records", "sources", "work"}) {
    if (fs::create_directories(options.state / folder, failure); failure)
      return machine_error("the state folder cannot be made: " + failure.message(),
                           "name another one with --state", {options.state.string(), 0, 0});
  }
  fs::permissions(options.state, fs::perms::owner_all, failure);
  auto journal = Journal::open(options.state / "journal.jsonl");
  if (!journal) return journal.errors();
  // No other service uses the folder now. Jobs that a stopped service was grading begin anew.
  for (const auto& left : fs::directory_iterator(options.state / "work", failure))
    fs::remove_all(left.path(), failure);
  auto uploads = Uploads::open(options.state / "problems");
  if (!uploads) return uploads.errors();
  options.expects_more = true;
  std::unique_ptr<Service> service(new Service(std::move(options), std::move(*journal)));
  service->uploads_ = std::move(*uploads);
  if (const Failure errors = service->restore()) return *errors;
  return service;
}

Failure Service::read_problems() {
  problems_ = std::move(options_.problems);
  if (!problems_.empty()) return std::nullopt;
  const Layout layout = Layout::find(options_.lane.problems);
  const auto files = problem_files(layout.problems);
  if (!files) return files.errors();
  for (const fs::path& file : *files) {
    auto problem = load_problem(fs::absolute(file));
    if (problem) {
      problems_.emplace(file.stem().string(), std::move(*problem));
    } else {
      options_.note(to_string(problem.errors()));
    }
  }
  return std::nullopt;
}

Failure Service::restore() {
  if (const Failure errors = read_problems()) return errors;
  if (options_.contest) {
    if (const Failure errors = check_contest(*options_.contest, problems_)) return errors;
  }
  const auto lines = journal_.read();
  if (!lines) return lines.errors();
  std::size_t wrong = 0;
  for (const std::string& line : *lines) {
    const Json json = Json::parse(line, nullptr, false);
    if (is_text(json, "type") && is_text(json, "id")) {
      restore_line(json);
    } else {
      wrong += 1;
    }
  }
  if (wrong > 0) options_.note(fmt::format("the journal has {} that cannot be read", counted(wrong, "line")));
  std::vector<GradeJob*> queued;
  for (auto& [id, job] : jobs_) {
    if (job.has_ended()) {
      for (const fs::path& file : {record_file(id), source_file(id)}) {
        std::error_code none;
        const auto size = fs::file_size(file, none);
        job.file_bytes += none ? 0 : size;
      }
      keep(job, now() - std::max(0.0, wall_clock() - job.ended_at));
    } else {
      job.expires_at = now() + job.submitted_at + job.request.deadline_s - wall_clock();
      queued.push_back(&job);
    }
  }
  std::error_code failure;
  for (const char* const folder : {"records", "sources"}) {
    for (const auto& file : fs::directory_iterator(options_.state / folder, failure)) {
      const auto job = jobs_.find(file.path().stem().string());
      if (job == jobs_.end() || !job->second.has_ended()) fs::remove(file.path(), failure);
    }
  }
  std::stable_sort(queued.begin(), queued.end(),
                   [](const GradeJob* a, const GradeJob* b) { return a->submitted_at < b->submitted_at; });
  for (GradeJob* const job : queued) {
    if (const std::string& slug = job->request.slug; slug.empty() || problems_.contains(slug)) {
      enqueue(*job);
    } else {
      end(*job, JobState::finished, [&] {
        return failed_view(*job, "problem", fmt::format("there is no problem '{}' any more", slug));
      });
    }
  }
  commit();
  forget_surplus(now());
  compact();
  return std::nullopt;
}

void Service::restore_line(const Json& line) {
  const auto id = line["id"].get<std::string>();
  const auto earlier = jobs_.find(id);
  if (line["type"] == "begun") {
    if (earlier != jobs_.end()) earlier->second.attempts += 1;
    return;
  }
  auto job = read_job_line(line);
  if (!job) return options_.note("a line of the journal cannot be used: " + in_one_line(job.error()));
  if (earlier != jobs_.end()) job->attempts = earlier->second.attempts;
  if (job->has_ended()) {
    job->result = json_text(OrderedJson::parse(job->result));
    const answers::Grade grade = read_grade(parsed_json(job->result));
    boards_.add(*job, grade);
    standings_.add(*job, grade);
  }
  if (!job->key.empty()) by_key_[{job->owner, job->key}] = id;
  jobs_[id] = std::move(*job);
}

std::string Service::begun_line(const std::string& id) { return json_text({{"type", "begun"}, {"id", id}}); }

// Removes from the journal the lines that are no longer needed.
void Service::compact() {
  if (journal_.has_pending()) return;
  std::vector<std::string> lines;
  for (const auto& [id, job] : jobs_) {
    lines.push_back(job_line(job));
    if (!job.has_ended()) lines.insert(lines.end(), static_cast<std::size_t>(job.attempts), begun_line(id));
  }
  next_compaction_ = now() + compact_again_seconds;
  if (const auto written = journal_.rewrite(lines); !written)
    return options_.note(to_string(written.errors()));
  compact_bytes_ = journal_.bytes();
  next_compaction_ = 0;
}

bool Service::commit() {
  if (const auto written = journal_.commit(); !written) {
    // An answer is sent only when its facts are on the disk. Until then, clients wait or give up.
    options_.note(to_string(written.errors()));
    return false;
  }
  std::vector<std::function<void()>> ready;
  ready.swap(after_commit_);
  for (const auto& then : ready) then();
  // The journal has at least doubled since the last compaction. So all compactions together write at most
  // twice the bytes that were appended.
  if (journal_.bytes() > 2 * std::max(small_journal, compact_bytes_) && now() >= next_compaction_) compact();
  return true;
}

// --- Clients ---

std::variant<std::string, Refusal> Service::submit(const Client& client, const std::string& key,
                                                   const std::string& body) {
  const std::string digest = sha256_hex(body);
  if (const auto earlier = by_key_.find({client.owner, key}); !key.empty() && earlier != by_key_.end()) {
    if (jobs_.at(earlier->second).body_sha256 == digest) return earlier->second;
    return Refusal{422, "this Idempotency-Key was used for another request", 0};
  }
  Json json = parsed_json(body);
  if (json.is_discarded()) return Refusal{400, "the request is not JSON, or is nested too deep", 0};
  const bool is_contest = is_contestant(client);
  if (is_contest) {
    if (const auto refusal = bind(json)) return *refusal;
  }
  const auto text =
      is_contest ? std::optional(json_text(json)) : uploads_.with_file(json, client.owner, body);
  if (!text) return Refusal{404, "this owner has uploaded no problem with this sha256", 0};
  auto request = read_request(json, client.may_seed);
  if (!request) return Refusal{400, request.error().message, 0};
  if (const auto why = why_not_alone(request->problem_name, request->problem_source))
    return Refusal{400, *why, 0};
  if (!request->slug.empty() && !problems_.contains(request->slug)) return no_problem(request->slug, client);
  if (dispatcher_.queue().size() >= options_.limits.queued ||
      dispatcher_.queue().bytes() + text->size() > options_.limits.bytes)
    return Refusal{503, "the queue is full", 10};
  if (dispatcher_.queue().size_of(client.owner) >= options_.limits.queued_of_owner)
    return Refusal{
        429,
        fmt::format("{} of this owner are queued already", counted(options_.limits.queued_of_owner, "job")),
        10};
  if (const int wait_s = quotas_.wait_s(client.owner, client.quota_s, now()); wait_s > 0)
    return Refusal{429,
                   fmt::format("the jobs of this owner have occupied lanes for more than {:g} s in an hour",
                               client.quota_s),
                   wait_s};
  GradeJob job;
  job.id = "g_" + random_id();
  job.owner = client.owner;
  job.key = key;
  job.body_sha256 = digest;
  job.body = *text;
  job.request = std::move(*request);
  job.feedback = std::min(job.request.feedback, client.feedback);
  job.is_contest = is_contest;
  job.batch = batch_key(job.request);
  job.submitted_at = wall_clock();
  job.expires_at = now() + job.request.deadline_s;
  if (!key.empty()) by_key_[{job.owner, key}] = job.id;
  journal_.append(job_line(job));
  const std::string id = job.id;
  enqueue(jobs_[id] = std::move(job));
  tell(jobs_[id], "queued", event_of(jobs_[id]));
  return id;
}

Refusal Service::no_problem(const std::string& slug, const Client& client) const {
  std::vector<std::string> slugs;
  for (const auto& [known, file] : problems_) {
    if (shows(client, known)) slugs.push_back(known);
  }
  const auto near = nearest(slug, slugs);
  return {
      404,
      fmt::format("there is no problem '{}'{}", slug, near ? fmt::format("; did you mean '{}'?", *near) : ""),
      0};
}

const GradeJob* Service::find(const std::string& owner, const std::string& id) const {
  const auto at = jobs_.find(id);
  return at == jobs_.end() || at->second.owner != owner ? nullptr : &at->second;
}

bool Service::cancel(const std::string& owner, const std::string& id) {
  if (find(owner, id) == nullptr) return false;
  GradeJob& job = jobs_.at(id);
  if (job.has_ended()) return false;
  end(job, JobState::cancelled, [&] { return failed_view(job, nullptr, "the client cancelled it"); });
  dispatcher_.remove(id);
  return true;
}

void Service::wait(const std::string& owner, const std::vector<std::string>& ids, bool all, double seconds,
                   std::function<void()> then) {
  std::vector<std::string> open;
  for (const std::string& id : ids) {
    const GradeJob* const job = find(owner, id);
    if (job != nullptr && !job->has_ended()) open.push_back(id);
  }
  if (open.empty() || (!all && open.size() < ids.size()) || seconds <= 0) {
    // The facts in the answer may not be durable yet.
    after_commit(std::move(then));
  } else {
    waiters_.add(open, all, now() + seconds, std::move(then));
  }
}

OrderedJson Service::status_of(const GradeJob& job, const Positions* positions) const {
  answers::JobStatus status;
  status.id = job.id;
  if (job.state == JobState::queued) {
    std::size_t place = 0;
    if (positions != nullptr) {
      place = positions->at(job.id);
    } else if (const auto queued = dispatcher_.queue().position(job.id)) {
      place = handed_out(job.owner) + *queued;
    } else {
      place = this->positions(job.owner).at(job.id);
    }
    status.position = place;
    if (rate() > 0) status.estimate_s = static_cast<double>(place + 1) / rate();
  }
  const LaneSlot* const lane = dispatcher_.lane_of(job.id);
  if (lane != nullptr && lane->current() != nullptr && lane->current()->id == job.id)
    status.doing = lane->doing;
  const bool is_building = job.state == JobState::queued && dispatcher_.is_being_built(job.id);
  status.state = is_building ? "building" : to_string(job.state);
  return json_of(status);
}

OrderedJson Service::board_of(const std::string& slug, const std::string& owner) const {
  return json_of(boards_.of(slug, problems_.at(slug), owner, options_.shows_boards));
}

OrderedJson Service::view_of(const GradeJob& job, View view, bool is_teacher) const {
  if (view == View::reward) return reward_view(job);
  if (view == View::source) return source_of(job);
  const Feedback feedback = is_teacher ? Feedback::full : job.feedback;
  if (feedback < (view == View::record ? Feedback::full : Feedback::agent)) return nullptr;
  const auto text = read_text_file(record_file(job.id), std::uint64_t{64} << 20);
  if (!text) return nullptr;
  if (view == View::record) return OrderedJson::parse(*text, nullptr, false);
  const auto record = parse_record(*text, {});
  if (!record || !*record) return nullptr;
  return agent_view(**record, feedback);
}

// --- Jobs ---

fs::path Service::record_file(const std::string& id) const {
  return options_.state / "records" / (id + ".json");
}

void Service::enqueue(GradeJob& job) {
  job.state = JobState::queued;
  deadlines_.emplace(job.expires_at, job.id);
  dispatcher_.add({job.id, job.owner, job.batch, job.request.priority == Priority::low, false, "",
                   job.body.size(), job.request.run_limit_s});
}

// Ends a job. The dispatcher has ended the job before, or has been told to remove it. `view` makes the result
// when the state and the time are set.
void Service::end(GradeJob& job, JobState state, const std::function<answers::Grade()>& view) {
  deadlines_.erase({job.expires_at, job.id});
  job.state = state;
  job.ended_at = wall_clock();
  job.build_s = dispatcher_.build_seconds(job.id);
  answers::Grade result = view();
  leave_out(result, job.feedback);
  result.expires_at = iso_time(
      job.ended_at + (job.is_contest ? options_.limits.keep_contest_seconds : options_.limits.keep_seconds));
  boards_.add(job, result);
  standings_.add(job, result);
  const OrderedJson json = json_of(result);
  job.result = json_text(json);
  keep_source(job);
  job.body.clear();
  job.request = {};
  journal_.append(job_line(job));
  keep(job, now());
  if (result.verdict) graded_at_.push_back(now());
  ended_as_[std::string(result.verdict ? to_string(*result.verdict)
                        : result.fault ? *result.fault
                                       : to_string(state))] += 1;
  after_commit([this, id = job.id] { waiters_.ended(id); });
  tell(job, "finished", json);
}

void Service::tell(const GradeJob& job, const char* kind, OrderedJson data) {
  after_commit([this, owner = job.owner, kind, data = std::move(data)] { events_.add(owner, kind, data); });
}

void Service::go_on() {
  if (dispatcher_.hear()) {
    const double now = this->now();
    while (!deadlines_.empty() && deadlines_.begin()->first < now) {
      const std::string id = deadlines_.begin()->second;
      GradeJob& job = jobs_.at(id);
      const std::string reason =
          fmt::format("its deadline_s of {:g} s ended {}", job.request.deadline_s,
                      job.state == JobState::queued ? "in the queue, before a lane began with it"
                                                    : "while a lane graded it");
      end(job, JobState::expired, [&] { return failed_view(job, "expired", reason); });
      dispatcher_.remove(id);
    }
    events_.look_at_the_clock(now);
    for (auto& then : waiters_.take_late(now)) after_commit(std::move(then));
    while (!graded_at_.empty() && graded_at_.front() < now - rate_seconds) graded_at_.pop_front();
    forget_surplus(now);
  }
  dispatcher_.hand_out();
}

// Adds a job that has ended to the results that are kept.
void Service::keep(const GradeJob& job, double ended_at) {
  KeptResults& kept = job.is_contest ? kept_of_contests_ : kept_;
  kept.add(job.owner, job.id, ended_at, job.result.size() + job.file_bytes);
}

void Service::forget_surplus(double now) {
  const ServiceLimits& limits = options_.limits;
  std::vector<std::string> ids =
      kept_.take_surplus({limits.kept, limits.kept_bytes, limits.keep_seconds}, now);
  for (std::string& id :
       kept_of_contests_.take_surplus({limits.kept, limits.kept_bytes, limits.keep_contest_seconds}, now))
    ids.push_back(std::move(id));
  for (const std::string& id : ids) {
    const auto at = jobs_.find(id);
    std::error_code ignored;
    fs::remove(record_file(id), ignored);
    fs::remove(source_file(id), ignored);
    boards_.forget(id);
    standings_.forget(id);
    const auto key = by_key_.find({at->second.owner, at->second.key});
    if (key != by_key_.end() && key->second == id) by_key_.erase(key);
    jobs_.erase(at);
  }
}

}  // namespace kgrade
