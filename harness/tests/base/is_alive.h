// Whether a process exists and is not a zombie.
#pragma once

#include <sys/types.h>

#include "base/process_table.h"

namespace kgrade {

inline bool is_alive(pid_t pid) {
  const auto entry = process_entry(pid);
  return entry && entry->state != 'Z';
}

}  // namespace kgrade
