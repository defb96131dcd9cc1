#include "summary/communicator_names.h"

#include <fmt/format.h>

#include <map>
#include <set>

namespace starling {

std::vector<std::string> communicatorNames(std::span<const KeyRow> keys) {
  std::map<std::string, std::set<std::string>> ids;  // by name
  std::set<std::string> all;
  for (const KeyRow& key : keys) {
    ids[key.communicator.name].insert(key.communicator.id);
    all.insert(key.communicator.id);
  }
  std::vector<std::string> names(keys.size());
  if (all.size() < 2) return names;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const CommunicatorRecord& communicator = keys[i].communicator;
    const bool is_shared = ids[communicator.name].size() > 1;
    names[i] = communicator.name.empty() ? communicator.id
               : is_shared               ? fmt::format("{} ({})", communicator.name, communicator.id)
                                         : communicator.name;
  }
  return names;
}

}  // namespace starling
