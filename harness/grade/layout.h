// Where the parts of an installation or a checkout lie.
#pragma once

#include <filesystem>

namespace kgrade {

struct Layout {
  std::filesystem::path problems;          // problems/<slug>.md
  std::filesystem::path reference;         // reference/<slug>.cu, reference/ops/
  std::filesystem::path emulated_include;  // the emulated device's CUDA headers
  std::filesystem::path workers;           // kgrade-worker-*: beside the program

  // The checkout that this program was built from; `problems` is replaced when the user names another folder,
  // and its neighbour `reference` with it when there is one.
  static Layout find(const std::filesystem::path& problems_override = {});
};

}  // namespace kgrade
