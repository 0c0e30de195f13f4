// Finds the lines of the source that cost the most, in what `ncu --csv --page source --print-source
// cuda,sass` prints.
#pragma once

#include <string>
#include <vector>

#include "compile/source_places.h"
#include "profile/kernel_profile.h"

namespace kgrade {

// Fills in the worst places of the launches, which are in ncu's order. Without line information (-lineinfo)
// there are none.
void add_places(const std::string& source_page, const OwnSources& own, QuotedSource& quoted,
                std::vector<KernelProfile>& launches);

}  // namespace kgrade
