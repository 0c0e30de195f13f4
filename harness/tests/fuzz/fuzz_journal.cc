#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "tests/fuzz/fuzzed_service.h"

namespace kgrade::fuzz {
namespace {

using Json = nlohmann::json;

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

}  // namespace kgrade::fuzz
