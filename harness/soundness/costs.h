// Memory and arithmetic of each case, before anything is run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "problem/case.h"
#include "soundness/lint_book.h"

namespace kgrade {

// What the cases have to fit into.
struct MemoryBudget {
  std::uint64_t bytes = 0;
  std::string owner;  // "NVIDIA H200", "a GPU of 80 GB"
};

// Where there is no GPU: an A100's or H100's.
MemoryBudget usual_budget();

// Of oracle, reference and candidate, each of which has all tensors of a case.
std::uint64_t bytes_lent(const Problem& problem, const Case& bound);

void find_cases_beyond_memory(LintBook& book, const Problem& problem, const std::vector<Case>& cases,
                              const MemoryBudget& budget);

// A table: role, memory of every tensor and of all that is lent, arithmetic, operations a byte.
std::string costs_table(const Problem& problem, const std::vector<Case>& cases);

}  // namespace kgrade
