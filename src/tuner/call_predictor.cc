#include "tuner/call_predictor.h"

#include "simulator/simulated_choice.h"

namespace starling {
namespace {

constexpr std::size_t kScratchBytes = 1 << 20;

std::vector<Seconds> arrivalsOf(const CandidateQuery& query) {
  if (query.lateness_ns.empty()) return usualArrivals(query.unpredicted, query.shape.ranks);
  std::vector<Seconds> arrivals;
  for (const std::int64_t one : query.lateness_ns) arrivals.push_back(fromNanoseconds(one));
  return arrivals;
}

}  // namespace

CallPredictor::CallPredictor(const CandidateQuery& query)
    : query_(query),
      sizes_(sizesOfNodes(&query.topology, query.shape.ranks)),
      arrivals_(arrivalsOf(query)),
      scratch_(new std::byte[kScratchBytes]) {
  if (query.shape.ranks > kMostSimulatedRanks) sample_ = sampleOf(callOf(kNativeChoice, {}));
}

Shape CallPredictor::shape() const {
  Shape shape = query_.shape;
  shape.topology = &query_.topology;
  shape.node_sizes = &sizes_;
  return shape;
}

Seconds CallPredictor::predict(Choice choice, const Precision& precision) const {
  leaveWhole(choice);
  const Result<Seconds> time = predictPostArrivalTime(callOf(choice, precision));
  return time.isOk() ? time.value() : Seconds{};
}

CallToPredict CallPredictor::callOf(const Choice& choice, const Precision& precision) const {
  return {.choice = choice,
          .shape = shape(),
          .element_size = query_.element_size,
          .model = query_.model,
          .arrivals = arrivals_,
          .lateness_ns = query_.lateness_ns,
          .limit = precision.limit,
          .roughly_from = precision.roughly_from,
          .sample = sample_ ? &*sample_ : nullptr,
          .scratch = {scratch_.get(), kScratchBytes}};
}

Seconds predictPostArrival(const CandidateQuery& query, const Choice& choice) {
  if (choice.algorithm == kNativeAlgorithm) return {};
  return CallPredictor(query).predict(choice, {});
}

}  // namespace starling
