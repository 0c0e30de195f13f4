// What runs of `grade`, `check` and `dump` have in common: their options, the machinery that they run on, for
// which tests put fakes, and how they can fail.
#pragma once

#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "compile/contestant_cache.h"
#include "compile/layout.h"
#include "compile/toolchain.h"
#include "device/device.h"
#include "device/registry.h"
#include "grade/settings.h"
#include "measure/telemetry.h"
#include "sandbox/sandbox.h"

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

// Exit codes of failures: wrong usage or a fault in a problem file or reference; the machine lacks something;
// a fault of our own.
constexpr int exit_usage = 2;
constexpr int exit_machine = 3;
constexpr int exit_internal = 70;

// What went wrong besides a verdict, and the exit code that says so.
struct GradeFailure {
  int exit_code = exit_usage;
  Errors errors;
};

using Failure = std::optional<GradeFailure>;

// Of an exception: a fault of the machine (std::system_error, std::bad_alloc) or our own.
GradeFailure failure_of(const std::exception& thrown);
// Of errors that are no candidate's: those that name a place are in a file of the problem's, the others the
// machine's.
GradeFailure failure_of(const Errors& errors);

// A failure keeps what was found before.
template <class RecordType>
struct RunOutcome {
  std::optional<RecordType> record;  // of the candidates that are finished; unset when none is
  Failure failure;                   // why the others are not
  // What the run still has open. Closing it takes a moment: tell the record first.
  std::shared_ptr<const void> machine = nullptr;
};

// The seams of a run.
struct Machinery {
  // False: times mean nothing on the device that `open_device` will give. Known before it is opened.
  bool measures_speed = false;
  std::function<Result<std::unique_ptr<Device>>()> open_device;
  std::function<Result<std::unique_ptr<Toolchain>>()> make_toolchain;
  std::shared_ptr<const Clock> clock;
  double began = 0;  // by the clock: when the run was asked for
  // What compilers and workers run in; null where nothing is to be confined.
  std::shared_ptr<const Sandbox> sandbox = nullptr;
  // Of an open device; where unset there is none.
  std::function<std::unique_ptr<Telemetry>(const DeviceInfo&)> open_telemetry = {};
  // Where the ceilings of devices are kept; empty: nowhere.
  std::filesystem::path ceilings = {};
};

// True when what runs in the sandbox has file system, network and processes of its own.
bool is_confined(const Machinery& machinery);
// The failure of a run that requires a sandbox where there is none.
GradeFailure lack_of_sandbox();

// Built contestants of this user: $KGRADE_CACHE_DIR, or the user's cache folder (base/user_cache.h), limited
// to $KGRADE_CACHE_LIMIT ("500M", "4G"; 2 GiB when that is unset). Nothing when $KGRADE_CACHE_DIR
// is set and empty.
std::optional<ContestantCache> contestant_cache();
// What is wrong with $KGRADE_CACHE_LIMIT, if it is not a size.
std::optional<Error> wrong_cache_limit();

Machinery real_machinery(const DeviceChoice& choice, const Layout& layout);

}  // namespace kgrade
