#include "serve/grade_job.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/json_schema.h"
#include "base/text.h"
#include "draw/seed.h"
#include "problem/diagnostics.h"
#include "problem/set_files.h"
#include "record/shared_json.h"
#include "serve/answers.h"

namespace kgrade {
namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

constexpr std::size_t longest_problem = std::size_t{1} << 20;
constexpr std::size_t longest_request = std::size_t{32} << 20;
constexpr std::size_t most_headers = std::size_t{2} << 20;  // bytes, of one candidate
constexpr std::size_t longest_label = 200;
constexpr const char* remedy_of_requests = "docs/service.md describes the request";
constexpr const char* remedy_of_set_files =
    "send the one file whose path `kgrade show --file PATH` prints for the path into the set, or give that "
    "path to kgrade's client in Python";
constexpr std::size_t most_cases = 100;
constexpr std::size_t longest_case = 1000;
constexpr int deepest_json = 32;

bool is_name(std::string_view text) {
  const auto fits = [](char c) { return is_letter(c) || is_digit(c) || c == '.' || c == '_' || c == '-'; };
  return !text.empty() && text.size() <= 100 && text.front() != '.' && text.front() != '-' &&
         std::all_of(text.begin(), text.end(), fits);
}

constexpr FormRule file_name = {longest_label, "^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$", is_name,
                                "is no name of a file: up to 100 letters, digits, '.', '_' and '-', "
                                "beginning with a letter, a digit or '_'"};
// The reference of a .md problem is CUDA code that runs with the referee's rights, outside of the sandbox of
// candidates. So clients can only send Python files.
constexpr FormRule python_name = {
    longest_label, "^[A-Za-z0-9_][A-Za-z0-9._-]{0,96}\\.py$",
    [](std::string_view text) { return is_name(text) && text.ends_with(".py"); },
    "is no name of a file, or does not end in .py: only problem files in "
    "Python can be sent, since others have "
    "references in CUDA, which are trusted"};
// Refuses the names of files that are not in Python. Such a file may belong to a public set, so the message
// says what to send instead.
struct ProblemNameRule {
  std::string operator()(const JsonValue& value) const {
    const std::string name = value.text(longest_label);
    for (const char* const extension : {".json", ".jsonl", ".yml", ".yaml"}) {
      if (name.ends_with(extension))
        value.complain(fmt::format(
            "is {}, and only Python files can be sent; if it is a file of a problem in a public set, {}",
            in_quotes(name), remedy_of_set_files));
    }
    return python_name(value);
  }
  static OrderedJson schema() { return python_name.schema(); }
};
constexpr FormRule sha256_form = {
    64, "^[0-9a-f]{64}$", [](std::string_view text) { return text.size() == 64 && sha256_of.fits(text); },
    "is no SHA-256 in hexadecimal digits"};
constexpr FormRule slug_form = {longest_label, file_name.pattern, is_name,
                                "is no slug; GET /v1/problems lists them"};

// A whole number below 2^64, or its digits as a text.
struct SeedRule {
  std::uint64_t operator()(const JsonValue& value) const {
    const std::string digits = value.is_whole() ? value.dump() : value.text(most_text);
    std::uint64_t seed = 0;
    const auto [rest, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), seed);
    if ((value.is_whole() || value.is_text()) &&
        (digits.empty() || failure != std::errc{} || rest != digits.data() + digits.size()))
      value.complain("is no whole number from 0 to 2^64 - 1");
    return seed;
  }
  static OrderedJson schema() {
    return {{"anyOf",
             {{{"type", "integer"}, {"minimum", 0}, {"maximum", UINT64_MAX}},
              {{"type", "string"}, {"pattern", "^[0-9]+$"}},
              {{"type", "null"}}}}};
  }
};

struct HeadersRule {
  static constexpr std::size_t most = 32;
  std::map<std::string, std::string> operator()(const JsonValue& value) const {
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
  static OrderedJson schema() {
    return {{"type", "object"},
            {"maxProperties", most},
            {"propertyNames", file_name.schema()},
            {"additionalProperties", {{"type", "string"}}}};
  }
};

// In JSON, 2.0 and 2 are the same number.
struct WholeNumberRule {
  std::uint64_t least;
  std::uint64_t most;
  std::uint64_t operator()(const JsonValue& value) const {
    const double number = value.number(static_cast<double>(least), static_cast<double>(most));
    if (number != std::floor(number)) value.complain("is no whole number");
    return static_cast<std::uint64_t>(number);
  }
  OrderedJson schema() const { return {{"type", "integer"}, {"minimum", least}, {"maximum", most}}; }
};

// The rule of a member whose value is one of several words.
template <class E, std::size_t count>
struct ChoiceRule {
  std::array<Choice<E>, count> choices;
  E operator()(const JsonValue& value) const {
    const auto chosen = [this](std::string_view word) -> std::optional<E> {
      for (const Choice<E>& choice : choices) {
        if (choice.member == word) return choice.value;
      }
      return std::nullopt;
    };
    return value.word(chosen, fmt::format("{}", fmt::join(words(), ", ")));
  }
  OrderedJson written(E value) const {
    for (const Choice<E>& choice : choices) {
      if (choice.value == value) return choice.member;
    }
    return nullptr;
  }
  OrderedJson schema() const { return words_schema(words()); }
  std::vector<std::string_view> words() const {
    std::vector<std::string_view> words;
    for (const Choice<E>& choice : choices) words.push_back(choice.member);
    return words;
  }
};
// The text of a candidate may be as long as a whole request.
struct CandidateText {
  std::string operator()(const JsonValue& value) const { return value.text(longest_request); }
  static OrderedJson schema() { return {{"type", "string"}}; }
};
constexpr TextRule label = text_up_to<longest_label>;

struct LabelRule {
  std::array<const char*, 4> examples;
  std::string operator()(const JsonValue& value) const { return label(value); }
  OrderedJson schema() const {
    OrderedJson schema = label.schema();
    for (const char* const example : examples) {
      if (example != nullptr) schema["examples"].push_back(example);
    }
    return schema;
  }
};

// The rule of the member for an option (record/settings.h).
constexpr SeedRule member_rule(const GradeOption&, AnySeed, const std::optional<std::uint64_t>&) {
  return {};
}
constexpr NumberRule member_rule(const GradeOption&, const Seconds& rule, const std::optional<double>&) {
  return {rule.least, rule.most};
}
constexpr LabelRule member_rule(const GradeOption& option, AnySetting, const std::optional<std::string>&) {
  return {option.member.examples};
}
constexpr auto member_rule(const GradeOption&, AnySetting, const std::vector<std::string>&) {
  return items(0, most_cases, text_up_to<longest_case>);
}
template <class T>
constexpr AnyValue member_rule(const GradeOption&, AnySetting, const T&) {
  return {};
}
constexpr WholeNumberRule member_rule(const GradeOption&, const WholeNumber& rule,
                                      const std::optional<std::uint64_t>&) {
  return {rule.least, rule.most_of_clients};
}
template <class E, std::size_t count>
constexpr ChoiceRule<E, count> member_rule(const GradeOption&, const std::array<Choice<E>, count>& choices,
                                           E) {
  return {choices};
}

constexpr const char* about_feedback =
    "What the owner may learn. `verdict`: verdict and speed, and what the compiler says of a candidate that "
    "it "
    "refuses; no view `agent` or `record`. `agent`: the reason and the view `agent` too. `full`: all.";

}  // namespace

template <>
inline constexpr const char* schema_name<ProblemFile> = "SentProblem";
template <>
inline constexpr const char* schema_name<GradeRequest> = "Request";

// A problem that was uploaded, by its hash. Its file replaces it before a request is read (serve/uploads.h).
struct UploadedProblemName {
  std::string sha256;
};

// The rule of a request's problem: its file, or its name.
struct ProblemRule {
  ProblemFile operator()(const JsonValue& problem) const {
    ProblemFile file;
    if (problem.is_text()) {
      file.name = slug_form(problem);
    } else {
      read_value(problem, file, AnyValue{}, true);
    }
    return file;
  }
  template <class T>
  OrderedJson schema(SchemaDefinitions& definitions) const {
    return {{"anyOf",
             {slug_form.schema(), definitions.reference_to<ProblemFile>(),
              definitions.reference_to<UploadedProblemName>()}}};
  }
};

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<ProblemFile>& file) {
  archive("name", file.name, ProblemNameRule{});
  archive("source", file.source, text_up_to<longest_problem>, "Up to 1 MiB in UTF-8.");
  archive.nothing_else();
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<UploadedProblemName>& problem) {
  archive("sha256", problem.sha256, sha256_form);
}

template <class Archive>
void candidate_fields(Archive& archive, typename Archive::template Value<GradeRequest>& request) {
  archive("name", request.candidate_name, file_name,
          "Its extension says what it is: `.cu`, `.py`, or `.md` for a model's answer.");
  archive("source", request.candidate_source, CandidateText{},
          "A text of more than 1 MiB in UTF-8 has the verdict `compile_error`.");
  archive.or_default("headers", request.headers, HeadersRule{}, "Files beside the candidate, by name.");
  if constexpr (Archive::reads) {
    // The lane refuses a source that is too long, and one more byte than allowed shows that.
    request.candidate_source.resize(std::min(request.candidate_source.size(), longest_candidate + 1));
    if (request.headers.contains(request.candidate_name))
      archive.value()["headers"].complain("has a file with the candidate's name");
  }
  archive.nothing_else();
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<GradeRequest>& request) {
  ProblemFile problem;
  archive("problem", problem, ProblemRule{});
  archive.object("candidate", [&](auto& candidate) { candidate_fields(candidate, request); });
  grade_options(
      [&archive](const GradeOption& option, auto& value, const auto& rule) {
        if (option.member.name != nullptr)
          archive.or_default(option.member.name, value, member_rule(option, rule, value),
                             option.member.description);
      },
      request.settings);
  archive.or_default(
      "run_limit_s", request.run_limit_s, NumberRule{1, 86400},
      "Seconds that the candidate may take in all: for its build, loading it, its rehearsal and its "
      "calls. The reference and baselines do not count. A candidate that takes longer has the verdict "
      "`time_limit`.");
  archive.or_default("deadline_s", request.deadline_s, NumberRule{0.001, 30 * 86400},
                     "Seconds until the result is of no use, the queue included. Then the job is `expired`.");
  archive.or_default("priority", request.priority, "Whose jobs run first among those of one owner.");
  archive.or_default("feedback", request.feedback, about_feedback);
  archive.or_default("group", request.group, label, "Comes back with the result.");
  archive.or_default("client_ref", request.client_ref, label, "Comes back with the result.");
  if constexpr (Archive::reads) {
    // An empty text counts as no value.
    for (auto* text : {&request.settings.dtype, &request.settings.precision}) {
      if (*text && (*text)->empty()) text->reset();
    }
    const auto sent = archive.value().find("problem");
    (sent && sent->is_text() ? request.slug : request.problem_name) = std::move(problem.name);
    request.problem_source = std::move(problem.source);
  }
  archive.nothing_else();
}

std::vector<std::string_view> grading_members() {
  std::vector<std::string_view> members = {"run_limit_s", "priority"};
  GradeSettings settings;
  grade_options(
      [&members](const GradeOption& option, const auto&, const auto&) {
        if (option.member.name != nullptr) members.emplace_back(option.member.name);
      },
      settings);
  return members;
}

OrderedJson request_schema(SchemaDefinitions& definitions) {
  return definitions.reference_to<GradeRequest>();
}
OrderedJson sent_problem_schema(SchemaDefinitions& definitions) {
  return definitions.reference_to<ProblemFile>();
}

std::string json_text(const OrderedJson& json) {
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

Json parsed_json(std::string_view text) {
  using Event = Json::parse_event_t;
  bool is_too_deep = false;
  // `depth`: the levels around the value. Values below the deepest level are never stored.
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

std::optional<std::string> why_not_alone(const std::string& name, const std::string& source) {
  const auto lacking = lacking_of_set(name, source);
  return lacking ? std::optional(fmt::format("the problem {} {}; {}", name, *lacking, remedy_of_set_files))
                 : std::nullopt;
}

std::string batch_key(const GradeRequest& request) {
  LaneOptions options;
  static_cast<GradeSettings&>(options) = request.settings;
  const std::string problem =
      request.slug.empty() ? request.problem_name + ":" + sha256_hex(request.problem_source) : request.slug;
  return json_text({problem, text_of(options)});
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<GradeJob>& job) {
  archive("id", job.id);
  archive("owner", job.owner);
  archive("key", job.key);
  archive("body_sha256", job.body_sha256);
  archive("submitted_at", job.submitted_at);
  if constexpr (Archive::reads) {
    archive.or_default("feedback", job.feedback);  // older journals have none
  } else {
    archive("feedback", job.feedback);
  }
  archive.or_default("contest", job.is_contest);
  archive.or_default("body", job.body, text_up_to<longest_request>);
  archive.or_default("state", job.state);
  archive.or_default("ended_at", job.ended_at);
  archive.or_default("result", job.result, text_up_to<longest_request>);
}

std::string job_line(const GradeJob& job) {
  OrderedJson line = {{"type", job.has_ended() ? "ended" : "job"}};
  JsonWriter writer(line);
  fields(writer, job);
  return json_text(line);
}

Effort EffortRule::operator()(const JsonValue& value) const {
  return value.word(
      [](std::string_view text) -> std::optional<Effort> {
        for (int i = 0; i < 3; ++i) {
          if (words[i] == text) return static_cast<Effort>(i);
        }
        return std::nullopt;
      },
      "quick, default, ranked");
}

Result<GradeJob> read_job_line(const Json& line) {
  auto job = read_document<GradeJob>(line, "");
  if (!job) return job.errors();
  if (job->has_ended()) {
    if (!parsed_json(job->result).is_object()) return Error{"/result is no object", "", {}};
    return job;
  }
  job->state = JobState::queued;
  // Whether the client may choose seeds was decided when the request was accepted.
  auto request = read_request(parsed_json(job->body), true);
  if (!request) return request.errors();
  job->request = *std::move(request);
  job->batch = batch_key(job->request);
  return job;
}

}  // namespace kgrade
