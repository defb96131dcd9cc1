#include "collective.h"

#include <fmt/format.h>

#include <array>

namespace starling::bench {
namespace {

constexpr std::array<const char*, 3> kCollectiveNames{"allreduce", "bcast", "reduce"};

}  // namespace

Result<Collective> parseCollective(std::string_view text) {
  for (std::size_t i = 0; i < kCollectiveNames.size(); ++i) {
    if (text == kCollectiveNames[i]) return static_cast<Collective>(i);
  }
  return Status::error(fmt::format("'{}' is none of allreduce, bcast, reduce", text));
}

const char* collectiveName(Collective collective) { return kCollectiveNames[static_cast<std::size_t>(collective)]; }

}  // namespace starling::bench
