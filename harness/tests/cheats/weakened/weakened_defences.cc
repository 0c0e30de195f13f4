// Replaces base/defences.cc in the programs of this folder only: defences named in the environment variable
// KGRADE_WITHOUT (comma-separated, as in base/defences.h) are off.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "base/defences.h"

namespace kgrade {
namespace {

constexpr const char* variable = "KGRADE_WITHOUT";

struct NamedDefence {
  std::string_view name;
  Defence defence;
};

#define KGRADE_DEFENCE(name) \
  NamedDefence { #name, Defence::name }
constexpr std::array named_defences = {
    KGRADE_DEFENCE(compile_sandbox),       KGRADE_DEFENCE(worker_sandbox),
    KGRADE_DEFENCE(fresh_inputs),          KGRADE_DEFENCE(small_changes),
    KGRADE_DEFENCE(moving_buffers),        KGRADE_DEFENCE(fresh_poison),
    KGRADE_DEFENCE(guard_zones),           KGRADE_DEFENCE(read_only_inputs),
    KGRADE_DEFENCE(unchanged_inputs),      KGRADE_DEFENCE(every_call_compared),
    KGRADE_DEFENCE(whole_output_compared), KGRADE_DEFENCE(nonfinite_compared),
    KGRADE_DEFENCE(precision_class),       KGRADE_DEFENCE(hidden_shapes),
    KGRADE_DEFENCE(capture_at_stop),       KGRADE_DEFENCE(idle_after_call),
    KGRADE_DEFENCE(host_threads),          KGRADE_DEFENCE(frozen_between_calls),
    KGRADE_DEFENCE(clock_agreement),       KGRADE_DEFENCE(message_checks),
    KGRADE_DEFENCE(lower_bound),           KGRADE_DEFENCE(reference_agreement),
    KGRADE_DEFENCE(declared_libraries),    KGRADE_DEFENCE(sealed_inputs),
    KGRADE_DEFENCE(outputs_apart),         KGRADE_DEFENCE(outputs_overwritten),
    KGRADE_DEFENCE(forward_seeds),         KGRADE_DEFENCE(own_contents),
};
#undef KGRADE_DEFENCE

Defence defence_called(std::string_view name) {
  const auto found = std::find_if(named_defences.begin(), named_defences.end(),
                                  [&](const NamedDefence& named) { return named.name == name; });
  if (found != named_defences.end()) return found->defence;
  std::fprintf(stderr, "%s: there is no defence called '%.*s'; base/defences.h has their names\n", variable,
               static_cast<int>(name.size()), name.data());
  std::abort();
}

std::vector<Defence> read_variable() {
  std::vector<Defence> off;
  const char* const value = std::getenv(variable);
  for (std::string_view rest = value != nullptr ? value : ""; !rest.empty();) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    off.push_back(defence_called(rest.substr(0, comma)));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return off;
}

const std::vector<Defence>& switched_off() {
  static const std::vector<Defence> off = read_variable();
  return off;
}

// A misspelt name is reported at once, not only when a defence is checked.
[[maybe_unused]] const std::size_t read_at_start = switched_off().size();

}  // namespace

bool is_on(Defence defence) {
  const std::vector<Defence>& off = switched_off();
  return std::find(off.begin(), off.end(), defence) == off.end();
}

std::vector<std::string> environment_of_defences() {
  const char* const value = std::getenv(variable);
  if (value == nullptr) return {};
  return {std::string(variable) + "=" + value};
}

}  // namespace kgrade
