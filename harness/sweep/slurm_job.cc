#include "sweep/slurm_job.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cctype>
#include <nlohmann/json.hpp>
#include <random>

#include "base/text.h"

namespace kgrade {

std::string new_job_name(const std::filesystem::path& results) {
  std::string name = results.stem().string();
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.' && c != '-') c = '_';
  }
  return fmt::format("kgrade-{}-{:08x}", name, std::random_device()());
}

Result<bool> write_job(const std::filesystem::path& path, const SlurmJob& job) {
  const nlohmann::json json = {{"name", job.name}, {"job", job.id}, {"round", job.round}};
  return write_file_atomically(path, json.dump() + "\n");
}

std::optional<SlurmJob> read_slurm_job(const std::filesystem::path& path) {
  const auto text = read_text_file(path);
  if (!text) return std::nullopt;
  try {
    const auto json = nlohmann::json::parse(*text);
    return SlurmJob{json.at("name").get<std::string>(), json.at("job").get<std::string>(),
                    json.at("round").get<std::size_t>()};
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

Result<bool> write_task_script(const std::filesystem::path& script, const std::filesystem::path& program,
                               const std::filesystem::path& plan, std::size_t round) {
  const auto quoted = [](const std::filesystem::path& path) {
    return "'" + replace_all(path.string(), "'", "'\\''") + "'";
  };
  const std::string text = fmt::format(
      "#!/bin/sh\nexec {} sweep-chunk {} {} \"$SLURM_ARRAY_TASK_ID\" \"${{SLURM_RESTART_COUNT:-0}}\"\n",
      quoted(program), quoted(std::filesystem::absolute(plan)), round);
  auto written = write_file_atomically(script, text);
  if (written) ::chmod(script.c_str(), 0755);
  return written;
}

Result<std::string> submit_noted(const std::filesystem::path& path, std::size_t round,
                                 const SlurmClient& client, const SlurmArray& array) {
  if (auto written = write_job(path, {array.name, "", round}); !written) return written.errors();
  auto job = client.submit(array);
  if (!job) {
    // An answer that came too late is no refusal.
    const auto found = client.find(array.name);
    if (!found || !*found) return job;
    job = **found;
  }
  if (auto written = write_job(path, {array.name, *job, round}); !written) return written.errors();
  return job;
}

Result<std::string> id_of(const SlurmJob& job, const SlurmClient& client) {
  if (!job.id.empty()) return job.id;
  auto found = client.find(job.name);
  if (!found) return found.errors();
  return found->value_or("");
}

}  // namespace kgrade
