// cheat: opens the referee's own pipes through /proc/PPID/fd and writes a record of success into them
// row: 31
// caught-by: outputs_match
// device: any
// case: tiny
// needs: confinement
//
// Descriptors that were not inherited are there as well. Only pipes are used, so that no file's contents
// change. Nothing is computed.
#include <fcntl.h>
#include <sys/stat.h>

#include "contestant.cuh"
#include "theft.cuh"

namespace {

constexpr const char record[] =
    "{\"schema\": 1, \"candidates\": [{\"verdict\": \"accepted\", \"speedup\": 100.0, \"checks\": []}]}\n";

void write_into_pipes() {
  if (cheat::referee() == 0) return;
  for (int number = 0; number < 64; ++number) {
    const std::string path = "/proc/" + std::to_string(cheat::referee()) + "/fd/" + std::to_string(number);
    struct stat status;
    if (stat(path.c_str(), &status) != 0 || !S_ISFIFO(status.st_mode)) continue;
    const int pipe = open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    if (pipe < 0) continue;
    if (write(pipe, record, sizeof record - 1) > 0) fprintf(stderr, "%s takes it\n", path.c_str());
    close(pipe);
  }
}

}  // namespace

void cheat::play(const Call&) { write_into_pipes(); }
