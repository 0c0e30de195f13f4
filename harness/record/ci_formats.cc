#include "record/ci_formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "base/text.h"
#include "record/table.h"

namespace kgrade {
namespace {

// --- Markdown ---

// Cuts the text, but not in the middle of a character.
std::string_view cut(std::string_view text, std::size_t most_bytes) {
  if (text.size() <= most_bytes) return text;
  while (most_bytes > 0 && (static_cast<unsigned char>(text[most_bytes]) & 0xc0) == 0x80) --most_bytes;
  return text.substr(0, most_bytes);
}

// --- GitHub Actions ---

std::string escape_data(std::string_view text) {
  return replace_all(replace_all(replace_all(printable(text), "%", "%25"), "\r", "%0D"), "\n", "%0A");
}

std::string escape_property(std::string_view text) {
  return replace_all(replace_all(escape_data(text), ":", "%3A"), ",", "%2C");
}

std::string problem_text(const std::string& slug, Dtype dtype) {
  return dtype == Dtype::float32 ? slug : fmt::format("{} {}", slug, to_string(dtype));
}

std::string row(const Ungraded& one) {
  return fmt::format("| {} | {} | **not graded** |  | {} |\n", problem_text(one.slug, one.dtype),
                     markdown_code(one.path), one.message.empty() ? "" : markdown_code(one.message));
}

std::string row(const Record& record) {
  const Score* score = record.candidate().headline();
  const std::string speed =
      score == nullptr ? ""
                       : fmt::format("{} the {}", ratio_text(score->speedup.geometric_mean),
                                     score->against == "reference" ? "reference" : "fastest baseline");
  const bool accepted = record.candidate().verdict == Verdict::accepted;
  const bool failed = !accepted && !needs_a_gpu(record);
  const std::string verdict(to_string(record.candidate().verdict));
  return fmt::format(
      "| {} | {} | {} | {} | {} |\n", problem_text(record.problem_slug, record.dtype),
      markdown_code(record.candidate().path), failed ? "**" + verdict + "**" : verdict,
      accepted
          ? fmt::format("{}{}{}", to_string(record.candidate().precision), speed.empty() ? "" : ", ", speed)
          : "",
      accepted || record.candidate().message.empty() ? "" : markdown_code(record.candidate().message));
}

// --- JUnit XML ---

// The results of one problem, element type and device.
struct JunitSuite {
  std::vector<const Record*> records;
  std::vector<const Ungraded*> ungraded;
};

// U+FFFE and U+FFFF are valid in UTF-8 but not in XML.
std::string xml_text(std::string_view text) {
  std::string fit = printable(text);
  for (const char* none : {"\xEF\xBF\xBE", "\xEF\xBF\xBF"}) fit = replace_all(std::move(fit), none, "?");
  return escape_markup(fit);
}

// Line breaks and tabs are written as references, because a parser replaces them with blanks otherwise.
std::string attribute(std::string_view text) {
  return replace_all(replace_all(xml_text(text), "\n", "&#10;"), "\t", "&#9;");
}

std::string suite_name(const std::string& slug, Dtype dtype, const std::string& device) {
  std::string name = slug;
  if (dtype != Dtype::float32) name += fmt::format(" {}", to_string(dtype));
  return fmt::format("{} on {}", name, device.empty() ? "an unknown device" : device);
}

using NamedSuites = std::vector<std::pair<std::string, JunitSuite>>;

// The suites, in the order in which their problems first appear.
NamedSuites suites_of(const std::vector<Record>& records, const std::vector<Ungraded>& ungraded) {
  std::map<std::string, std::size_t> places;
  NamedSuites suites;
  const auto suite_called = [&](const std::string& name) -> JunitSuite& {
    const auto [place, is_new] = places.try_emplace(name, suites.size());
    if (is_new) suites.emplace_back(name, JunitSuite{});
    return suites[place->second].second;
  };
  for (const Record& record : records)
    suite_called(suite_name(record.problem_slug, record.dtype, record.device.name))
        .records.push_back(&record);
  for (const Ungraded& one : ungraded)
    suite_called(suite_name(one.slug, one.dtype, one.device)).ungraded.push_back(&one);
  return suites;
}

std::string testcase(const std::string& path, const std::string& slug, double seconds) {
  return fmt::format("    <testcase name=\"{}\" classname=\"{}\" time=\"{:.3f}\"", attribute(path),
                     attribute(slug), seconds);
}

// `kind` is "failure" or "error".
std::string outcome(const char* kind, std::string_view type, const std::string& message) {
  return fmt::format(">\n      <{0} type=\"{1}\" message=\"{2}\">{3}</{0}>\n    </testcase>\n", kind, type,
                     attribute(message), xml_text(fmt::format("{}: {}", type, message)));
}

std::string testcase(const Record& record) {
  const std::string text = testcase(record.candidate().path, record.problem_slug, record.total_seconds);
  if (needs_a_gpu(record))
    return text + fmt::format(">\n      <skipped message=\"{}\"/>\n    </testcase>\n",
                              attribute(record.candidate().message));
  return text + (record.candidate().verdict == Verdict::accepted
                     ? "/>\n"
                     : outcome("failure", to_string(record.candidate().verdict), record.candidate().message));
}

std::string testsuite(const std::string& name, const JunitSuite& suite, std::size_t id) {
  const auto count = [&](auto is_one) {
    return std::count_if(suite.records.begin(), suite.records.end(), is_one);
  };
  const auto skipped = count([](const Record* record) { return needs_a_gpu(*record); });
  const auto failures = count([](const Record* record) {
    return record->candidate().verdict != Verdict::accepted && !needs_a_gpu(*record);
  });
  double seconds = 0;
  std::string cases;
  std::vector<std::string> times;
  for (const Record* record : suite.records) {
    times.push_back(record->started_at);
    seconds += record->total_seconds;
    cases += testcase(*record);
  }
  for (const Ungraded* one : suite.ungraded) {
    times.push_back(one->at);
    cases += testcase(one->path, one->slug, 0) + outcome("error", "not_graded", one->message);
  }
  // "2026-01-31T12:00:00" in UTC. The format has no time zone because one of the schemas allows none.
  std::string timestamp = *std::min_element(times.begin(), times.end());
  if (timestamp.ends_with('Z')) timestamp.pop_back();
  return fmt::format(
      "  <testsuite id=\"{}\" package=\"kgrade\" name=\"{}\" timestamp=\"{}\" hostname=\"localhost\" "
      "tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3f}\">\n"
      "    <properties/>\n{}    <system-out/>\n    <system-err/>\n  </testsuite>\n",
      id, attribute(name), attribute(timestamp), suite.records.size() + suite.ungraded.size(), failures,
      suite.ungraded.size(), skipped, seconds, cases);
}

}  // namespace

bool needs_a_gpu(const Record& record) {
  return record.candidate().verdict == Verdict::unsupported && record.device.kind == "emulated";
}

// --- Markdown ---

std::string markdown_code(std::string_view text, std::size_t most_bytes) {
  const std::string one_line =
      replace_all(replace_all(std::string(cut(text, most_bytes)), "\n", " "), "\t", " ");
  std::string code = "<code>";
  for (const char c : printable(one_line)) {
    const bool is_plain = is_letter(c) || (c >= '0' && c <= '9') || c == ' ' || c == '-' || c == '/' ||
                          static_cast<signed char>(c) < 0;
    code += is_plain ? std::string(1, c) : fmt::format("&#{};", int{c});
  }
  if (text.size() > most_bytes) code += "...";
  return code + "</code>";
}

// --- GitHub Actions ---

int line_named(std::string_view message, std::string_view path) {
  if (!message.starts_with(path) || message.size() <= path.size() + 1) return 0;
  const char before = message[path.size()];
  if (before != ':' && before != '(') return 0;
  const std::string_view rest = message.substr(path.size() + 1);
  int line = 0;
  const auto parsed = std::from_chars(rest.data(), rest.data() + rest.size(), line);
  const bool ended = parsed.ptr != rest.data() + rest.size() && *parsed.ptr == (before == '(' ? ')' : ':');
  return parsed.ec == std::errc{} && ended && line > 0 ? line : 0;
}

std::string github_annotation(const char* level, const std::string& file, int line, const std::string& title,
                              const std::string& message) {
  return fmt::format("::{} file={}{},title={}::{}\n", level, escape_property(file),
                     line > 0 ? fmt::format(",line={}", line) : "", escape_property(title),
                     escape_data(message.empty() ? title : message));
}

std::string github_annotations(const std::vector<Record>& records, const std::vector<Ungraded>& ungraded) {
  std::string text;
  for (const Ungraded& one : ungraded)
    text += github_annotation("error", one.path, 0, "not graded: " + one.slug, one.message);
  std::string notices;
  for (const Record& record : records) {
    const CandidateRecord& candidate = record.candidate();
    if (candidate.verdict == Verdict::accepted) continue;
    const int line =
        candidate.verdict == Verdict::compile_error ? line_named(candidate.message, candidate.path) : 0;
    const std::string title = fmt::format("{}: {}", to_string(candidate.verdict), record.problem_slug);
    (needs_a_gpu(record) ? notices : text) += github_annotation(
        needs_a_gpu(record) ? "notice" : "error", candidate.path, line, title, candidate.message);
  }
  return text + notices;
}

std::string github_summary(const std::vector<Record>& records, const std::vector<Ungraded>& ungraded) {
  const auto is_accepted = [](const Record* record) {
    return record->candidate().verdict == Verdict::accepted;
  };
  std::vector<const Record*> order;
  for (const Record& record : records) order.push_back(&record);
  const auto accepted = std::count_if(order.begin(), order.end(), is_accepted);
  const auto others = std::stable_partition(order.begin(), order.end(),
                                            [&](const Record* record) { return !is_accepted(record); });
  const auto first_for_gpu = std::stable_partition(
      order.begin(), others, [](const Record* record) { return !needs_a_gpu(*record); });
  const std::size_t all = order.size() + ungraded.size();
  std::string text = fmt::format("### kgrade: {} of {} accepted", accepted, all);
  if (first_for_gpu != others)
    text += fmt::format(", {} unsupported on this machine", others - first_for_gpu);
  text += ungraded.empty() ? "\n" : fmt::format(", {} not graded\n", ungraded.size());
  if (all == 0) return text;
  text += "\n| problem | candidate | verdict | class and speed | |\n| --- | --- | --- | --- | --- |\n";
  std::size_t shown = 0;
  const auto add = [&](const auto& one) {
    if (text.size() >= most_summary_bytes) return;
    text += row(one);
    ++shown;
  };
  for (const Ungraded& one : ungraded) add(one);
  for (const Record* record : order) add(*record);
  if (shown < all) text += fmt::format("\n{} more are left out.\n", all - shown);
  return text;
}

std::string github_quoted(std::string_view text, const std::string& token) {
  return fmt::format("::stop-commands::{0}\n{1}{2}::{0}::\n", token, text,
                     text.empty() || text.ends_with('\n') ? "" : "\n");
}

// --- JUnit XML ---

std::string junit_xml(const std::vector<Record>& records, const std::vector<Ungraded>& ungraded) {
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  std::size_t id = 0;
  for (const auto& [name, suite] : suites_of(records, ungraded)) text += testsuite(name, suite, id++);
  return text + "</testsuites>\n";
}

}  // namespace kgrade
