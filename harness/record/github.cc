#include "record/github.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "record/markdown_text.h"
#include "record/speed_table.h"

namespace kgrade {
namespace {

constexpr std::size_t most_summary_bytes = 900'000;  // a summary may have 1 MiB

std::string escape_data(std::string_view text) {
  return replace_all(replace_all(replace_all(printable(text), "%", "%25"), "\r", "%0D"), "\n", "%0A");
}

std::string escape_property(std::string_view text) {
  return replace_all(replace_all(escape_data(text), ":", "%3A"), ",", "%2C");
}

// N of "PATH:N:..." (gcc, clang) and "PATH(N)..." (nvcc); 0 where the message begins otherwise.
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

std::string error_line(const std::string& properties, const std::string& title, const std::string& message) {
  return fmt::format("::error {},title={}::{}\n", properties, escape_property(title),
                     escape_data(message.empty() ? title : message));
}

std::string annotation(const Ungraded& one) {
  return error_line("file=" + escape_property(one.path), "not graded: " + one.slug, one.message);
}

std::string annotation(const Record& record) {
  std::string properties = "file=" + escape_property(record.candidate().path);
  const int line = record.candidate().verdict == Verdict::compile_error
                       ? line_named(record.candidate().message, record.candidate().path)
                       : 0;
  if (line > 0) properties += fmt::format(",line={}", line);
  return error_line(properties,
                    fmt::format("{}: {}", to_string(record.candidate().verdict), record.problem_slug),
                    record.candidate().message);
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
  return fmt::format(
      "| {} | {} | {} | {} | {} |\n", problem_text(record.problem_slug, record.dtype),
      markdown_code(record.candidate().path),
      accepted ? std::string("accepted") : fmt::format("**{}**", to_string(record.candidate().verdict)),
      accepted
          ? fmt::format("{}{}{}", to_string(record.candidate().precision), speed.empty() ? "" : ", ", speed)
          : "",
      accepted || record.candidate().message.empty() ? "" : markdown_code(record.candidate().message));
}

}  // namespace

std::string github_annotations(const std::vector<Record>& records, const std::vector<Ungraded>& ungraded) {
  std::string text;
  for (const Ungraded& one : ungraded) text += annotation(one);
  for (const Record& record : records) {
    if (record.candidate().verdict != Verdict::accepted) text += annotation(record);
  }
  return text;
}

std::string github_summary(const std::vector<Record>& records, const std::vector<Ungraded>& ungraded) {
  const auto is_accepted = [](const Record* record) {
    return record->candidate().verdict == Verdict::accepted;
  };
  std::vector<const Record*> order;
  for (const Record& record : records) order.push_back(&record);
  const auto accepted = std::count_if(order.begin(), order.end(), is_accepted);
  std::stable_partition(order.begin(), order.end(),
                        [&](const Record* record) { return !is_accepted(record); });
  const std::size_t all = order.size() + ungraded.size();
  std::string text = fmt::format("### kgrade: {} of {} accepted", accepted, all);
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

}  // namespace kgrade
