#include "record/arms_json.h"

#include <algorithm>
#include <string>
#include <utility>

#include "record/shared_json.h"

namespace kgrade {

using Json = nlohmann::ordered_json;

namespace {

// The order of the arms as letters, one per arm, numbered as in CaseRecord: "cab" is easier to read than "2 0
// 1".
std::string order_text(const Block& block) {
  std::string text;
  for (const std::size_t arm : block.order) text += static_cast<char>('a' + arm);
  return text;
}

Block block_of(const JsonValue& json) {
  Block block;
  for (const char letter : json.text(26)) block.order.push_back(static_cast<std::size_t>(letter - 'a'));
  std::vector<std::size_t> sorted = block.order;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (sorted[i] != i) json.complain("is no order of arms");
  }
  block.samples.resize(block.order.size());
  return block;
}

void read_blocks(JsonReader& archive, ProcessBlocks& process) {
  if (!archive.wants_detail()) return;
  for (const JsonValue& order : archive.value()["orders"].items(most_items))
    process.blocks.push_back(block_of(order));
  for (const JsonValue& item : archive.value()["void"].items(most_items)) {
    const auto block = static_cast<std::size_t>(item["block"].integer(0, INT64_MAX));
    if (block >= process.blocks.size()) item["block"].complain("is none of the orders");
    if (block < process.blocks.size()) process.blocks[block].voided = item["reason"].text(most_text);
  }
}

Json void_json(const ProcessBlocks& process) {
  Json voided = Json::array();
  for (std::size_t i = 0; i < process.blocks.size(); ++i) {
    if (!process.blocks[i].voided.empty())
      voided.push_back({{"block", i}, {"reason", process.blocks[i].voided}});
  }
  return voided;
}

// If the clock was judged, the reported times and the attested times are written beside the counted times.
Json arm_json(const CaseRecord& c, std::size_t arm) {
  std::vector<double> counted, reported, attested;
  for (const Sample& sample : samples_of(c, arm)) {
    counted.push_back(sample.counted_ms());
    reported.push_back(sample.reported_ms);
    attested.push_back(sample.attested_ms);
  }
  Json json = {{"samples_ms", counted}};
  if (c.clock) {
    json["reported_ms"] = reported;
    json["attested_ms"] = attested;
  }
  json["summary"] = json_of(c.arms[arm].summary);
  return json;
}

// Arms are written as letters, so their number is limited.
constexpr std::size_t most_others = 20;

std::vector<Sample> read_samples(JsonReader& archive) {
  std::vector<double> counted;
  archive("samples_ms", counted, not_negative);
  std::optional<std::vector<double>> reported, attested;
  if (archive.value().find("reported_ms")) archive("reported_ms", reported.emplace(), not_negative);
  if (archive.value().find("attested_ms")) archive("attested_ms", attested.emplace(), not_negative);
  std::vector<Sample> samples(counted.begin(), counted.end());
  const bool clock = reported && attested;
  if (clock && (reported->size() != samples.size() || attested->size() != samples.size())) {
    archive.value().complain("has lists of different lengths");
    return samples;
  }
  for (std::size_t i = 0; clock && i < samples.size(); ++i) {
    samples[i].reported_ms = (*reported)[i];
    samples[i].attested_ms = (*attested)[i];
  }
  return samples;
}

// Spreads the samples over the blocks, two per block.
void spread_over_blocks(const JsonValue& json, const std::vector<Sample>& samples, std::size_t arm,
                        Measurement& into) {
  std::size_t next = 0;
  for (ProcessBlocks& process : into.processes) {
    for (Block& block : process.blocks) {
      if (next + 2 > samples.size() || arm >= block.samples.size())
        return json.complain("does not fit the blocks");
      block.samples[arm] = {samples[next], samples[next + 1]};
      next += 2;
    }
  }
  if (next != samples.size()) json.complain("does not fit the blocks");
}

void read_arm(const JsonValue& json, bool detailed, std::size_t arm, CaseRecord& c) {
  JsonReader archive(json, detailed);
  archive("summary", c.arms[arm].summary);
  if (!detailed) return;
  const std::vector<Sample> samples = read_samples(archive);
  if (c.measurement) {
    spread_over_blocks(json, samples, arm, *c.measurement);
  } else {
    c.arms[arm].samples = samples;
  }
}

}  // namespace

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<ProcessBlocks>& process) {
  archive("launches_per_sample", process.launches);
  archive("ended", process.end);
  if constexpr (Archive::reads) {
    read_blocks(archive, process);
  } else {
    Json orders = Json::array();
    for (const Block& block : process.blocks) orders.push_back(order_text(block));
    archive("orders", orders);
    archive("void", void_json(process));
  }
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<Measurement>& measurement) {
  archive("cache", measurement.cache);
  if (!archive.wants_detail()) return;
  archive("goal", measurement.goal);
  archive("process_offset_ms", measurement.process_offset_ms);
  archive("processes", measurement.processes);
}

void read_arms(JsonReader& archive, CaseRecord& c) {
  const JsonValue& json = archive.value();
  archive("measurement", c.measurement);
  const auto baseline = json.find("baseline");
  const auto others = json.find("other_baselines");
  if (baseline) c.arms.insert(c.arms.begin() + 1, {(*baseline)["name"].text(200), {}, {}});
  read_arm(json["reference"], archive.wants_detail(), 0, c);
  if (baseline) read_arm(*baseline, archive.wants_detail(), 1, c);
  if (others) {
    for (const JsonValue& other : others->items(most_others)) {
      c.arms.insert(c.arms.end() - 1, {other["name"].text(200), {}, {}, true});
      read_arm(other, archive.wants_detail(), c.arms.size() - 2, c);
    }
  }
  read_arm(json["candidate"], archive.wants_detail(), c.arms.size() - 1, c);
}

void write_arms(JsonWriter& archive, const CaseRecord& c) {
  archive("candidate", arm_json(c, c.arms.size() - 1));
  archive("reference", arm_json(c, 0));
  Json others = Json::array();
  for (std::size_t arm = 1; arm + 1 < c.arms.size(); ++arm) {
    Json baseline = arm_json(c, arm);
    baseline["name"] = c.arms[arm].name;
    if (c.arms[arm].is_beside) {
      others.push_back(std::move(baseline));
    } else {
      archive("baseline", baseline);
    }
  }
  if (!others.empty()) archive("other_baselines", others);
  if (!c.measurement) return;
  Json measurement = json_of(*c.measurement);
  measurement["arms"] = Json::array();
  for (const Arm& arm : c.arms) measurement["arms"].push_back(arm.name);
  archive("measurement", measurement);
}

}  // namespace kgrade
