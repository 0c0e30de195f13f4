#include "report/junit.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.h"

namespace kgrade {
namespace {

using Suite = std::vector<const Entry*>;

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

std::string suite_name(const Entry& entry) {
  std::string name = entry.slug;
  if (entry.dtype != Dtype::float32) name += fmt::format(" {}", to_string(entry.dtype));
  return fmt::format("{} on {}", name, entry.device.empty() ? "an unknown device" : entry.device);
}

// In the order in which problems come first.
std::vector<Suite> suites_of(const std::vector<Entry>& entries) {
  std::map<std::string, std::size_t> places;
  std::vector<Suite> suites;
  for (const Entry& entry : entries) {
    const auto [place, is_new] = places.try_emplace(suite_name(entry), suites.size());
    if (is_new) suites.emplace_back();
    suites[place->second].push_back(&entry);
  }
  return suites;
}

// "2026-01-31T12:00:00", in UTC: one of the schemas allows no time zone.
std::string timestamp(const Suite& suite) {
  const auto* first = *std::min_element(suite.begin(), suite.end(), [](const Entry* a, const Entry* b) {
    return a->started_at < b->started_at;
  });
  const std::string& text = first->started_at;
  return attribute(text.ends_with('Z') ? text.substr(0, text.size() - 1) : text);
}

std::string testcase(const Entry& entry) {
  std::string text = fmt::format("    <testcase name=\"{}\" classname=\"{}\" time=\"{:.3f}\"",
                                 attribute(entry.path), attribute(entry.slug), entry.seconds);
  if (entry.verdict == Verdict::accepted) return text + "/>\n";
  return text + fmt::format(">\n      <failure type=\"{}\" message=\"{}\">{}</failure>\n    </testcase>\n",
                            to_string(entry.verdict), attribute(entry.message),
                            xml_text(fmt::format("{}: {}", to_string(entry.verdict), entry.message)));
}

std::string testsuite(const Suite& suite, std::size_t id) {
  const auto failures = std::count_if(suite.begin(), suite.end(),
                                      [](const Entry* entry) { return entry->verdict != Verdict::accepted; });
  double seconds = 0;
  std::string cases;
  for (const Entry* entry : suite) {
    seconds += entry->seconds;
    cases += testcase(*entry);
  }
  return fmt::format(
      "  <testsuite id=\"{}\" package=\"kgrade\" name=\"{}\" timestamp=\"{}\" hostname=\"localhost\" "
      "tests=\"{}\" "
      "failures=\"{}\" errors=\"0\" time=\"{:.3f}\">\n    <properties/>\n{}    <system-out/>\n    "
      "<system-err/>\n"
      "  </testsuite>\n",
      id, attribute(suite_name(*suite.front())), timestamp(suite), suite.size(), failures, seconds, cases);
}

}  // namespace

std::string junit_xml(const std::vector<Entry>& entries) {
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  std::size_t id = 0;
  for (const Suite& suite : suites_of(entries)) text += testsuite(suite, id++);
  return text + "</testsuites>\n";
}

}  // namespace kgrade
