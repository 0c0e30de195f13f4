// What a user chooses for a grade. The command line fills it in, a lane of a sweep receives it, and a run
// begins with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "measure/baselines.h"
#include "record/device_info.h"
#include "record/speed.h"

namespace kgrade {

struct GradeSettings {
  std::string problems;             // the folder given by --problems; empty: the usual one
  std::vector<std::string> inputs;  // the values of --inputs
  std::string python;               // the value of --python; empty: the usual one
  Effort effort = Effort::normal;
  CacheState cache = CacheState::cold;
  WantedBaselines baselines = WantedBaselines::usual;
  bool clears_outputs = false;        // before each call, as some sites do
  bool require_sandbox = false;       // refuse to run without the sandbox's namespaces
  std::optional<std::uint64_t> seed;  // of the inputs; drawn at random when unset
  // Hidden shapes: how many (unset: as many as the command draws on its own), and the seed that draws them
  // (unset: a random one, which the record keeps). A problem without `fuzz` has none, and asking for some is
  // wrong usage.
  std::optional<std::size_t> hidden_cases;
  std::optional<std::uint64_t> hidden_seed;
  std::optional<double> time_limit_seconds;  // of one call
  std::optional<int> launches;               // per sample; unset: by the time of a launch
  // The most candidates that are graded side by side (grade/heat.h). Unset: the usual number if quick speeds
  // are measured, and otherwise 1.
  std::optional<int> heat;
};

}  // namespace kgrade
