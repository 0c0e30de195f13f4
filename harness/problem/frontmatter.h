// Cuts a problem file into YAML and statement; internal to spec.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace kgrade {

struct Frontmatter {
  std::string yaml;       // what stands between the two lines of dashes, line ends as \n
  int first_line = 2;     // of `yaml` in the file
  std::string statement;  // what follows, line ends as \n
};

// Errors: an empty file, over 16 MiB, not UTF-8, a control character, no frontmatter, one without end or
// of more than 256 KiB. A byte order mark at the start is skipped.
Result<Frontmatter> split_frontmatter(std::string_view content, const std::string& file);

}  // namespace kgrade
