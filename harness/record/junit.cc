#include "record/junit.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.h"

namespace kgrade {
namespace {

// Of one problem, element type and device.
struct JunitSuite {
  std::vector<const Record*> records;
  std::vector<const Ungraded*> ungraded;
};

// U+FFFE and U+FFFF are UTF-8 and yet no characters of XML.
std::string xml_text(std::string_view text) {
  std::string fit = printable(text);
  for (const char* none : {"\xEF\xBF\xBE", "\xEF\xBF\xBF"}) fit = replace_all(std::move(fit), none, "?");
  return escape_markup(fit);
}

// A parser makes blanks of line breaks and tabs as they are.
std::string attribute(std::string_view text) {
  return replace_all(replace_all(xml_text(text), "\n", "&#10;"), "\t", "&#9;");
}

// Of an Record or an Ungraded.
std::string suite_name(const std::string& slug, Dtype dtype, const std::string& device) {
  std::string name = slug;
  if (dtype != Dtype::float32) name += fmt::format(" {}", to_string(dtype));
  return fmt::format("{} on {}", name, device.empty() ? "an unknown device" : device);
}

using NamedSuites = std::vector<std::pair<std::string, JunitSuite>>;

// In the order in which problems come first.
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

// "2026-01-31T12:00:00", in UTC: one of the schemas allows no time zone.
std::string timestamp(const JunitSuite& suite) {
  std::vector<std::string> times;
  for (const Record* record : suite.records) times.push_back(record->started_at);
  for (const Ungraded* one : suite.ungraded) times.push_back(one->at);
  const std::string text = *std::min_element(times.begin(), times.end());
  return attribute(text.ends_with('Z') ? text.substr(0, text.size() - 1) : text);
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
  return text + (record.candidate().verdict == Verdict::accepted
                     ? "/>\n"
                     : outcome("failure", to_string(record.candidate().verdict), record.candidate().message));
}

std::string testsuite(const std::string& name, const JunitSuite& suite, std::size_t id) {
  const auto failures = std::count_if(suite.records.begin(), suite.records.end(), [](const Record* record) {
    return record->candidate().verdict != Verdict::accepted;
  });
  double seconds = 0;
  std::string cases;
  for (const Record* record : suite.records) {
    seconds += record->total_seconds;
    cases += testcase(*record);
  }
  for (const Ungraded* one : suite.ungraded)
    cases += testcase(one->path, one->slug, 0) + outcome("error", "not_graded", one->message);
  return fmt::format(
      "  <testsuite id=\"{}\" package=\"kgrade\" name=\"{}\" timestamp=\"{}\" hostname=\"localhost\" "
      "tests=\"{}\" failures=\"{}\" errors=\"{}\" time=\"{:.3f}\">\n    <properties/>\n{}    <system-out/>\n "
      "   "
      "<system-err/>\n  </testsuite>\n",
      id, attribute(name), timestamp(suite), suite.records.size() + suite.ungraded.size(), failures,
      suite.ungraded.size(), seconds, cases);
}

}  // namespace

std::string junit_xml(const std::vector<Record>& records, const std::vector<Ungraded>& ungraded) {
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  std::size_t id = 0;
  for (const auto& [name, suite] : suites_of(records, ungraded)) text += testsuite(name, suite, id++);
  return text + "</testsuites>\n";
}

}  // namespace kgrade
