#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "record/record_json.h"
#include "serve/grade_job.h"
#include "tests/fuzz/fuzzed_service.h"
#include "tests/fuzz/targets.h"

namespace kgrade::fuzz {

using Json = nlohmann::json;

namespace {

void expect_sound_case(const CaseRecord& c) {
  promise(c.candidate().summary.median > 0 && c.tensor_bytes >= 0 && c.flops.value_or(0) >= 0,
          "costs are in range");
  for (const Speedup& speedup : c.speedups) {
    const auto& interval = speedup.ratio.interval;
    promise(speedup.ratio.ratio > 0, "a ratio is positive");
    promise(!interval || (interval->low > 0 && interval->low <= interval->high), "an interval is one");
  }
}

void expect_sound_record(const Record& record) {
  for (const CandidateRecord& candidate : record.candidates) {
    const auto compared = compared_cases(candidate);
    promise(record.device.measures_speed || (compared.empty() && candidate.scores.empty()),
            "no speed is read where there is none");
    for (const CaseRecord* c : compared) expect_sound_case(*c);
    for (const Score& score : candidate.scores)
      promise(score.speedup.geometric_mean > 0, "a score is positive");
  }
}

}  // namespace

int fuzz_record(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const RecordDetail detail : {RecordDetail::all, RecordDetail::results}) {
    const auto record = parse_record(text, {"fuzz.jsonl", 7, 0}, detail);
    if (!record) {
      promise(!record.errors().empty() && record.errors().size() <= 10, "there are one to ten errors");
      for (const Error& error : record.errors()) {
        promise(!error.message.empty() && !error.remedy.empty(), "an error has words and a remedy");
        promise(error.location.file == "fuzz.jsonl" && error.location.line == 7, "an error has its place");
      }
    } else if (*record) {
      expect_sound_record(**record);
      (void)to_text(**record);
    }
  }
  return 0;
}

namespace {

struct Names {
  std::set<std::pair<std::string, std::string>> jobs;  // owner and id
  std::set<std::pair<std::string, std::string>> keys;  // owner and key
};

// What lines of the journal name, whether or not they are right.
Names names_in(const std::string& text) {
  const auto member = [](const Json& json, const char* name) {
    return json.is_object() && json.contains(name) && json[name].is_string() ? json[name].get<std::string>()
                                                                             : "";
  };
  Names names;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const Json json = Json::parse(line, nullptr, false);
    names.jobs.emplace(member(json, "owner"), member(json, "id"));
    names.keys.emplace(member(json, "owner"), member(json, "key"));
  }
  return names;
}

// Each job as text. Every key is used again, for a request that is refused.
std::map<std::string, std::string> jobs_of(Service& service, const Names& names) {
  for (const auto& [owner, key] : names.keys) (void)service.submit({owner, true}, key, "{}");
  std::map<std::string, std::string> jobs;
  for (const auto& [owner, id] : names.jobs) {
    const GradeJob* const job = service.find(owner, id);
    if (job == nullptr) continue;
    promise(job->id == id && job->owner == owner, "a job is found by its id and owner");
    promise(job->has_ended() != job->result.empty(), "a job that has ended has a result, and no other job");
    promise(job->has_ended() || !job->request.candidate_name.empty(), "a job that waits can be carried out");
    promise(!service.status_of(*job)["position"].is_null() == (job->state == JobState::queued),
            "a queued job has a place");
    const auto view = service.view_of(*job, View::reward);
    promise(view.is_object(), "a result is an object");
    jobs[id] = json_text(view) + std::string(to_string(job->state));
  }
  return jobs;
}

}  // namespace

int fuzz_journal(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const Names names = names_in(text);
  const TemporaryDirectory folder(new_state_folder());
  const auto journal = folder.path() / "journal.jsonl";
  std::ofstream(journal, std::ios::binary) << text;
  std::map<std::string, std::string> before;
  {
    const auto service = open_service(folder.path());
    before = jobs_of(*service, names);
    (void)service->metrics();
    (void)json_text(service->capacity(""));
  }
  const auto service = open_service(folder.path());
  promise(jobs_of(*service, names) == before, "a second start finds the same jobs");
  for (const auto& [owner, id] : names.jobs) {
    const bool is_open = service->find(owner, id) != nullptr && !service->find(owner, id)->has_ended();
    promise(service->cancel(owner, id) == is_open, "what waits can be cancelled");
  }
  service->commit();
  promise(service->capacity("")["queued"] == 0, "nothing waits then");
  return 0;
}

namespace {

void expect_name(const std::string& name) {
  promise(!name.empty() && name.size() <= 100 && name.front() != '.' && name.front() != '-' &&
              name.find('/') == name.npos && name.find('\0') == name.npos,
          "a name of a file is one, and no path");
}

void expect_sound_request(const GradeRequest& request) {
  if (request.slug.empty()) {
    expect_name(request.problem_name);
    promise(request.problem_name.ends_with(".py"), "a problem's file is in Python");
  } else {
    expect_name(request.slug);
    promise(request.problem_name.empty() && request.problem_source.empty(), "there is one problem");
  }
  expect_name(request.candidate_name);
  for (const auto& [name, text] : request.headers) {
    expect_name(name);
    promise(name != request.candidate_name, "no header replaces the candidate");
  }
  promise(request.bytes() <= std::size_t{2} << 20 && request.headers.size() <= 32 &&
              request.settings.cases.size() <= 100,
          "texts have limits");
  promise(request.run_limit_s >= 1 && request.run_limit_s <= 86400, "the run limit is in range");
  promise(request.deadline_s > 0 && request.deadline_s <= 30 * 86400.0, "the deadline is in range");
  promise(request.settings.hidden_cases.value_or(0) <= 64, "hidden shapes are few");
  const GradeSettings& settings = request.settings;
  for (const std::string& label :
       {settings.dtype.value_or(""), settings.precision.value_or(""), request.group, request.client_ref})
    promise(label.size() <= 200, "labels are short");
}

}  // namespace

int fuzz_grade_request(const std::uint8_t* data, std::size_t size) {
  const nlohmann::json json = parsed_json({reinterpret_cast<const char*>(data), size});
  const auto request = read_request(json, true);
  const auto unseeded = read_request(json, false);
  if (!request) {
    const std::string& message = request.error().message;
    promise(!message.empty() && message.size() < 2000, "an error has a short message");
    promise(
        std::none_of(message.begin(), message.end(), [](unsigned char c) { return c < ' ' || c == 0x7f; }),
        "a message is one line");
    promise(!unseeded.ok(), "more rights allow more");
    return 0;
  }
  expect_sound_request(*request);
  promise(unseeded.ok() == !(request->settings.seed || request->settings.hidden_seed),
          "only seeds need the right to choose them");
  // A batch hands on its items as the JSON that it reads.
  const auto again = read_request(parsed_json(json_text(json)), true);
  promise(again.ok() && batch_key(*again) == batch_key(*request) &&
              again->candidate_source == request->candidate_source &&
              again->client_ref == request->client_ref,
          "a request that is written again is the same");
  return 0;
}

}  // namespace kgrade::fuzz
