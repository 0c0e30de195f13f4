// write_seeds SOURCE FOLDER: writes the seeds of every target to FOLDER/<target>/.
#include <cstdio>
#include <fstream>

#include "tests/fuzz/targets.h"

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  if (argc != 3) {
    std::fputs("usage: write_seeds SOURCE FOLDER\n", stderr);
    return 2;
  }
  for (const auto& target : kgrade::fuzz::targets()) {
    const fs::path folder = fs::path(argv[2]) / target.name;
    fs::create_directories(folder);
    int number = 0;
    for (const std::string& seed : kgrade::fuzz::seeds(target.name, argv[1])) {
      std::ofstream(folder / ("seed-" + std::to_string(number++)), std::ios::binary) << seed;
    }
  }
}
