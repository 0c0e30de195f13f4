// The part of a service that holds a contest, and the part that keeps the sources of candidates.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>

#include "base/text.h"
#include "base/unique_fd.h"
#include "serve/answers_json.h"
#include "serve/service.h"

namespace kgrade {
namespace fs = std::filesystem;
namespace {

// The largest file with a source as JSON. A byte of the source may take six bytes there.
constexpr std::uint64_t largest_source_file = std::uint64_t{16} << 20;

nlohmann::ordered_json candidate_json(const GradeRequest& request) {
  return json_of(answers::Candidate{request.candidate_name, request.candidate_source, request.headers});
}

}  // namespace

bool Service::shows(const Client& client, const std::string& slug) const {
  if (!is_contestant(client)) return true;
  return options_.contest->has_begun(wall_clock()) && options_.contest->find(slug) != nullptr;
}

std::optional<Refusal> Service::bind(nlohmann::json& request) const {
  const Competition& contest = *options_.contest;
  const double now = wall_clock();
  if (!contest.has_begun(now))
    return Refusal{
        403, fmt::format("the contest begins at {}, and takes nothing before", iso_time(contest.start)), 0};
  if (contest.is_over(now))
    return Refusal{
        403, fmt::format("the contest ended at {}, and takes nothing any more", iso_time(contest.end)), 0};
  // A request of another form is refused later, by read_request().
  if (!request.is_object() || !request.contains("problem")) return std::nullopt;
  if (!request["problem"].is_string())
    return Refusal{403, "in a contest, only its own problems can be sent, by their names", 0};
  const auto slug = request["problem"].get<std::string>();
  const ContestProblem* const problem = contest.find(slug);
  if (problem == nullptr)
    return Refusal{403, fmt::format("the contest has no problem '{}'", printable_line(slug.substr(0, 100))),
                   0};
  // All contestants are graded with the same options.
  for (const std::string_view name : grading_members()) {
    if (request.contains(name) && !request[name].is_null())
      return Refusal{400, fmt::format("request.{} is decided by the contest: leave it out", name), 0};
  }
  const Problem& file = problems_.at(slug);
  request["effort"] = contest.effort == Effort::quick    ? "quick"
                      : contest.effort == Effort::normal ? "default"
                                                         : "ranked";
  request["hidden"] = problem->hidden_cases;
  request["dtype"] = to_string(file.dtype);
  request["precision"] = file.precision;
  request["baselines"] = "none";
  const auto asked = request.find("feedback");
  if (asked == request.end() || asked->is_null()) request["feedback"] = to_string(problem->feedback);
  const auto level = request["feedback"].is_string()
                         ? enum_from<Feedback>(request["feedback"].get<std::string>())
                         : std::nullopt;
  if (level && *level > problem->feedback) request["feedback"] = to_string(problem->feedback);
  return std::nullopt;
}

// --- History and sources ---

const GradeJob* Service::find_for(const Client& client, const std::string& id) const {
  const auto at = jobs_.find(id);
  if (at == jobs_.end()) return nullptr;
  const GradeJob& job = at->second;
  return job.owner == client.owner || (job.is_contest && options_.contest && client.is_teacher) ? &job
                                                                                                : nullptr;
}

std::vector<const GradeJob*> Service::jobs_of(const Client& client, const std::string& owner,
                                              const std::string& before, std::size_t most) const {
  const auto key = [](const GradeJob* job) { return std::tie(job->submitted_at, job->id); };
  const GradeJob* const last = before.empty() ? nullptr : find_for(client, before);
  std::vector<const GradeJob*> list;
  for (const auto& [id, job] : jobs_) {
    if (job.owner == owner && find_for(client, id) != nullptr && (last == nullptr || key(&job) < key(last)))
      list.push_back(&job);
  }
  const auto end = list.begin() + static_cast<std::ptrdiff_t>(std::min(most, list.size()));
  std::partial_sort(list.begin(), end, list.end(),
                    [&key](const GradeJob* a, const GradeJob* b) { return key(a) > key(b); });
  list.erase(end, list.end());
  return list;
}

fs::path Service::source_file(const std::string& id) const {
  return options_.state / "sources" / (id + ".json");
}

nlohmann::ordered_json Service::source_of(const GradeJob& job) const {
  if (!job.has_ended()) return candidate_json(job.request);
  const auto text = read_text_file(source_file(job.id), largest_source_file);
  if (!text) return nullptr;
  auto json = nlohmann::ordered_json::parse(*text, nullptr, false);
  return json.is_object() ? json : nlohmann::ordered_json();
}

void Service::keep_source(GradeJob& job) const {
  const std::string text = json_text(candidate_json(job.request));
  const fs::path path = source_file(job.id);
  if (const auto written = write_file_atomically(path, text); !written)
    return options_.note(to_string(written.errors()));
  job.file_bytes += text.size();
  if (!job.is_contest) return;
  // Until now the journal has the source. Its line about the end of the job will not have it, so the file
  // must be durable.
  for (const fs::path& part : {path, path.parent_path()}) {
    const UniqueFd file(::open(part.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.get() < 0 || ::fsync(file.get()) != 0)
      options_.note(fmt::format("the disk may not have the source of {}", job.id));
  }
}

// --- Standings ---

Standings::View Service::standings_view(const Client& client,
                                        const std::vector<std::string>& students) const {
  return {*options_.contest, problems_, students, client.owner, options_.shows_boards || client.is_teacher,
          client.is_teacher};
}

nlohmann::ordered_json Service::standings(const Client& client,
                                          const std::vector<std::string>& students) const {
  return json_of(standings_.answer(standings_view(client, students)));
}

std::string Service::standings_csv(const Client& client, const std::vector<std::string>& students,
                                   std::size_t longest) const {
  const auto source = [this](const std::string& id) -> std::pair<std::string, std::string> {
    const auto job = jobs_.find(id);
    const nlohmann::ordered_json json = job == jobs_.end() ? nullptr : source_of(job->second);
    if (!json.is_object() || !json.contains("source")) return {};
    std::string text = json.value("source", "");
    for (const auto& [name, header] : json["headers"].items())
      text += fmt::format("\n// ---- {}\n{}", name, header.get<std::string>());
    return {json.value("name", ""), text};
  };
  return standings_.csv(standings_view(client, students), source, longest);
}

}  // namespace kgrade
