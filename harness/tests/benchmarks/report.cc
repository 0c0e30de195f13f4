#include "report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "record/record.h"

namespace kgrade::benchmark {
namespace {

std::string target_text(const Row& row) {
  if (row.bound == Bound::none) return "";
  return fmt::format("{} {}", row.bound == Bound::at_most ? "<=" : ">=", row.target);
}

std::string outcome(const Row& row) {
  if (row.bound == Bound::none) return "";
  return row.met() ? "ok" : "missed";
}

// How far the typical run is from the fastest.
std::string noise_text(const Runs& runs) {
  return fmt::format("{:.0f}%", 100 * (runs.median() / runs.fastest() - 1));
}

nlohmann::ordered_json json_of(const Row& row) {
  nlohmann::ordered_json json = {{"name", row.name}, {"value", row.value}, {"unit", row.unit}};
  if (row.bound != Bound::none) {
    json["target"] = {{row.bound == Bound::at_most ? "at_most" : "at_least", row.target}};
    json["met"] = row.met();
  }
  json["emulated_seconds"] = row.emulated.seconds;
  if (row.plain) json["compared_with_seconds"] = row.plain->seconds;
  return json;
}

}  // namespace

double Runs::fastest() const { return *std::min_element(seconds.begin(), seconds.end()); }

double Runs::median() const {
  std::vector<double> sorted = seconds;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

bool Row::met() const {
  return bound == Bound::none || (bound == Bound::at_most ? value <= target : value >= target);
}

std::string to_table(const std::vector<Row>& rows) {
  std::string text = fmt::format("{:<44} {:>10}  {:<24} {:>10}  {:<7} {:>6}\n",
                                 "on one core, the fastest run", "value", "unit", "target", "", "noise");
  for (const Row& row : rows) {
    text += fmt::format("{:<44} {:>10.3g}  {:<24} {:>10}  {:<7} {:>6}\n", row.name, row.value, row.unit,
                        target_text(row), outcome(row), noise_text(row.emulated));
  }
  return text + "noise: how much longer the median run takes than the fastest\n";
}

std::string to_json(const std::vector<Row>& rows, const std::string& compiler) {
  const HostInfo host = host_info();
  nlohmann::ordered_json json = {{"benchmark", "emulated device"},
                                 {"processor", host.processor},
                                 {"cores", host.cores},
                                 {"compiler", compiler},
                                 {"rows", nlohmann::ordered_json::array()}};
  for (const Row& row : rows) json["rows"].push_back(json_of(row));
  return json.dump(2) + "\n";
}

}  // namespace kgrade::benchmark
