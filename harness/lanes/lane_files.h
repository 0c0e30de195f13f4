// The files of jobs for lanes that do not see the files of this machine. If several jobs in a row have a
// file, the lane gets its contents once. The lane writes the files of a job into its own folder, in the same
// tree as on this machine. So a file finds the files beside it there, too.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "base/result.h"
#include "lanes/lane.h"

namespace kgrade {

// Adds all files that the job names: its problem, with the family and the reference, and its candidates. Each
// candidate comes with the files beside it that it may read. `known`: the hashes of the files of the last
// job, which the lane keeps. It is set to the hashes of this job. A file that cannot be read is left out, and
// the lane reports that it is missing. The device and the Python are removed from the job, because the lane
// chooses them.
void add_files(LaneJob& job, std::set<std::string>& known);

// The files of jobs on the lane's side.
class ReceivedFiles {
 public:
  // `folder`: holds the files of one job at a time.
  explicit ReceivedFiles(std::filesystem::path folder);

  // Writes the files of a job that has files, makes the job's working folder the current one, and changes the
  // job's absolute paths. An Error if a file cannot be written, or if its content is unknown.
  Result<bool> receive(LaneJob& job);
  // Replaces the paths in an answer by those that the job had when it was sent.
  std::string as_sent(std::string text) const;

 private:
  std::filesystem::path folder_;                 // absolute
  std::map<std::string, std::string> contents_;  // of the last job's files, by hash
};

}  // namespace kgrade
