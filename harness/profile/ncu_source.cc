#include "profile/ncu_source.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <set>
#include <utility>

#include "base/text.h"
#include "profile/ncu_report.h"

namespace kgrade {
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
