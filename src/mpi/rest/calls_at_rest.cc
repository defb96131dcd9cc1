#include "mpi/rest/calls_at_rest.h"

#include <algorithm>

#include "mpi/execution/call_kind.h"
#include "mpi/execution/datatypes.h"

namespace starling {
namespace {

// After so long the ranks agree all the same.
constexpr std::int64_t kLongestNs = 100'000'000;
// No rest is so short, which a rank says to end it.
constexpr std::int64_t kAsksForEndNs = 0;

}  // namespace

// How long it is differs from epoch to epoch, so that a program with a rhythm is not always looked at at the same beat.
void CallsAtRest::plan(std::int32_t most, std::int64_t epoch, const KeyTable& keys) {
  const std::uint64_t hash = mixHash(0, static_cast<std::uint64_t>(epoch));
  stretch_.plan(most > 0 ? most - static_cast<std::int32_t>(hash % static_cast<std::uint64_t>(most / 8 + 1)) : 0);
  if (most > 0) keys_.refresh(keys);
}

void CallsAtRest::begin(std::int64_t now_ns) {
  stretch_.begin();
  has_rested_ = true;
  since_ns_ = now_ns;
}

const RestingCall* CallsAtRest::learn(int count, MPI_Datatype datatype, MPI_Op op) {
  const CallKind kind = classifyCall(count, datatype, op);
  const Key any = keyOf(kAnySite, kind.signature);
  const Choice* const choice = keys_.choiceAtRest(any);
  if (choice == nullptr) return nullptr;
  unremembered_ = {any, kind.signature.bytes(), *choice, kind.reducer, kind.signature.commutative};
  if (arePredefined(datatype, op)) stretch_.remember(count, datatype, op, unremembered_);
  return &unremembered_;
}

std::int64_t CallsAtRest::tell(std::int64_t now_ns, bool asks_for_end) {
  stretch_.goOnBriefly();
  return asks_for_end ? kAsksForEndNs : std::max(now_ns - since_ns_, kAsksForEndNs + 1);
}

void CallsAtRest::hear(std::int64_t shortest_ns) {
  if (shortest_ns > kLongestNs || shortest_ns == kAsksForEndNs) return stretch_.end();
  stretch_.goOn();
}

}  // namespace starling
