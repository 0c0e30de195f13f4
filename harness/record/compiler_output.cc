#include "record/compiler_output.h"

#include <algorithm>
#include <regex>
#include <sstream>

namespace kgrade {

bool reports_error(const std::string& line) {
  static const std::regex pattern(
      R"((^[^\s:]+: |:[0-9]+: |\([0-9]+\): |, line [0-9]+; |^(ptxas|nvlink|nvcc|fatbinary|cicc|cudafe\+\+) +))"
      R"(((fatal|catastrophic|internal|internal compiler) )?(error|Error|fatal)( #[0-9]+(-D)?)? *:)");
  return std::regex_search(line, pattern);
}

std::string log_about_candidate(const std::string& log) {
  std::string kept;
  bool has_error = false;
  constexpr std::string_view included_from = "In file included from ";
  bool leaves_out = false;  // a quote of the source follows its message
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    if (leaves_out && (line.empty() || line.starts_with(' '))) continue;
    // A message about the unit, or "In file included from kgrade-binding:28:".
    const std::size_t at = line.starts_with(included_from) ? included_from.size() : 0;
    const bool begins_with_unit = std::string_view(line).substr(at).starts_with(unit_name);
    // nvcc's sum of errors in the unit: "2 errors detected in the compilation of "unit.cu"."
    const bool counts_errors =
        line.ends_with("unit.cu\".") && line.find("detected in the compilation of") != std::string::npos;
    leaves_out = begins_with_unit || counts_errors;
    if (leaves_out) continue;
    // The end of "In file included from a.cu:3,\n                 from kgrade-binding:28:".
    if (line.starts_with(' ') && line.find(std::string(" from ") + unit_name) != std::string::npos) {
      if (kept.ends_with(",\n")) kept.replace(kept.size() - 2, 1, ":");
      continue;
    }
    has_error = has_error || reports_error(line);
    kept += line + '\n';
  }
  while (kept.ends_with("\n\n")) kept.pop_back();
  return has_error ? kept : log;
}

std::vector<UninitialisedVariable> uninitialised_variables(const std::string& log) {
  static const std::regex of_gnu(
      R"(^([^\s:][^:]*):([0-9]{1,9}):[0-9]+: warning: (.*) \[-W\S*uninitialized\]$)");
  static const std::regex declared(R"(^[^\s:][^:]*:([0-9]{1,9}):[0-9]+: note: .* was declared here$)");
  static const std::regex of_nvcc(R"(^([^\s(][^(]*)\(([0-9]{1,9})\): warning #549-D: (.*)$)");
  std::vector<UninitialisedVariable> found;
  bool is_latest = false;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (line.size() > 1000) continue;
    if (std::regex_match(line, match, of_gnu) || std::regex_match(line, match, of_nvcc)) {
      found.push_back({match[1], std::stoi(match[2]), match[3]});
      is_latest = true;
    } else if (is_latest && std::regex_match(line, match, declared)) {
      found.back().line = std::stoi(match[1]);
      is_latest = false;
    }
  }
  std::vector<UninitialisedVariable> once;
  for (UninitialisedVariable& one : found) {
    if (std::find(once.begin(), once.end(), one) == once.end()) once.push_back(std::move(one));
  }
  return once;
}

}  // namespace kgrade
