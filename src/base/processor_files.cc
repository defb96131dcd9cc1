#include "base/processor_files.h"

#include <algorithm>
#include <utility>

#include "base/system_files.h"

namespace starling {
namespace {

constexpr std::int64_t kSmallestLevel = 2;  // the first cache is one core's alone

bool hasAll(const std::vector<std::int32_t>& group, const std::vector<std::int32_t>& processors) {
  return std::includes(group.begin(), group.end(), processors.begin(), processors.end());
}

// As in "cpu7/" and "node1/".
std::string numbered(const char* name, std::int32_t number) { return name + std::to_string(number) + "/"; }

}  // namespace

ProcessorFiles ProcessorFiles::read(const std::string& folder) {
  ProcessorFiles files;
  const std::vector<std::int32_t> online = numbersIn(firstLineOf(folder + "/cpu/online"));
  if (online.empty()) return files;
  files.places_.resize(static_cast<std::size_t>(std::ranges::max(online)) + 1);
  for (const std::int32_t processor : online) {
    files.places_[static_cast<std::size_t>(processor)] = 0;
    const std::string own = folder + "/cpu/" + numbered("cpu", processor);
    files.add({numbersIn(firstLineOf(own + "topology/core_siblings_list")), false});
    for (CacheFiles& cache : cachesIn(own + "cache")) {
      if (cache.level >= kSmallestLevel) files.add({std::move(cache.processors), true});
    }
  }
  for (const std::int32_t node : numbersIn(firstLineOf(folder + "/node/online"))) {
    Group memory{numbersIn(firstLineOf(folder + "/node/" + numbered("node", node) + "cpulist")), false};
    // Memory that several packages share makes nothing of them that is near each other.
    if (files.domainOf(memory.processors) != nullptr) files.add(std::move(memory));
  }
  files.count();
  return files;
}

void ProcessorFiles::add(Group group) {
  std::ranges::sort(group.processors);
  if (group.processors.empty() || std::ranges::find(groups_, group) != groups_.end()) return;
  groups_.push_back(std::move(group));
}

void ProcessorFiles::count() {
  std::ranges::stable_sort(groups_, std::greater(), [](const Group& group) { return group.processors.size(); });
  // A processor's groups, the largest first, each by its first processor; at last the processor itself.
  std::vector<std::vector<std::int32_t>> order;
  for (std::size_t processor = 0; processor < places_.size(); ++processor) {
    if (!places_[processor]) continue;
    const auto number = static_cast<std::int32_t>(processor);
    std::vector<std::int32_t>& key = order.emplace_back();
    for (const Group& group : groups_) {
      if (std::ranges::binary_search(group.processors, number)) key.push_back(group.processors.front());
    }
    key.push_back(number);
  }
  std::ranges::sort(order);
  for (std::size_t place = 0; place < order.size(); ++place) {
    places_[static_cast<std::size_t>(order[place].back())] = static_cast<std::int32_t>(place);
  }
}

const ProcessorFiles::Group* ProcessorFiles::domainOf(const std::vector<std::int32_t>& processors) const {
  const Group* domain = nullptr;
  for (const Group& group : groups_) {
    if (!hasAll(group.processors, processors)) continue;
    if (group.is_cache) return &group;
    domain = &group;
  }
  return domain;
}

std::int32_t ProcessorFiles::firstPlaceOf(const std::vector<std::int32_t>& processors) const {
  std::optional<std::int32_t> first;
  for (const std::int32_t processor : processors) {
    const auto index = static_cast<std::size_t>(processor);
    if (index >= places_.size() || !places_[index]) continue;
    first = first ? std::min(*first, *places_[index]) : *places_[index];
  }
  return first.value_or(0);
}

std::optional<ProcessorPlace> ProcessorFiles::placeOf(const cpu_set_t& processors) const {
  std::vector<std::int32_t> own;
  for (std::size_t processor = 0; processor < places_.size(); ++processor) {
    if (places_[processor] && CPU_ISSET(processor, &processors)) own.push_back(static_cast<std::int32_t>(processor));
  }
  if (own.empty()) return std::nullopt;
  const Group* domain = domainOf(own);
  if (domain == nullptr) return std::nullopt;
  return ProcessorPlace{firstPlaceOf(domain->processors), firstPlaceOf(own)};
}

}  // namespace starling
