// The program that the tests of base/cleanup start, interrupt and inspect:
//   hold PID_FILE   runs a shell with a background process, holds a temporary folder, and has a final message
//   escape          leaves a process behind that has left its group and its session; prints its id
//   linger          leaves a process behind that has left its group, but not its session; prints its id
#include <sys/types.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <string_view>

#include "base/cleanup.h"
#include "base/subprocess.h"
#include "base/temporary_directory.h"

namespace {

int hold(const std::string& pid_file) {
  kgrade::clean_up_on_signals();
  kgrade::adopt_orphans();
  const kgrade::TemporaryDirectory folder;
  kgrade::Cleanup::of_this_process().set_final_message("all is gone\n");
  kgrade::ProcessRequest request;
  request.command = {"/bin/sh", "-c",
                     "sleep 600 & echo $$ > \"$0.new\" && mv \"$0.new\" \"$0\" && sleep 600; exit 0",
                     pid_file};
  request.environment = {"PATH=/usr/bin:/bin"};
  request.working_directory = folder.path();
  return kgrade::run_process(request).ok() ? 0 : 1;
}

// The parent of the remaining process prints the process's id and exits.
int leave_behind(bool new_session) {
  if (::fork() != 0) {
    ::close(STDOUT_FILENO);
    for (;;) ::pause();
  }
  if (new_session ? ::setsid() < 0 : ::setpgid(0, 0) < 0) return 1;
  const pid_t stays = ::fork();
  if (stays == 0) {
    ::close(STDOUT_FILENO);
    for (;;) ::pause();
  }
  std::printf("%d\n", static_cast<int>(stays));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view mode = argc > 1 ? argv[1] : "";
  if (mode == "hold" && argc == 3) return hold(argv[2]);
  if (mode == "escape") return leave_behind(true);
  if (mode == "linger") return leave_behind(false);
  return 2;
}
