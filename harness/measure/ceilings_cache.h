// The ceilings of devices, kept in files so that each is measured once: <folder>/<uuid>.json, with the
// versions of the file's schema, of the driver and of how kgrade measures. Several runs may read and write
// there at once. A file is believed only if all of it fits the device at hand.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "device/device.h"
#include "record/device_info.h"

namespace kgrade {

// Goes up with every change of what measure_ceilings() of a device measures, or how.
inline constexpr int ceilings_protocol = 1;

// Of this user (base/user_cache.h); empty when there is none.
std::filesystem::path ceilings_folder();

struct CachedCeilings {
  std::optional<Ceilings> ceilings;  // nothing: the device has none to measure, or no room to
  bool measured_now = false;
  // Why a file was not believed, why ceilings cannot be kept, why a measurement was not believed. None of
  // them ends a run.
  Errors warnings;
};

// What the file says, or else what the device now measures; that is then kept. With `remeasure` the file is
// not read. An empty folder keeps nothing, which is a warning if something was measured.
CachedCeilings load_or_measure(Device& device, const std::filesystem::path& folder, bool remeasure = false);

}  // namespace kgrade
