#include "store/policy_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <vector>

namespace starling {
namespace {

constexpr std::string_view kSharedMemory = "shared_memory";
constexpr std::string_view kNetwork = "network";
constexpr std::int32_t kLargestClass = 62;    // 2^62 bytes is the last power of two that 63 bits hold with room for + 1
constexpr std::int32_t kMostRanks = 1 << 30;  // of a communicator, so that one more is a number, too
constexpr std::string_view kHexPrefix = "0x";
constexpr std::size_t kNumberOfLabel = 32;  // bytes at most, behind the beginning of a long one
constexpr std::size_t kHexDigits = 16;      // of build ids, which are cut off there, and of addresses

bool isPermutation(const std::vector<std::int32_t>& table) {
  std::vector<std::int32_t> sorted = table;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (sorted[i] != static_cast<std::int32_t>(i)) return false;
  }
  return true;
}

bool hasFolder(std::string_view name) { return name.find('/') != std::string_view::npos; }

bool isHexadecimal(std::string_view text) {
  return text.size() <= kHexDigits && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// Recognizes how addresses and offsets are printed: without zeros in front.
bool isAddress(std::string_view text) {
  if (!text.starts_with(kHexPrefix)) return false;
  const std::string_view digits = text.substr(kHexPrefix.size());
  return !digits.empty() && isHexadecimal(digits) && (digits == "0" || digits.front() != '0');
}

// Recognizes MODULE[BUILD ID]+0xOFFSET, where MODULE is the name of a file without its folders. Modules without a build
// id have nothing between the brackets.
bool isPlaceInModule(std::string_view identity) {
  const std::size_t opening = identity.rfind('[');
  const std::size_t closing = identity.rfind("]+");
  if (opening == std::string_view::npos || closing == std::string_view::npos || closing < opening) return false;
  if (opening == 0 || hasFolder(identity.substr(0, opening))) return false;
  return isHexadecimal(identity.substr(opening + 1, closing - opening - 1)) && isAddress(identity.substr(closing + 2));
}

// Each node has a rank at least, and the fullest no fewer than an even share of them.
Status checkNodes(const Environment& environment, const std::string& where) {
  const std::int32_t ranks = environment.ranks;
  const std::int32_t nodes = environment.nodes;
  if (nodes < 1 || nodes > ranks) {
    return Status::error(fmt::format("{}.nodes: is {}; expected 1 to {}, the number of ranks", where, nodes, ranks));
  }
  const std::int32_t fewest = (ranks - 1) / nodes + 1;
  const std::int32_t most = ranks - nodes + 1;
  if (environment.ranks_per_node >= fewest && environment.ranks_per_node <= most) return Status::ok();
  return Status::error(
      fmt::format("{}.ranks_per_node: is {}; expected {} to {}, the most that one of {} nodes has of {} "
                  "ranks",
                  where, environment.ranks_per_node, fewest, most, nodes, ranks));
}

}  // namespace

Status checkPolicy(const PolicyRecord& policy, const std::string& where) {
  const auto ranks = static_cast<std::size_t>(std::max(policy.communicator_size, 0));
  if (policy.communicator_size < 1) {
    return Status::error(
        fmt::format("{}.communicator_size: is {}; expected 1 or more", where, policy.communicator_size));
  }
  if (policy.size_class < 0 || policy.size_class > kLargestClass) {
    return Status::error(
        fmt::format("{}.size_class: is {}; expected 0 to {}, class c being the bytes above 2^(c-1) up to 2^c", where,
                    policy.size_class, kLargestClass));
  }
  if (policy.site.empty()) return Status::error(where + ".site: is empty; expected a site's identity, or \"any\"");
  if (policy.choice.empty()) return Status::error(where + ".choice: is empty; expected an algorithm, as in \"ring\"");
  if (!policy.table.empty() && (policy.table.size() != ranks || !isPermutation(policy.table))) {
    return Status::error(fmt::format(
        "{}.table: is no order of the ranks; expected each of 0 to {} once, or an empty list", where, ranks - 1));
  }
  if (!policy.lateness_ns.empty() && policy.lateness_ns.size() != ranks) {
    return Status::error(fmt::format("{}.lateness_ns: has {} entries; expected {}, one for each virtual rank, or none",
                                     where, policy.lateness_ns.size(), ranks));
  }
  if (policy.gain && !std::isfinite(*policy.gain)) {
    return Status::error(
        fmt::format("{}.gain: is {}; expected a number, or nothing where it is not known", where, *policy.gain));
  }
  if (policy.compared_by && *policy.compared_by != kByPostArrival && *policy.compared_by != kByElapsed) {
    return Status::error(fmt::format("{}.compared_by: is \"{}\"; expected \"{}\" or \"{}\"", where, *policy.compared_by,
                                     kByPostArrival, kByElapsed));
  }
  return Status::ok();
}

Status checkEnvironment(const Environment& environment, const std::string& where) {
  if (environment.ranks < 1) {
    return Status::error(fmt::format("{}.ranks: is {}; expected 1 or more", where, environment.ranks));
  }
  if (Status nodes = checkNodes(environment, where); !nodes.isOk()) return nodes;
  if (environment.processor.empty()) {
    return Status::error(where + ".processor: is empty; expected the \"model name\" of /proc/cpuinfo, or \"unknown\"");
  }
  if (environment.mpi_version.empty()) {
    return Status::error(where + ".mpi_version: is empty; expected a version, as in \"Open MPI v4.1.4\"");
  }
  if (environment.mpi_version.find_first_of(",\n") != std::string::npos) {
    return Status::error(
        fmt::format("{}.mpi_version: is \"{}\"; expected what stands before the first comma or line's end", where,
                    environment.mpi_version));
  }
  if (environment.transport != kSharedMemory && environment.transport != kNetwork) {
    return Status::error(fmt::format("{}.transport: is \"{}\"; expected \"{}\" or \"{}\"", where, environment.transport,
                                     kSharedMemory, kNetwork));
  }
  if (environment.transport == kSharedMemory && environment.nodes > 1) {
    return Status::error(fmt::format("{}.transport: is \"{}\"; expected \"{}\", as there are {} nodes", where,
                                     kSharedMemory, kNetwork, environment.nodes));
  }
  return Status::ok();
}

Status checkProgram(const std::string& program, const std::string& where) {
  constexpr const char* kExpected = "expected the file name of the executable, without its folder";
  if (program.empty()) return Status::error(fmt::format("{}: is empty; {}", where, kExpected));
  if (hasFolder(program) || program == "." || program == "..")
    return Status::error(fmt::format("{}: is \"{}\"; {}", where, program, kExpected));
  return Status::ok();
}

Status checkFigures(const PolicyRecord& policy, const std::string& where) {
  if (policy.communicator_size > kMostRanks) {
    return Status::error(
        fmt::format("{}.communicator_size: is {}; expected 1 to {}", where, policy.communicator_size, kMostRanks));
  }
  if (!policy.gain || *policy.gain > 0.0) return Status::ok();
  return Status::error(fmt::format("{}.gain: is {}; expected native's time over that of the choice, which is above 0",
                                   where, *policy.gain));
}

Status checkLateness(const PolicyRecord& policy, const std::string& where) {
  for (std::size_t rank = 0; rank < policy.lateness_ns.size(); ++rank) {
    if (policy.lateness_ns[rank] >= 0) continue;
    return Status::error(fmt::format("{}.lateness_ns[{}]: is {}; expected 0, for on time, or more", where, rank,
                                     policy.lateness_ns[rank]));
  }
  return Status::ok();
}

Status checkSiteIdentity(const std::string& identity, const std::string& where) {
  constexpr std::string_view kLabel = "label:";
  constexpr std::string_view kAddress = "address:";
  const std::string_view text = identity;
  const bool is_label = text.starts_with(kLabel) && text.size() <= kLabel.size() + kLongestLabel + kNumberOfLabel;
  const bool is_known = text == "any" || text == "signature" || is_label ||
                        (text.starts_with(kAddress) && isAddress(text.substr(kAddress.size()))) ||
                        isPlaceInModule(text);
  if (is_known) return Status::ok();
  return Status::error(
      fmt::format("{}.site: is \"{}\"; expected \"label:NAME\", \"MODULE[BUILD ID]+0xOFFSET\", \"address:0xADDRESS\", "
                  "\"signature\" or \"any\"",
                  where, identity));
}

}  // namespace starling
