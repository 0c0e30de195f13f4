// Gathers what is found on the cases of one problem. A finding on several cases is reported once, by the
// first of them.
#pragma once

#include <string>
#include <vector>

#include "problem/case.h"
#include "problem/lint.h"

namespace kgrade {

class LintBook {
 public:
  explicit LintBook(const Problem& problem) : problem_(problem) {}

  // `subject` is what the finding is about besides the case (a tensor's name); findings of one rule and
  // subject are the same finding.
  void add(std::string_view rule, const std::string& subject, const Case& bound, std::string message,
           std::string remedy);
  // The oracle leaves elements of an output as they were: "3 of 217 elements of 'y'".
  void add_unwritten(const Case& bound, const std::string& elements);
  // About the problem, not one of its cases.
  void add(std::string_view rule, std::string message, std::string remedy);

  bool empty() const { return entries_.empty(); }
  // In the order in which they were found.
  std::vector<LintFinding> findings() const;

 private:
  // A hidden shape stands nowhere: so its values are shown.
  struct NamedCase {
    std::string name;
    std::string values;  // " of `fuzz` (rows: 3)"; empty for a case of the file
  };
  Location place_of(const Case& bound) const;
  NamedCase name_of(const Case& bound) const;

  struct Entry {
    std::string rule;
    std::string subject;
    std::vector<NamedCase> cases;  // empty: about the problem
    Error what;
  };

  const Problem& problem_;
  std::vector<Entry> entries_;
};

}  // namespace kgrade
