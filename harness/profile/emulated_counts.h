// Facts of the launches that the emulated device counted (device/emulated/checker/access_counts.h). They are
// exact for the case that ran, and say nothing about time.
#pragma once

#include <vector>

#include "check/finding.h"
#include "compile/source_places.h"
#include "device/finding_book.h"
#include "profile/kernel_profile.h"

namespace kgrade {

// `places` may be null. Then no fact has a place in the source.
std::vector<KernelProfile> profiles_of(const std::vector<LaunchCounts>& counts, PlaceFinder* places,
                                       QuotedSource& source);

}  // namespace kgrade
