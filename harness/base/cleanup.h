// Cleans up what must not outlive this process: temporary folders, half-written files, the processes that it
// started, and the orphans that they left behind. Nothing can be cleaned up after SIGKILL to this process
// itself. Then only the direct children die (PR_SET_PDEATHSIG, see base/subprocess.h), and the next run
// removes the folders.
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

// Makes this process the parent of its children's orphans (PR_SET_CHILD_SUBREAPER). A process may leave its
// group by setsid(2) or setpgid(2); it is found and killed when the child that it descends from ends: see
// Cleanup::reap. Children that this process already has, from before an exec, are left alone. Also resets
// SIGCHLD to its default, since ignored children cannot be waited for. Call once, in main().
void adopt_orphans();

// The register behind these two functions, TemporaryDirectory, write_file_atomically and ChildProcess. It is
// the only process-wide object of the program, because signals, children and the parentage of orphans belong
// to the process. It is never destroyed, so that the signal thread and late destructors may use it.
//
// Threads: all functions may be called from any thread. One mutex is held while a process is forked and
// registered, and while it is reaped and removed from the register. So neither a signal nor a search for
// orphans sees a child that is not registered yet, or a process id that is no longer ours. No other lock is
// taken while the mutex is held. After a signal the mutex is never released: nothing new starts. The
// exception is the last action's own mutex, which is taken first.
class Cleanup {
 public:
  static Cleanup& of_this_process();

  // mkdtemp(3) and mkostemp(3) on a pattern that ends in XXXXXX. The folder or file is removed by a signal
  // until it is forgotten. make_directory throws std::system_error; make_file completes `pattern`, and
  // returns no descriptor, with errno set, on failure.
  std::filesystem::path make_directory(std::string pattern);
  UniqueFd make_file(std::string& pattern);
  void remember(const std::filesystem::path& path);  // a path that exists already
  void forget(const std::filesystem::path& path);

  // Removes the folders of earlier runs (base/temporary_directory.h). Does so once in the life of this
  // process.
  void remove_abandoned(const std::filesystem::path& folder);

  // fork(2); returns the child's id, or -1 with errno set. In the child `become` is called, which must not
  // return, must call setsid(2) first, and may only use async-signal-safe functions.
  pid_t start(const std::function<void()>& become);

  // Registers a child of this process that another process forks (CLONE_PARENT). `fork` asks the other
  // process to fork the child. take_over() and `fork` return the child's id, or -1 with errno set. The child
  // is then treated like one from start().
  pid_t take_over(const std::function<pid_t()>& fork);

  // Sends SIGKILL to a child from start() that is not reaped yet, and to its group.
  void kill_group(pid_t child);
  // Sends SIGKILL to all children and their groups, except to spared children. Does not wait, so they end
  // side by side.
  void kill_all();
  // Exempts a child that serves more than one run from kill_all().
  void spare(pid_t child);

  // When a signal ends this process, the child's group gets SIGTERM first, and SIGKILL two seconds later.
  // This is for a program that has something to end elsewhere.
  void end_gently(pid_t child);

  // Waits for the child's end, kills what is left of its group, reaps it, and returns its wait status
  // (SIGKILL if unknown). Then, if adopt_orphans() was called, kills and reaps orphans: children of this
  // process whose session is neither ours nor that of a child not yet reaped. If a child starts daemons in
  // their own sessions, it may thus lose them when another child ends. Gives up on orphans that do not die
  // within 2 s.
  int reap(pid_t child);

  void adopt_orphans();

  // The text for standard error when a signal ends this process. If empty, nothing is written.
  void set_final_message(std::string text);

  // Sets the action that runs after a signal, before anything is killed and removed. It runs in the signal's
  // thread, while all other threads go on. Set nullptr before an object that the action uses is destroyed:
  // the call waits for a running action.
  void set_last_action(std::function<void()> action);
  void act_last();

  // Kills all children, their groups and the orphans, waits a few seconds at most for them, and removes all
  // folders. Every other call blocks from then on: the process must end.
  void clean_up();

  // Writes the text of set_final_message(). Call after clean_up().
  void write_final_message() const;

 private:
  Cleanup() = default;
  bool is_orphan(const ProcessEntry& entry) const;
  bool kill_orphans();
  bool reap_children();

  std::mutex mutex_;
  std::set<std::filesystem::path> paths_;
  std::set<pid_t> children_;  // each the leader of a session and of a group
  std::set<pid_t> spared_;    // kill_all() leaves them alone
  std::set<pid_t> gently_ended_;
  std::set<pid_t> earlier_children_;  // children from before adopt_orphans()
  bool adopts_ = false;
  std::once_flag abandoned_are_removed_;
  std::string final_message_;
  std::mutex last_action_mutex_;  // held while the action runs, without the other mutex
  std::function<void()> last_action_;
};

}  // namespace kgrade
