// The job of a sweep by Slurm, remembered in a file for a sweep that is resumed after this one was killed.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include "base/result.h"
#include "sweep/slurm_client.h"

namespace kgrade {

struct SlurmJob {
  std::string name;  // of this one submission alone
  std::string id;    // empty: it was to be submitted, and whether it was is not known
  std::size_t round = 0;
};

// "kgrade-nightly-1f0c9a2b" of "nightly.jsonl": without what squeue would take for two names.
std::string new_job_name(const std::filesystem::path& results);

// Errors: those of writing.
Result<bool> write_job(const std::filesystem::path& path, const SlurmJob& job);
// None where there is no such file, or it is not of that form.
std::optional<SlurmJob> read_slurm_job(const std::filesystem::path& path);

// What each task of the array runs: its chunk of that plan. Errors: those of writing.
Result<bool> write_task_script(const std::filesystem::path& script, const std::filesystem::path& program,
                               const std::filesystem::path& plan, std::size_t round);

// Submits, and writes the file before and after, so that a kill at any moment leaves a job that can be found.
// The job's number. Errors: those of writing, and what sbatch says.
Result<std::string> submit_noted(const std::filesystem::path& path, std::size_t round,
                                 const SlurmClient& client, const SlurmArray& array);
// The job's number; empty where it never came to be, or Slurm has forgotten it. An Error where the controller
// does not answer.
Result<std::string> id_of(const SlurmJob& job, const SlurmClient& client);

}  // namespace kgrade
