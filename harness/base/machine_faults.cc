#include "base/machine_faults.h"

#include <cerrno>

#include "base/temporary_directory.h"

namespace kgrade {
std::filesystem::path temporary_folder_of_user() {
  const std::filesystem::path base = TemporaryDirectory::base();
  return is_temporary_folder_name(base.filename().string()) ? base.parent_path() : base;
}

bool is_lack_of_room(int code) { return code == ENOSPC || code == EDQUOT; }

std::string remedy_for_room(const std::filesystem::path& path) {
  // True for the user's folder for temporary files, and for paths in a folder of ours below it. Users keep
  // their own files in /tmp, too.
  const std::filesystem::path below = path.lexically_relative(temporary_folder_of_user());
  const bool is_temporary =
      below == "." || (!below.empty() && is_temporary_folder_name(below.begin()->string()));
  return is_temporary ? "free some space there, or let TMPDIR name a folder on another disk"
                      : "free some space there, or name a file on another disk";
}

Blame blame_for_file(int code) {
  const bool lacks = is_lack_of_room(code) || code == ENOMEM || code == EMFILE || code == ENFILE;
  return lacks || code == EIO ? Blame::machine : Blame::user;
}

std::string remedy_for_machine(int code) {
  switch (code) {
    case ENOSPC:
    case EDQUOT:
      return remedy_for_room(TemporaryDirectory::base());
    case ENOENT:
    case ENOTDIR:
    case EACCES:
    case EPERM:
    case EROFS:
      return "let TMPDIR name a folder that you may write to";
    case EAGAIN:
      return "end some processes, or allow more: `ulimit -u` is the limit of this account";
    case EMFILE:
    case ENFILE:
      return "allow more open files: raise `ulimit -n`";
    case ENOMEM:
      return "end other programs, or use a machine with more memory";
    default:
      return "";
  }
}

}  // namespace kgrade
