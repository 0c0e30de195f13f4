#include "soundness/costs.h"

#include <fmt/format.h>

#include "base/text.h"
#include "contest/lease.h"
#include "record/terminal.h"

namespace kgrade {
namespace {

constexpr std::uint64_t contestants = 3;

std::string flops_text(const Case& bound) {
  return bound.flops ? fmt::format("{:.3g}", static_cast<double>(*bound.flops)) : "-";
}

std::string intensity_text(const Case& bound) {
  if (!bound.flops) return "-";
  const std::int64_t bytes = bound.bytes.value_or(bound.tensor_bytes());
  return fmt::format("{:.3g}", static_cast<double>(*bound.flops) / static_cast<double>(bytes));
}

}  // namespace

MemoryBudget usual_budget() { return {80'000'000'000, "a GPU of 80 GB"}; }

std::uint64_t bytes_lent(const Problem& problem, const Case& bound) {
  return contestants * Lease::bytes_needed(bound, problem.dtype);
}

void find_cases_beyond_memory(LintBook& book, const Problem& problem, const std::vector<Case>& cases,
                              const MemoryBudget& budget) {
  for (const Case& bound : cases) {
    const std::uint64_t needed = bytes_lent(problem, bound);
    if (needed <= budget.bytes) continue;
    book.add("beyond-memory", "", bound,
             fmt::format("needs {} for the tensors of oracle, reference and candidate, {} has {}",
                         format_bytes(needed), budget.owner, format_bytes(budget.bytes)),
             "choose smaller values for the case");
  }
}

std::string costs_table(const Problem& problem, const std::vector<Case>& cases) {
  std::vector<std::string> header = {"case", "role"};
  std::vector<bool> right = {false, false};
  for (const Parameter& parameter : problem.parameters) {
    if (parameter.pointer) header.push_back(parameter.name);
  }
  for (const char* column : {"lent", "operations", "a byte"}) header.emplace_back(column);
  right.resize(header.size(), true);
  TextTable table(header, right);
  for (const Case& bound : cases) {
    std::vector<std::string> row = {bound.name, std::string(to_string(bound.role))};
    for (const Tensor& tensor : bound.tensors)
      row.push_back(format_bytes(static_cast<std::uint64_t>(tensor.elements) * element_bytes(problem.dtype)));
    row.push_back(format_bytes(bytes_lent(problem, bound)));
    row.push_back(flops_text(bound));
    row.push_back(intensity_text(bound));
    table.add(std::move(row));
  }
  return table.render(Style(false));
}

}  // namespace kgrade
