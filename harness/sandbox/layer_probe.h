// Tries each means of confinement in a child, by the code that will be used in earnest.
#pragma once

#include <string>
#include <vector>

#include "sandbox/launch_options.h"

namespace kgrade {

struct LayerFinding {
  std::string name;
  bool active = false;
  std::string detail;
  std::string remedy;
};

struct ProbeReport {
  LaunchLayers layers;  // what works here
  std::string bubblewrap_program;
  std::vector<LayerFinding> findings;
};

// `without` names layers ("namespaces", "bubblewrap", ...) that are taken as missing; `launcher` is our own
// path.
ProbeReport probe_layers(const std::vector<std::string>& without, const std::string& launcher);

// One line each, fields divided by tabs: "layers TEXT", "bubblewrap PATH", "layer NAME 0|1 DETAIL REMEDY".
std::string to_text(const ProbeReport& report);

}  // namespace kgrade
