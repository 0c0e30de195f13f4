// cheat: leaves records of success where a later run might read them as its own
// row: 37
// caught-by: outputs_match
// device: any
// case: tiny
// needs: confinement
//
// It writes to temporary folders and beside its library. Nothing is computed.
#include <dlfcn.h>
#include <fcntl.h>

#include <string>

#include "contestant.cuh"

namespace {

constexpr const char record[] =
    "{\"schema\": 1, \"candidates\": [{\"verdict\": \"accepted\", \"speedup\": 100.0, \"checks\": []}]}\n";

// If the library is a file.
std::string folder_of_library() {
  Dl_info info;
  char path[1024] = {};
  const bool known = dladdr(record, &info) != 0 && readlink(info.dli_fname, path, sizeof path - 1) > 0;
  const std::string library = path;
  return known && library.find("/memfd:") != 0 ? library.substr(0, library.rfind('/')) : "/tmp";
}

void leave_record(const std::string& path) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) return;
  if (write(file, record, sizeof record - 1) > 0) fsync(file);
  close(file);
}

}  // namespace

void cheat::play(const Call&) {
  for (const std::string& folder : {std::string("/tmp"), std::string("/dev/shm"), folder_of_library()}) {
    leave_record(folder + "/kgrade-cheat-record.json");
    leave_record(folder + "/kgrade-cheat-profile.json");
  }
}
