// What a user chooses of a grade. The command line fills it in, a lane of a sweep is sent it, and a run begins
// with it.
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
  std::string problems;             // the folder, as --problems has it; empty: the usual one
  std::vector<std::string> inputs;  // as --inputs has them
  std::string python;               // as --python has it; empty: the usual one
  Effort effort = Effort::normal;
  CacheState cache = CacheState::cold;
  WantedBaselines baselines = WantedBaselines::usual;
  bool clears_outputs = false;   // before each call, as some sites do
  bool require_sandbox = false;  // rather no run than one without the sandbox's namespaces
  std::optional<std::uint64_t> seed;  // of the inputs; drawn at random when unset
  // Hidden shapes: how many (unset: as many as the command draws by itself), and the seed that they are drawn
  // by (unset: a random one, which the record keeps). A problem without `fuzz` has none, and asking for some
  // is wrong usage.
  std::optional<std::size_t> hidden_cases;
  std::optional<std::uint64_t> hidden_seed;
  std::optional<double> time_limit_seconds;  // of one call
  std::optional<int> launches;               // of a sample; by the time of a launch when unset
  // How many candidates are graded side by side at most (grade/heat.h); where unset, as many as is usual where
  // quick speeds are measured, and 1 elsewhere.
  std::optional<int> heat;
};

}  // namespace kgrade
