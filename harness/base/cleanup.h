// What must not outlive this process: temporary folders, half-written files, the processes that it started
// and what those left behind. SIGKILL sent to this process itself is beyond it; then only the direct children
// die (PR_SET_PDEATHSIG, see base/subprocess.h), and the next run removes the folders.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <mutex>
#include <set>
#include <string>

#include "base/process_table.h"
#include "base/unique_fd.h"

namespace kgrade {

// From now on SIGINT, SIGTERM, SIGHUP and SIGQUIT end this process only after it has killed its children as
// groups and removed its temporary folders; the signal is raised again then, so that the parent sees it.
// Signals that are ignored, as nohup(1) ignores SIGHUP, stay ignored. Call once, in main(), before any other
// thread starts: the signals are blocked in the calling thread and in those that it starts.
void clean_up_on_signals();

// Makes this process the parent of what its children leave behind (PR_SET_CHILD_SUBREAPER), so that a process
// that left its group by setsid(2) or setpgid(2) is found and killed when the child that it descends from
// ends: see Cleanup::reap. Children that this process has already, from before an exec, are left alone. Also
// takes SIGCHLD back to its default, since ignored children cannot be waited for. Call once, in main().
void adopt_orphans();

// The register behind these two, TemporaryDirectory, write_file_atomically and ChildProcess. It is the one
// object of the program that is process-wide, because what it keeps is: signals, children and the parentage
// of orphans belong to the process. It is never destroyed, so that the signal thread and late destructors may
// use it.
//
// Threads: all functions may be called from any. One mutex is held across every change together with what it
// stands for (fork and registration; reaping and removal from the register), so that neither a hunt for
// orphans nor a signal sees a child that is not registered yet or a process id that is no longer ours. No
// other lock is taken while it is held. Once a signal has been taken it is never released: nothing new
// starts.
class Cleanup {
 public:
  static Cleanup& of_this_process();

  // mkdtemp(3) and mkostemp(3) on a pattern that ends in XXXXXX. The folder or file is removed by a signal
  // until it is forgotten. make_directory throws std::system_error; make_file completes `pattern`, and
  // returns no descriptor, with errno set, on failure.
  std::filesystem::path make_directory(std::string pattern);
  UniqueFd make_file(std::string& pattern);
  void remember(const std::filesystem::path& path);  // one that is there already
  void forget(const std::filesystem::path& path);

  // Of earlier runs (base/abandoned_folders.h), once in the life of this process.
  void remove_abandoned(const std::filesystem::path& folder);

  // fork(2); returns the child's id, or -1 with errno set. In the child `become` is called, which must not
  // return, must call setsid(2) first, and may only use async-signal-safe functions.
  pid_t start(const std::function<void()>& become);

  // A child of this process that another one forks (CLONE_PARENT). `fork` has that done, and returns its id
  // or -1 with errno set, as this does. It is this process's like one that start() has forked.
  pid_t take_over(const std::function<pid_t()>& fork);

  // SIGKILL to a child that start() returned and that is not reaped, and to its group.
  void kill_group(pid_t child);
  // The same to all of them but those that are spared. Waits for none: so they end side by side.
  void kill_all();
  // A child that serves more than one run.
  void spare(pid_t child);

  // Waits for the child's end, kills what is left of its group, reaps it, and returns its wait status
  // (SIGKILL when that cannot be known). Then kills and reaps orphans, if adopt_orphans() was called:
  // children of this process in a session that is neither ours nor that of a child not yet reaped. A child
  // that starts daemons in sessions of their own may thus lose them when another child ends. Gives up on
  // orphans that do not die within 2 s.
  int reap(pid_t child);

  void adopt_orphans();

  // The text for standard error when a signal ends this process; empty: none.
  void set_final_message(std::string text);

  // Kills all children, their groups and the orphans, waits a few seconds at most for them, and removes all
  // folders. Every other call blocks from then on: the process must end.
  void clean_up();

  // Writes that message; call after clean_up().
  void write_final_message() const;

 private:
  Cleanup() = default;
  bool is_orphan(const ProcessEntry& entry) const;
  bool kill_orphans();
  bool reap_children();

  std::mutex mutex_;
  std::set<std::filesystem::path> paths_;
  std::set<pid_t> children_;          // each the leader of a session and of a group
  std::set<pid_t> spared_;            // of these, by kill_all()
  std::set<pid_t> earlier_children_;  // children from before adopt_orphans()
  bool adopts_ = false;
  std::once_flag abandoned_are_removed_;
  std::string final_message_;
};

}  // namespace kgrade
