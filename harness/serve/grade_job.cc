#include "serve/grade_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "draw/seed.h"
#include "record/shared_json.h"

namespace kgrade {
namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

constexpr std::size_t longest_problem = std::size_t{1} << 20;
constexpr std::size_t longest_request = std::size_t{32} << 20;
constexpr std::size_t most_headers = std::size_t{2} << 20;  // bytes, of one candidate
constexpr std::size_t longest_label = 200;
constexpr const char* remedy_of_requests = "docs/service.md describes the request";
constexpr std::size_t most_cases = 100;
constexpr std::size_t longest_case = 1000;
constexpr int deepest_json = 32;

bool is_name(const std::string& text) {
  const auto fits = [](char c) { return is_letter(c) || is_digit(c) || c == '.' || c == '_' || c == '-'; };
  return !text.empty() && text.size() <= 100 && text.front() != '.' && text.front() != '-' &&
         std::all_of(text.begin(), text.end(), fits);
}

std::string file_name_of(const JsonValue& value) {
  const std::string name = value.text(longest_label);
  if (value.is_text() && !is_name(name))
    value.complain(
        "is no name of a file: up to 100 letters, digits, '.', '_' and '-', beginning with a letter, a digit "
        "or '_'");
  return name;
}

// The reference of a .md problem is code in CUDA that runs with the referee's trust. A stranger's would run
// outside of the sandbox that candidates have.
std::string python_name_of(const JsonValue& value) {
  const std::string name = file_name_of(value);
  if (value.is_text() && !name.ends_with(".py"))
    value.complain(
        "does not end in .py: only problem files in Python can be sent, since others have references in "
        "CUDA, which are trusted");
  return name;
}

// A whole number below 2^64, or its digits as a text.
std::uint64_t seed_of(const JsonValue& value) {
  const std::string digits = value.is_whole() ? value.dump() : value.text(most_text);
  std::uint64_t seed = 0;
  const auto [rest, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), seed);
  if ((value.is_whole() || value.is_text()) &&
      (digits.empty() || failure != std::errc{} || rest != digits.data() + digits.size()))
    value.complain("is no whole number from 0 to 2^64 - 1");
  return seed;
}

std::map<std::string, std::string> headers_of(const JsonValue& value) {
  constexpr std::size_t most = 32;
  std::map<std::string, std::string> headers;
  std::size_t bytes = 0;
  for (const auto& [name, text] : value.members(most)) {
    if (!is_name(name)) text.complain("is no name of a file");
    headers[name] = text.text(longest_request);
    bytes += headers[name].size();
  }
  if (bytes > most_headers) value.complain(fmt::format("is larger than {}", format_bytes(most_headers)));
  return headers;
}

constexpr auto number_in(double low, double high) {
  return [low, high](const JsonValue& value) { return value.number(low, high); };
}
constexpr auto label_of = text_up_to<longest_label>;

// How the value of an option is read.
auto reader_of(AnySeed, const std::optional<std::uint64_t>&) { return seed_of; }
auto reader_of(const Seconds& rule, const std::optional<double>&) { return number_in(rule.least, rule.most); }
// An empty text is none.
auto reader_of(AnySetting, const std::optional<std::string>&) {
  return [](const JsonValue& value) {
    std::string text = label_of(value);
    return text.empty() ? std::nullopt : std::optional(std::move(text));
  };
}
auto reader_of(AnySetting, const std::vector<std::string>&) { return text_up_to<longest_case>; }
template <class T>
auto reader_of(AnySetting, const T&) {
  return AnyValue{};
}
// In JSON, 2.0 and 2 are the same number.
auto reader_of(const WholeNumber& rule, const std::optional<std::uint64_t>&) {
  return [rule](const JsonValue& value) {
    const double number =
        value.number(static_cast<double>(rule.least), static_cast<double>(rule.most_of_clients));
    if (number != std::floor(number)) value.complain("is no whole number");
    return static_cast<std::uint64_t>(number);
  };
}
template <class E, std::size_t count>
auto reader_of(const std::array<Choice<E>, count>& choices, E) {
  return [choices](const JsonValue& value) {
    const auto chosen = [&choices](std::string_view word) -> std::optional<E> {
      for (const Choice<E>& choice : choices)
        if (choice.member == word) return choice.value;
      return std::nullopt;
    };
    std::string words;
    for (const Choice<E>& choice : choices) words += (words.empty() ? "" : ", ") + std::string(choice.member);
    return value.word(chosen, words);
  };
}

}  // namespace

template <>
inline constexpr int count_of_values<Priority> = 2;
template <>
inline constexpr int count_of_values<Feedback> = 3;

static std::string_view to_string(Priority priority) {
  return priority == Priority::normal ? "normal" : "low";
}

static void fields(JsonReader& archive, ProblemFile& file) {
  archive("name", file.name, python_name_of);
  archive("source", file.source, text_up_to<longest_problem>);
  archive.value().has_only({"name", "source"});
}

namespace {

void read_problem(const JsonValue& problem, GradeRequest& request) {
  if (problem.is_text()) {
    request.slug = problem.text(longest_label);
    if (!is_name(request.slug)) problem.complain("is no slug; GET /v1/problems lists them");
    return;
  }
  // A problem that was uploaded has been replaced by its file (serve/uploads.h).
  ProblemFile file;
  read_value(problem, file, AnyValue{}, true);
  request.problem_name = std::move(file.name);
  request.problem_source = std::move(file.source);
}

void read_candidate(const JsonValue& candidate, GradeRequest& request) {
  JsonReader archive(candidate, true);
  archive("name", request.candidate_name, file_name_of);
  archive("source", request.candidate_source, text_up_to<longest_request>);
  // The lane refuses a source that is too long, and one more byte than allowed shows that.
  request.candidate_source.resize(std::min(request.candidate_source.size(), longest_candidate + 1));
  archive.or_default("headers", request.headers, headers_of);
  if (request.headers.contains(request.candidate_name))
    candidate["headers"].complain("has a file with the candidate's name");
  candidate.has_only({"name", "source", "headers"});
}

}  // namespace

static void fields(JsonReader& archive, GradeRequest& request) {
  read_problem(archive.value()["problem"], request);
  read_candidate(archive.value()["candidate"], request);
  request.settings.effort = Effort::quick;
  grade_options(
      [&archive](const GradeOption& option, auto& value, const auto& rule) {
        if (option.member != nullptr)
          archive.or_default(option.member, value, reader_of(rule, value), most_cases);
      },
      request.settings);
  archive.or_default("run_limit_s", request.run_limit_s, number_in(1.0, 86400.0));
  archive.or_default("deadline_s", request.deadline_s, number_in(0.001, 30 * 86400.0));
  archive.or_default("priority", request.priority);
  archive.or_default("feedback", request.feedback);
  archive.or_default("group", request.group, label_of);
  archive.or_default("client_ref", request.client_ref, label_of);
  std::vector<std::string_view> known = grading_members();
  known.insert(known.end(), {"problem", "candidate", "deadline_s", "feedback", "group", "client_ref"});
  archive.value().has_only(known);
}

std::vector<std::string_view> grading_members() {
  std::vector<std::string_view> members = {"run_limit_s", "priority"};
  GradeSettings settings;
  grade_options(
      [&members](const GradeOption& option, const auto&, const auto&) {
        if (option.member != nullptr) members.emplace_back(option.member);
      },
      settings);
  return members;
}

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

std::size_t GradeRequest::bytes() const {
  std::size_t sum = problem_source.size() + candidate_source.size();
  for (const auto& [name, text] : headers) sum += text.size();
  return sum;
}

Result<GradeRequest> read_request(const Json& json, bool may_seed) {
  auto request = read_document<GradeRequest>(json, remedy_of_requests);
  if (request && !may_seed && (request->settings.seed || request->settings.hidden_seed))
    return Error{"/seed may be chosen only with a token that has the scope 'seeds'", "", {}};
  return request;
}

Result<ProblemFile> read_problem_file(const Json& json) {
  return read_document<ProblemFile>(json, remedy_of_requests);
}

std::string batch_key(const GradeRequest& request) {
  LaneOptions options;
  static_cast<GradeSettings&>(options) = request.settings;
  const std::string problem =
      request.slug.empty() ? request.problem_name + ":" + sha256_hex(request.problem_source) : request.slug;
  return json_text({problem, text_of(options)});
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
