#include "profile/ncu_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <sstream>
#include <utility>

#include "base/text.h"

namespace kgrade {
namespace {

using Row = std::vector<std::string>;

// The number in a cell. Nothing if the cell is not for a number ("", or a text). Null if the number is NaN or
// "n/a".
std::optional<std::optional<double>> value_of(const std::string& cell) {
  std::string digits = cell;
  std::erase(digits, ',');
  if (digits.empty()) return std::nullopt;
  if (digits == "n/a" || digits == "N/A") return std::optional<double>();
  char* end = nullptr;
  const double value = std::strtod(digits.c_str(), &end);
  if (end == digits.c_str() || *end != '\0') return std::nullopt;
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

// "(256, 1, 1)".
std::array<std::int64_t, 3> extents_of(const std::string& cell) {
  std::array<std::int64_t, 3> extents{};
  long long x = 0;
  long long y = 0;
  long long z = 0;
  if (std::sscanf(cell.c_str(), "(%lld, %lld, %lld)", &x, &y, &z) == 3) extents = {x, y, z};
  return extents;
}

// Reads rows by the names of their columns.
class Columns {
 public:
  explicit Columns(const Row& names) {
    for (std::size_t i = 0; i < names.size(); ++i) places_.emplace(names[i], i);
  }
  std::string cell(const Row& row, const std::string& name) const {
    const auto found = places_.find(name);
    return found != places_.end() && found->second < row.size() ? row[found->second] : "";
  }
  const std::map<std::string, std::size_t>& places() const { return places_; }

 private:
  std::map<std::string, std::size_t> places_;
};

constexpr const char* kernel_column = "Kernel Name";

bool has_column(const Row& row, const char* name) {
  return std::find(row.begin(), row.end(), name) != row.end();
}

}  // namespace

std::vector<Row> parse_csv(const std::string& text) {
  std::vector<Row> rows;
  Row row;
  std::string cell;
  bool quoted = false;
  const auto end_row = [&] {
    if (!row.empty() || !cell.empty()) {
      row.push_back(std::move(cell));
      if (!row.front().starts_with("==")) rows.push_back(std::move(row));
    }
    row.clear();
    cell.clear();
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c != '"') {
        cell += c;
      } else if (i + 1 < text.size() && text[i + 1] == '"') {
        cell += text[++i];
      } else {
        quoted = false;
      }
    } else if (c == '"') {
      quoted = true;
    } else if (c == ',') {
      row.push_back(std::exchange(cell, {}));
    } else if (c == '\n') {
      end_row();
    } else if (c != '\r') {
      cell += c;
    }
  }
  end_row();
  return rows;
}

NcuReport parse_raw_page(const std::string& text) {
  NcuReport report;
  const std::vector<Row> rows = parse_csv(text);
  const auto header = std::find_if(rows.begin(), rows.end(), [](const Row& row) {
    return has_column(row, "ID") && has_column(row, kernel_column);
  });
  if (header == rows.end()) return report;
  const Columns columns(*header);
  for (auto row = header + 1; row != rows.end(); ++row) {
    // The row of units has no ID.
    if (columns.cell(*row, "ID").empty() || columns.cell(*row, kernel_column).empty()) continue;
    KernelProfile kernel;
    kernel.mangled = columns.cell(*row, kernel_column);
    kernel.name = short_name(kernel.mangled);
    kernel.launches = 1;
    kernel.grid = extents_of(columns.cell(*row, "Grid Size"));
    kernel.block = extents_of(columns.cell(*row, "Block Size"));
    Counters counters;
    for (const auto& [name, place] : columns.places()) {
      if (name.find("__") == std::string::npos) continue;
      const auto value = value_of(columns.cell(*row, name));
      if (!value) continue;
      counters[name] = *value;
      if (!*value) ++report.nulls;
    }
    kernel.facts = facts_of(counters);
    kernel.stalls = stalls_of(counters);
    kernel.occupancy_limits = occupancy_limits_of(counters);
    report.launches.push_back(std::move(kernel));
  }
  return report;
}

std::optional<Error> complaint_of(const std::string& log) {
  if (log.find("ERR_NVGPUCTRPERM") != std::string::npos) {
    return machine_error("Nsight Compute may not read the GPU's counters here (ERR_NVGPUCTRPERM)",
                         "as root: echo 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' > "
                         "/etc/modprobe.d/nvidia-profiling.conf, then reboot");
  }
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    constexpr std::string_view mark = "==ERROR== ";
    if (const auto at = line.find(mark); at != std::string::npos)
      return machine_error("Nsight Compute: " + printable_line(line.substr(at + mark.size())), "");
  }
  return std::nullopt;
}

}  // namespace kgrade
