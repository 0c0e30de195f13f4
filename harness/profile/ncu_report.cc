#include "profile/ncu_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>
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

namespace {

using Row = std::vector<std::string>;

// A cost that is summed up for each line.
struct Cost {
  const char* what;       // WorstPlace::what
  const char* column;     // of the page
  const char* operation;  // only instructions with this operation count; null: all count
};
constexpr std::array<Cost, 4> costs = {{{"loads", "L2 Theoretical Sectors Global Excessive", "Load"},
                                        {"stores", "L2 Theoretical Sectors Global Excessive", "Store"},
                                        {"shared", "L1 Wavefronts Shared Excessive", nullptr},
                                        {"stall", "# Samples", nullptr}}};

using Line = std::pair<std::string, int>;  // file and number
using Sums = std::array<std::map<Line, double>, costs.size()>;

std::size_t column_of(const Row& header, const std::string& name) {
  return static_cast<std::size_t>(std::find(header.begin(), header.end(), name) - header.begin());
}

double number_in(const Row& row, std::size_t column) {
  return column < row.size() ? std::strtod(row[column].c_str(), nullptr) : 0;
}

// The name without template arguments and parameters, because ncu and the C++ library's demangler write these
// differently.
std::string plain_name(const std::string& function) {
  std::string name = replace_all(short_name(function), "(anonymous namespace)::", "");
  name = replace_all(std::move(name), "<unnamed>::", "");
  return name.substr(0, name.find('<'));
}

// One launch in the page: its lines, with their files.
struct Section {
  std::string function;
  std::set<std::string> files;
  Sums sums;
};

class PageReader {
 public:
  std::vector<Section> read(const std::string& page) {
    for (const Row& row : parse_csv(page)) {
      if (row.size() == 2 && row[0] == "File Path") {
        file_ = row[1];
      } else if (row.size() == 2 && row[0] == "Function Name") {
        begin_function(row[1]);
      } else if (!row.empty() && row[0] == "Line No") {
        header_ = row;
        line_ = 0;
      } else if (!sections_.empty() && row.size() > 4) {
        add(row);
      }
    }
    return std::move(sections_);
  }

 private:
  // A launch has one part for each file.
  void begin_function(const std::string& function) {
    if (sections_.empty() || sections_.back().function != function ||
        sections_.back().files.count(file_) != 0)
      sections_.push_back({function, {}, {}});
    sections_.back().files.insert(file_);
  }

  // A row with a number begins a line; the rows below it are its instructions.
  void add(const Row& row) {
    if (!row[0].empty()) {
      line_ = std::atoi(row[0].c_str());
      return;
    }
    if (line_ <= 0) return;
    const std::size_t operation = column_of(header_, "Access Operation");
    for (std::size_t i = 0; i < costs.size(); ++i) {
      if (costs[i].operation != nullptr && (operation >= row.size() || row[operation] != costs[i].operation))
        continue;
      const double cost = number_in(row, column_of(header_, costs[i].column));
      if (cost > 0) sections_.back().sums[i][{file_, line_}] += cost;
    }
  }

  std::vector<Section> sections_;
  Row header_;
  std::string file_;
  int line_ = 0;
};

void add_worst(const Section& section, const OwnSources& own, QuotedSource& quoted, KernelProfile& kernel) {
  for (std::size_t i = 0; i < costs.size(); ++i) {
    double all = 0;
    const std::pair<const Line, double>* worst = nullptr;
    for (const auto& line : section.sums[i]) {
      all += line.second;
      if (own.shown_name(line.first.first) && (worst == nullptr || line.second > worst->second))
        worst = &line;
    }
    if (worst == nullptr) continue;
    const SourcePlace place{*own.shown_name(worst->first.first), worst->first.second, ""};
    kernel.worst.push_back({costs[i].what, quoted.place(place), worst->second / all});
  }
}

}  // namespace

void add_places(const std::string& source_page, const OwnSources& own, QuotedSource& quoted,
                std::vector<KernelProfile>& launches) {
  auto launch = launches.begin();
  for (const Section& section : PageReader().read(source_page)) {
    // Launches without line information have no section.
    const std::string name = plain_name(section.function);
    launch = std::find_if(launch, launches.end(),
                          [&](const KernelProfile& kernel) { return plain_name(kernel.name) == name; });
    if (launch == launches.end()) return;
    add_worst(section, own, quoted, *launch++);
  }
}

}  // namespace kgrade
