// A contest on a service: its problems, its time, and how much students learn of their grades.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "grade/failure.h"
#include "problem/problem.h"
#include "serve/grade_job.h"

namespace kgrade {

struct ContestProblem {
  std::string slug;
  Location location;                          // of the slug in the file
  std::vector<std::string> hide;              // cases, or roles of cases, that students do not see
  std::size_t hidden_cases = 0;               // shapes that each grade draws
  Feedback feedback = Feedback::verdict;      // the most that students learn of their grades
  std::vector<Location> hide_locations = {};  // one for each of `hide`

  bool hides(const CaseSpec& one) const;
};

// A contest of a class or of teams, as its file describes it.
struct Competition {
  std::string title;
  std::string text;  // what students read above the problems, in Markdown
  double start = 0;  // seconds since 1970
  double end = 0;    // the first moment that is too late
  Effort effort = Effort::quick;
  std::vector<ContestProblem> problems;

  // Null if the contest does not have this problem.
  const ContestProblem* find(std::string_view slug) const;
  bool has_begun(double now) const { return now >= start; }
  bool is_over(double now) const { return now >= end; }
};

// Reads a contest's file, which docs/contest.md describes: a frontmatter like a problem's, then a text.
// Errors name the line, and say what to write.
Result<Competition> read_contest(std::string_view content, const std::string& file);
Result<Competition> read_contest(const std::filesystem::path& file);
// Errors for problems and cases that the contest names and the catalogue does not have.
Failure check_contest(const Competition& contest, const std::map<std::string, Problem>& problems);

// A time with its zone, "2026-11-30T10:00:00+01:00" or "2026-11-30T09:00Z", in seconds since 1970. Nothing
// for other texts.
std::optional<double> read_moment(const std::string& text);

}  // namespace kgrade
