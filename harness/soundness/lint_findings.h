// What `kgrade lint` finds: its rules, each by a name that stays, and the findings on the cases of one
// problem.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "problem/case.h"
#include "problem/lint.h"

namespace kgrade {

struct LintRule {
  std::string_view name;
  std::string_view meaning;  // what is found, in one line
  bool needs_device = false;
};

// In the order in which lint applies them.
const std::vector<LintRule>& lint_rules();

// The findings on the cases of one problem. A finding on several cases is reported once, with the first of
// them.
class LintFindings {
 public:
  explicit LintFindings(const Problem& problem) : problem_(problem) {}

  // `subject` is what the finding is about besides the case (a tensor's name); findings of one rule and
  // subject are the same finding.
  void add(std::string_view rule, const std::string& subject, const Case& bound, std::string message,
           std::string remedy, LintFinding::Severity severity = LintFinding::Severity::error);
  // The oracle leaves `elements` of an output as they were: "3 of 217 elements of 'y'".
  void add_unwritten(const Case& bound, const std::string& elements);
  // About the problem, not one of its cases.
  void add(std::string_view rule, std::string message, std::string remedy);

  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }
  // Of the findings from number `first` on: why they come about, behind the message, and another remedy.
  void explain(std::size_t first, const std::string& reason, const std::string& remedy);
  // Of `cases` that were checked: takes out what is a fault only if it holds for all of them. Some that are
  // not measured may have a copy as their right answer, such as pooling with a window of one; in sums of many
  // terms a single element may be too little to see. What they say is for the author to know, and nothing to
  // mend.
  std::vector<std::string> take_degenerate(std::size_t cases);
  // In the order in which they were found.
  std::vector<LintFinding> all() const;

 private:
  // No file has a hidden shape, so its values are shown.
  struct NamedCase {
    std::string name;
    std::string values;  // " of `fuzz` (rows: 3)"; empty for a case of the file
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
    std::vector<NamedCase> cases;  // empty: about the problem
    Error what;
    LintFinding::Severity severity = LintFinding::Severity::error;
  };

  const Problem& problem_;
  std::vector<Entry> entries_;
};

}  // namespace kgrade
