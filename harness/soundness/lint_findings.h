// The rules of `kgrade lint`, each with a stable name, and the findings on the cases of one problem.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "problem/case.h"
#include "problem/lint.h"

namespace kgrade {

struct LintRule {
  std::string_view name;
  std::string_view meaning;  // one line
  bool needs_device = false;
};

// All rules, in the order in which lint applies them.
const std::vector<LintRule>& lint_rules();

// The findings on the cases of one problem. A finding on several cases is reported once, with the first case.
class LintFindings {
 public:
  explicit LintFindings(const Problem& problem) : problem_(problem) {}

  // `subject` names the thing that the finding is about besides the case, such as a tensor. Findings with the
  // same rule and subject are one finding.
  void add(std::string_view rule, const std::string& subject, const Case& bound, std::string message,
           std::string remedy, LintFinding::Severity severity = LintFinding::Severity::error);
  // Adds that the reference does not run on a case.
  void add_failure(const Case& bound, const Error& error) {
    add("reference-fails", "", bound, error.message, error.remedy);
  }
  // Adds that the oracle does not write `elements`: "3 of 217 elements of 'y'".
  void add_unwritten(const Case& bound, const std::string& elements);
  // Adds a finding about the problem as a whole, or about a place in its file.
  void add(std::string_view rule, std::string message, std::string remedy,
           std::optional<Location> place = std::nullopt);

  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }
  // Appends a reason to the messages of the findings from number `first` on, and replaces their remedies.
  void explain(std::size_t first, const std::string& reason, const std::string& remedy);
  // Removes findings that are faults only if they hold for all `cases` checked cases, and returns notes for
  // the author. A case that is not measured may have a copy as its right answer, such as pooling with a
  // window of one. In a sum of many terms a single element may be too small to matter.
  std::vector<std::string> take_degenerate(std::size_t cases);
  // All findings, in the order in which they were found.
  std::vector<LintFinding> all() const;

 private:
  // Hidden cases are in no file, so their values are shown.
  struct NamedCase {
    std::string name;
    std::string values;  // " of `fuzz` (rows: 3)"; empty for a case in the file
  };
  struct Entry;
  static std::string message_of(const Entry& entry);
  Location place_of(const Case& bound) const;
  NamedCase name_of(const Case& bound) const;
  bool is_measured(const NamedCase& named) const;
  bool is_degenerate(const Entry& entry) const;

  struct Entry {
    std::string rule;
    std::string subject;
    std::vector<NamedCase> cases;  // empty: about the problem as a whole
    Error what;
    LintFinding::Severity severity = LintFinding::Severity::error;
  };

  const Problem& problem_;
  std::vector<Entry> entries_;
};

}  // namespace kgrade
