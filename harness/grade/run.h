// What runs of `grade` and `check` have in common: their options and what they end with.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "compile/layout.h"
#include "grade/bench.h"
#include "grade/failure.h"
#include "grade/settings.h"

namespace kgrade {

// How many hidden shapes are drawn where a seed is given and no number, and in a grade of all cases.
inline constexpr std::size_t usual_hidden_cases = 4;

// Of every run that judges candidates.
struct RunOptions : GradeSettings {
  std::vector<std::filesystem::path> candidates;
  // By name, or written as parse_written_case() reads them; empty: those that the command takes by itself.
  std::vector<std::string> cases;
  std::vector<std::size_t> numbers;  // of the candidates in a larger run; empty: from 0 on
  bool shuffled = false;             // where speed is measured: candidates in an order by the seed
  // Of candidates that no compiler gets, by path: what is wrong with them, which is their verdict.
  std::map<std::filesystem::path, Error> faults;
  Layout layout;
  bool force = false;  // also what takes long on the emulated device
  std::function<void(const std::string&)> progress = [](const std::string&) {};
  // What a user is to read before the run goes on.
  std::function<void(const std::string&)> notice = [](const std::string&) {};
};

// A failure keeps what was found before.
template <class RecordType>
struct RunOutcome {
  std::optional<RecordType> record;  // of the candidates that are finished; unset when none is
  Failure failure;                   // why the others are not
  // What the run still has open. Closing it takes a moment: tell the record first.
  std::shared_ptr<const void> machine = nullptr;
};

}  // namespace kgrade
