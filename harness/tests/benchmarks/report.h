// What the benchmark found, as a table and as JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace kgrade::benchmark {

// Seconds of repeated runs of one thing. The fastest one is what an undisturbed machine can do.
struct Runs {
  std::vector<double> seconds;

  double fastest() const;
  double median() const;
};

enum class Bound { none, at_most, at_least };

struct Row {
  std::string name;
  std::string unit;
  double value = 0;
  Bound bound = Bound::none;
  double target = 0;
  // What it was worked out from.
  Runs emulated;
  std::optional<Runs> plain;

  bool met() const;
};

std::string to_table(const std::vector<Row>& rows);
std::string to_json(const std::vector<Row>& rows, const std::string& compiler);

}  // namespace kgrade::benchmark
