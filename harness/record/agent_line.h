// One line of JSON on a graded candidate, for programs that decide what to try next: `kgrade grade --agent`.
#pragma once

#include <string>

#include "record/record.h"

namespace kgrade {

// A wrong element of the smallest case that failed.
struct AgentWrong {
  std::string case_name;
  std::string tensor;
  std::uint64_t wrong = 0;
  std::uint64_t elements = 0;
  std::uint64_t never_written = 0;
  std::uint64_t added_to = 0;
  std::string pattern;
  std::optional<WrongElement> example;
};

struct AgentSpeedup {
  std::string against;
  double geometric_mean = 1;
};

// The measured case with the lowest speedup.
struct AgentSlowest {
  std::string case_name;
  double median_ms = 0;
  double speedup = 1;
  std::string against;
  std::optional<double> roofline_share;
};

struct AgentLine {
  std::string problem;
  std::string candidate;
  std::string device;
  std::string stage;
  Verdict verdict = Verdict::accepted;
  std::size_t cases_run = 0;
  std::size_t cases = 0;
  std::string reason;
  std::optional<AgentWrong> first_wrong;
  std::string failed_cases_have;
  std::optional<AgentSpeedup> speedup;
  std::optional<AgentSlowest> slowest_case;
  std::string next;
  std::optional<SetVerdict> by_set = {};
};

// The line has fewer bytes than this, including the line break.
inline constexpr std::size_t longest_agent_line = 2000;

// The stage that the candidate reached, its verdict and the reason in one sentence, the first wrong element,
// the slowest measured case with its share of the roofline, what to try next, and the verdict of the
// problem's set. Ends with a newline.
std::string agent_line(const CandidateRecord& candidate, const Record& record);

// The contents of the line, before they are written as JSON.
AgentLine agent_line_of(const CandidateRecord& candidate, const Record& record);

// The stage that the candidate reached before its verdict: "compile", "load", "answers", "speed" or "done".
std::string stage_of(const CandidateRecord& candidate);

}  // namespace kgrade
