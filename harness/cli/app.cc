#include "cli/app.h"

#include <fmt/format.h>

#include <cstdio>

namespace kgrade::cli {

int fail(const Errors& errors, int exit_code) {
  fmt::print(stderr, "{}\n", to_string(errors));
  return exit_code;
}

}  // namespace kgrade::cli
