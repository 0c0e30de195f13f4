// The files of jobs for lanes that do not see the files of this machine. A lane gets the contents of a file
// once, as long as one job after the other has it, and puts the files of a job into a folder of its own, in
// the tree that they have here. So what a file names beside it is found there too.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "base/result.h"
#include "lanes/lane.h"

namespace kgrade {

// Adds all files that the job names: its problem, with the family and the reference, and its candidates, each
// with the files beside it that it may read. `known`: the hashes of the files of the last job, which the
// lane keeps. Afterwards it has the hashes of this job. A file that cannot be read is left out, and the lane
// reports that it is missing. Takes out what the lane decides itself: its device and its Python.
void add_files(LaneJob& job, std::set<std::string>& known);

// The lane's side.
class ReceivedFiles {
 public:
  // `folder`: for the files of one job at a time.
  explicit ReceivedFiles(std::filesystem::path folder);

  // Writes the files of a job with files, goes into the job's working folder, and changes the job's absolute
  // paths. An Error if a file cannot be written, or has no content.
  Result<bool> receive(LaneJob& job);
  // An answer with the paths as the job had them.
  std::string as_sent(std::string text) const;

 private:
  std::filesystem::path folder_;                 // absolute
  std::map<std::string, std::string> contents_;  // of the last job's files, by hash
};

}  // namespace kgrade
