#include "serve/grade_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "draw/seed.h"

namespace kgrade {
namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

constexpr std::size_t longest_problem = std::size_t{1} << 20;
constexpr std::size_t longest_request = std::size_t{32} << 20;
constexpr std::size_t most_headers = std::size_t{2} << 20;  // bytes, of one candidate
constexpr std::size_t longest_label = 200;
constexpr std::size_t most_cases = 100;
constexpr int deepest_json = 32;

// Thrown inside of this file only, by the readers of members.
struct WrongMember {
  std::string message;
};

bool is_name(const std::string& text) {
  const auto fits = [](char c) { return is_letter(c) || is_digit(c) || c == '.' || c == '_' || c == '-'; };
  return !text.empty() && text.size() <= 100 && text.front() != '.' && text.front() != '-' &&
         std::all_of(text.begin(), text.end(), fits);
}

// The members of an object. Each is read once; end() reports those that nobody read.
class Members {
 public:
  Members(const Json& json, std::string where) : json_(json), where_(std::move(where)) {
    if (!json.is_object()) throw WrongMember{where_ + " is not an object"};
  }

  // Null if the member is missing or null.
  const Json* find(const char* name) {
    known_.emplace_back(name);
    const auto at = json_.find(name);
    return at == json_.end() || at->is_null() ? nullptr : &*at;
  }

  std::string text(const char* name, std::size_t most) {
    const Json* const at = find(name);
    if (at == nullptr) return "";
    if (!at->is_string()) fail(name, "is not a string");
    const auto& value = at->get_ref<const std::string&>();
    if (value.size() > most) fail(name, fmt::format("is longer than {}", format_bytes(most)));
    return value;
  }

  std::string needed_text(const char* name, std::size_t most) {
    if (find(name) == nullptr) fail(name, "is missing");
    return text(name, most);
  }

  std::string file_name(const char* name) {
    const std::string value = needed_text(name, longest_label);
    if (!is_name(value))
      fail(name,
           "is no name of a file: up to 100 letters, digits, '.', '_' and '-', beginning with a letter, "
           "a digit or '_'");
    return value;
  }

  std::optional<double> number(const char* name, double least, double most) {
    const Json* const at = find(name);
    if (at == nullptr) return std::nullopt;
    if (!at->is_number() || !(at->get<double>() >= least) || !(at->get<double>() <= most))
      fail(name, fmt::format("is no number from {} to {}", least, most));
    return at->get<double>();
  }

  // Seeds have 64 bits: they may be numbers or texts of digits.
  std::optional<std::uint64_t> seed(const char* name) {
    const Json* const at = find(name);
    if (at == nullptr) return std::nullopt;
    if (at->is_number_integer() && (at->is_number_unsigned() || at->get<std::int64_t>() >= 0))
      return at->get<std::uint64_t>();
    std::uint64_t value = 0;
    const std::string digits = at->is_string() ? at->get<std::string>() : "";
    const auto [rest, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (digits.empty() || failure != std::errc{} || rest != digits.data() + digits.size())
      fail(name, "is no whole number from 0 to 2^64 - 1");
    return value;
  }

  template <class T>
  std::optional<T> choice(const char* name, const std::vector<std::pair<const char*, T>>& choices) {
    const std::string value = text(name, longest_label);
    if (find(name) == nullptr) return std::nullopt;
    std::string all;
    for (const auto& [word, meaning] : choices) {
      if (value == word) return meaning;
      all += (all.empty() ? "" : ", ") + std::string(word);
    }
    fail(name, "is none of " + all);
  }

  [[noreturn]] void fail(const char* name, const std::string& what) const {
    throw WrongMember{fmt::format("{}.{} {}", where_, name, what)};
  }

  void end() const {
    for (const auto& [name, value] : json_.items()) {
      if (std::find(known_.begin(), known_.end(), name) == known_.end())
        throw WrongMember{fmt::format("{} has no member '{}'", where_, printable_line(name.substr(0, 100)))};
    }
  }

 private:
  const Json& json_;
  std::string where_;
  std::vector<std::string> known_;
};

// The reference of a .md problem is code in CUDA that runs with the referee's trust. A stranger's would run
// outside of the sandbox that candidates have.
ProblemFile problem_file(const Json& json, const std::string& where) {
  Members members(json, where);
  ProblemFile file{members.file_name("name"), members.needed_text("source", longest_problem)};
  if (!file.name.ends_with(".py"))
    members.fail(
        "name",
        "does not end in .py: only problem files in Python can be sent, since others have references "
        "in CUDA, which are trusted");
  members.end();
  return file;
}

void read_problem(Members& body, GradeRequest& request) {
  const Json* const problem = body.find("problem");
  if (problem == nullptr) body.fail("problem", "is missing");
  if (problem->is_string()) {
    request.slug = problem->get<std::string>();
    if (!is_name(request.slug)) body.fail("problem", "is no slug; GET /v1/problems lists them");
    return;
  }
  // A problem that was uploaded has been replaced by its file (serve/uploads.h).
  ProblemFile file = problem_file(*problem, "problem");
  request.problem_name = std::move(file.name);
  request.problem_source = std::move(file.source);
}

void read_candidate(Members& body, GradeRequest& request) {
  const Json* const candidate = body.find("candidate");
  if (candidate == nullptr) body.fail("candidate", "is missing");
  Members file(*candidate, "candidate");
  request.candidate_name = file.file_name("name");
  request.candidate_source = file.needed_text("source", longest_request);
  // The lane refuses a source that is too long, and one more byte than allowed shows that.
  request.candidate_source.resize(std::min(request.candidate_source.size(), longest_candidate + 1));
  if (const Json* const headers = file.find("headers")) {
    if (!headers->is_object() || headers->size() > 32)
      file.fail("headers", "is no object with up to 32 files");
    std::size_t bytes = 0;
    for (const auto& [name, text] : headers->items()) {
      if (!is_name(name) || name == request.candidate_name || !text.is_string())
        file.fail("headers", "has a member that is no text or has no usable name");
      request.headers[name] = text.get<std::string>();
      bytes += request.headers[name].size();
    }
    if (bytes > most_headers)
      file.fail("headers", fmt::format("are larger than {}", format_bytes(most_headers)));
  }
  file.end();
}

void read_settings(Members& body, GradeRequest& request, bool may_seed) {
  GradeSettings& settings = request.settings;
  settings.effort =
      body.choice<Effort>("effort",
                          {{"quick", Effort::quick}, {"default", Effort::normal}, {"ranked", Effort::ranked}})
          .value_or(Effort::quick);
  settings.baselines = body.choice<WantedBaselines>("baselines", {{"none", WantedBaselines::none},
                                                                  {"usual", WantedBaselines::usual},
                                                                  {"pytorch", WantedBaselines::pytorch},
                                                                  {"compiled", WantedBaselines::compiled}})
                           .value_or(settings.baselines);
  if (const auto hidden = body.number("hidden", 0, 64)) {
    if (*hidden != std::floor(*hidden)) body.fail("hidden", "is no whole number");
    settings.hidden_cases = static_cast<std::size_t>(*hidden);
  }
  settings.seed = body.seed("seed");
  settings.hidden_seed = body.seed("hidden_seed");
  if (!may_seed && (settings.seed || settings.hidden_seed))
    body.fail("seed", "may be chosen only with a token that has the scope 'seeds'");
  settings.time_limit_seconds = body.number("time_limit_s", 0.001, 86400);
  request.run_limit_s = body.number("run_limit_s", 1, 86400).value_or(request.run_limit_s);
  request.deadline_s = body.number("deadline_s", 0.001, 30 * 86400.0).value_or(request.deadline_s);
}

void read_cases(Members& body, GradeRequest& request) {
  const Json* const cases = body.find("cases");
  if (cases == nullptr) return;
  if (!cases->is_array() || cases->size() > most_cases) body.fail("cases", "is no list of up to 100 names");
  for (const Json& each : *cases) {
    if (!each.is_string() || each.get_ref<const std::string&>().size() > 1000)
      body.fail("cases", "has a member that is no name");
    request.cases.push_back(each.get<std::string>());
  }
}

}  // namespace

std::string json_text(const OrderedJson& json) {
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

Json parsed_json(std::string_view text) {
  using Event = Json::parse_event_t;
  bool is_too_deep = false;
  // `depth`: the levels around the value. What is below the deepest one is never stored.
  const auto keep = [&is_too_deep](int depth, Event event, const Json&) {
    const bool begins = event == Event::array_start || event == Event::object_start;
    is_too_deep = is_too_deep || (begins && depth >= deepest_json);
    return !is_too_deep;
  };
  Json json = Json::parse(text, keep, false);
  return is_too_deep ? Json(Json::value_t::discarded) : json;
}

double wall_clock() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string random_id() { return fmt::format("{:016x}{:016x}", random_seed(), random_seed()); }

std::size_t GradeRequest::bytes() const {
  std::size_t sum = problem_source.size() + candidate_source.size();
  for (const auto& [name, text] : headers) sum += text.size();
  return sum;
}

Result<GradeRequest> read_request(const Json& json, bool may_seed) try {
  GradeRequest request;
  Members body(json, "request");
  read_problem(body, request);
  read_candidate(body, request);
  read_settings(body, request, may_seed);
  read_cases(body, request);
  request.dtype = body.text("dtype", longest_label);
  request.precision = body.text("precision", longest_label);
  request.priority = body.choice<Priority>("priority", {{"normal", Priority::normal}, {"low", Priority::low}})
                         .value_or(Priority::normal);
  request.feedback = body.choice<Feedback>("feedback", {{"verdict", Feedback::verdict},
                                                        {"agent", Feedback::agent},
                                                        {"full", Feedback::full}})
                         .value_or(Feedback::full);
  request.group = body.text("group", longest_label);
  request.client_ref = body.text("client_ref", longest_label);
  body.end();
  return request;
} catch (const WrongMember& wrong) {
  return Error{wrong.message, "docs/service.md describes the request", {}};
}

Result<ProblemFile> read_problem_file(const Json& json, const std::string& where) try {
  return problem_file(json, where);
} catch (const WrongMember& wrong) {
  return Error{wrong.message, "docs/service.md describes the request", {}};
}

std::string batch_key(const GradeRequest& request) {
  LaneOptions options;
  static_cast<GradeSettings&>(options) = request.settings;
  const std::string problem =
      request.slug.empty() ? request.problem_name + ":" + sha256_hex(request.problem_source) : request.slug;
  return json_text({problem, request.dtype, request.precision, request.cases,
                    static_cast<int>(request.settings.effort), conditions_of(options)});
}

const char* to_string(JobState state) {
  switch (state) {
    case JobState::queued:
      return "queued";
    case JobState::running:
      return "running";
    case JobState::finished:
      return "finished";
    case JobState::cancelled:
      return "cancelled";
    case JobState::expired:
      return "expired";
  }
  return "";
}

}  // namespace kgrade
