// A run whose contestants were not confined says so, whatever it found.
#pragma once

#include <string>

#include "record/record.h"
#include "record/terminal.h"

namespace kgrade {

// One line; empty when they were.
std::string confinement_text(const SandboxRecord& sandbox, const Style& style);

}  // namespace kgrade
