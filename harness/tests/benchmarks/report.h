// The benchmark's results, as a table and as JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace kgrade::benchmark {

// Seconds of repeated runs of one thing. The fastest shows what an undisturbed machine can do.
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
  // The figures that it was computed from.
  Runs emulated;
  std::optional<Runs> plain;

  bool met() const;
};

std::string to_table(const std::vector<Row>& rows);
std::string to_json(const std::vector<Row>& rows, const std::string& compiler);

}  // namespace kgrade::benchmark
