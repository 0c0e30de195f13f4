#include "record/candidate_reports.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "base/text.h"

namespace kgrade {
namespace {

constexpr std::size_t most_names = 40;
constexpr std::size_t longest_name = 60;

// Accepts only names of functions and headers, so that the text is harmless on a page and on a terminal.
bool is_name(const std::string& text) {
  return !text.empty() && text.size() <= longest_name && std::all_of(text.begin(), text.end(), [](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '.';
  });
}

std::vector<std::string> names_in(const nlohmann::json& report, const char* key) {
  std::vector<std::string> names;
  const auto found = report.find(key);
  if (found == report.end() || !found->is_array()) return names;
  for (const auto& name : *found) {
    if (name.is_string() && is_name(name.get<std::string>()) && names.size() < most_names)
      names.push_back(name.get<std::string>());
  }
  return names;
}

}  // namespace

void read_python_report(const std::string& report, PythonRecord& record) {
  const auto json = nlohmann::json::parse(report, nullptr, false);
  if (!json.is_object()) return;
  record.headers = names_in(json, "headers");
  record.functions = names_in(json, "operators");
}

std::string functions_note(const PythonRecord& record) {
  if (record.functions.empty()) return "";
  return fmt::format("PyTorch computed {} (as seen in the rehearsal)", fmt::join(record.functions, ", "));
}

std::string left_out_note(const std::string& report) {
  const auto json = nlohmann::json::parse(report, nullptr, false);
  const std::vector<std::string> weights =
      json.is_object() ? names_in(json, "left_out") : std::vector<std::string>();
  if (weights.empty()) return "";
  return fmt::format(
      "ModelNew has no parameter for {}: it is right only if the answer does not depend on that",
      fmt::join(weights, ", "));
}

std::optional<std::vector<std::string>> kernels_in_report(const std::string& report) {
  const auto json = nlohmann::json::parse(report, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  const auto found = json.find("kernels");
  if (found == json.end() || !found->is_array() || found->size() > most_names) return std::nullopt;
  std::vector<std::string> kernels;
  for (const auto& kernel : *found) {
    auto bytes = kernel.is_string() ? bytes_of_base64(kernel.get<std::string>()) : std::nullopt;
    if (!bytes) return std::nullopt;
    kernels.push_back(std::move(*bytes));
  }
  return kernels;
}

Printed lines_printed(std::string_view text, bool all_room) {
  text = text.substr(0, text.find_last_not_of(std::string_view("\0\n\r", 3)) + 1);
  Printed printed;
  printed.cut_off = all_room;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (printed.lines.size() < most_printed_lines) {
      const std::string_view line = trimmed(text.substr(begin, end - begin), "\r");
      printed.lines.push_back(printable(line.substr(0, longest_printed_line)));
      if (line.size() > longest_printed_line) printed.lines.back() += "...";
    } else {
      printed.more_lines += 1;
    }
    begin = end + 1;
  }
  return printed;
}

}  // namespace kgrade
