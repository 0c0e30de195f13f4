// All cheats, and the device that they run on.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tests/cheats/cheat_file.h"
#include "tests/support/command.h"

namespace kgrade::test {

// The cheats in harness/tests/cheats/*/*.cu and *.py, and those in the tables planted.json there, by name.
struct Suite {
  std::vector<Cheat> cheats;
  std::vector<std::string> mistakes;  // in their headers
};
const Suite& suite();
// Of those in one language: what ctest runs of them needs PyTorch, or does not.
enum class Language { cuda, python };
std::vector<std::string> names_of_cheats(Language language);
std::vector<std::string> names_of_controls(Language language);
const Cheat& cheat_called(const std::string& name);

// "emulated" or "cuda": the device that $KGRADE_TEST_DEVICE, or auto, means here.
std::string device_kind();

// Whether this machine allows the namespaces that confine contestants.
bool machine_confines();
// Whether it also limits their memory by a control group.
bool machine_limits_memory();
// What Python candidates lack here, as kgrade says it; empty: nothing.
std::string what_python_lacks();
// Why a cheat must not run here; empty if it may.
std::string reason_to_skip(const Cheat& cheat, bool confined = machine_confines());

// The enumerators of base/defences.h.
std::vector<std::string> names_of_defences();

// The programs with these defences off; nothing if they are not built.
std::optional<Program> weakened_program(const std::vector<std::string>& without);

// The names of the failed checks in a candidate's record.
std::vector<std::string> failed_checks(const nlohmann::json& candidate);

// A file name turned into a name that GoogleTest accepts.
std::string test_name(std::string name);

}  // namespace kgrade::test
