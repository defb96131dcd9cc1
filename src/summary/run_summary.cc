#include "summary/run_summary.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <utility>

#include "store/hosts.h"
#include "summary/arrival_summary.h"
#include "summary/candidate_summary.h"
#include "summary/communicator_names.h"

namespace starling {
namespace {

constexpr const char* kNativeName = "native";
// Epochs tell what native takes where the error of their mean is no greater share of it, and they are apart by no more
// than this factor.
constexpr double kMostError = 0.5;
constexpr double kMostApart = 2.0;
// Where allreduce takes less of a run there is nothing to be won.
constexpr double kLeastShare = 0.01;

using Observations = std::span<const ObservationRecord>;

// Returns the share of the time in calls that was spent before the last rank came.
std::optional<double> shareWaiting(Observations observations) {
  double waiting = 0.0;
  double elapsed = 0.0;
  for (const ObservationRecord& one : observations) {
    if (one.samples <= 0) continue;
    if (!one.elapsed_mean || !one.post_arrival_mean) return std::nullopt;
    waiting += static_cast<double>(one.samples) * (*one.elapsed_mean - *one.post_arrival_mean);
    elapsed += static_cast<double>(one.samples) * *one.elapsed_mean;
  }
  return elapsed > 0.0 ? std::optional(std::clamp(waiting / elapsed, 0.0, 1.0)) : std::nullopt;
}

const std::optional<double>& comparedMean(const ObservationRecord& one) {
  return one.post_arrival_mean ? one.post_arrival_mean : one.elapsed_mean;
}

// Returns what a call of the choice usually took: the median of the epochs' means by the number of their samples. A
// rank that was interrupted makes one call as long as a thousand others, whatever the choice.
std::optional<double> usualTime(Observations observations, const std::string& choice) {
  std::vector<std::pair<double, double>> means;  // with how many samples each has
  double samples = 0.0;
  for (const ObservationRecord& one : observations) {
    if (one.choice != choice || one.samples <= 0 || !comparedMean(one)) continue;
    means.emplace_back(*comparedMean(one), static_cast<double>(one.samples));
    samples += means.back().second;
  }
  std::ranges::sort(means);
  double seen = 0.0;
  for (const auto& [mean, of_mean] : means) {
    seen += of_mean;
    if (2.0 * seen >= samples) return mean;
  }
  return std::nullopt;
}

// Returns the standard error of a candidate's mean.
std::optional<double> errorOfMean(const CandidateSummary& candidate) {
  const std::optional<double>& deviation = candidate.compared().deviation;
  if (!deviation || candidate.samples < 2) return std::nullopt;
  return *deviation / std::sqrt(static_cast<double>(candidate.samples));
}

// What a call of native is taken to take, as seconds, and the standard error of what is saved beside it; empty: what it
// rests on was called once.
struct NativeTime {
  double mean = 0.0;
  std::optional<double> saved_error;
};

// Returns the error of what is saved where native is taken to take no more than in its longest epoch, and not what the
// gain says.
double errorOfCapped(Observations all, double most, double by_gain, double calls) {
  const double usual = usualTime(all, kNativeName).value_or(most);
  const std::optional<double> of_mean = errorOfMean(*findCandidate(summarizeCandidates(all), kNativeName));
  if (usual < most) return calls * std::max(most - usual, of_mean.value_or(0.0));
  // Of one call alone nothing is known but that the gain says otherwise.
  return calls * of_mean.value_or(by_gain - most);
}

// Returns what native took at most, as a mean over an epoch; empty: it was not called.
std::optional<double> mostOfNative(Observations all) {
  std::optional<double> most;
  for (const ObservationRecord& one : all) {
    if (one.choice == kNativeName) most = std::max(most, comparedMean(one));
  }
  return most;
}

// As the tuner knows it: by the gain of the choice in force, which is one of usual times; but no more than native took
// in any epoch, since interruptions of ranks may be in the choice's time and not in the gain. `calls` took the place of
// native's; `elsewhere` is what native took at most in such calls of other keys.
std::optional<NativeTime> nativeByGain(const KeyRecord& key, Observations all, Observations usual, double calls,
                                       const std::optional<double>& elsewhere) {
  const std::optional<double> chosen = usualTime(usual, key.choice);
  if (!chosen || !key.gain) return std::nullopt;
  NativeTime native{*chosen * *key.gain, std::nullopt};
  if (key.gain_error) native.saved_error = calls * *chosen * *key.gain_error;
  const std::optional<double> most = mostOfNative(all);
  // Then it is between what its calls usually took and that.
  if (most && *most < native.mean) native = {*most, errorOfCapped(all, *most, native.mean, calls)};
  // Other keys know nothing of ranks that were interrupted here; and what may be off by more than all of it is not
  // known.
  if (!most && native.mean > elsewhere.value_or(native.mean)) return std::nullopt;
  if (native.saved_error.value_or(0.0) > calls * native.mean) return std::nullopt;
  // The gain says that the choice takes less than native, and its calls that they took more: it was disturbed.
  if (*key.gain > 1.0 && native.mean < *chosen) return std::nullopt;
  return native;
}

// As its own calls in this run have shown, which may have been before arrivals changed.
std::optional<NativeTime> nativeByOwnCalls(Observations all, Observations usual, double calls) {
  const std::optional<double> usual_native = usualTime(all, kNativeName);
  if (!usual_native) return std::nullopt;
  NativeTime result{*usual_native, std::nullopt};
  const std::vector<CandidateSummary> candidates = summarizeCandidates(all);
  const std::optional<double> native_error = errorOfMean(*findCandidate(candidates, kNativeName));
  if (!native_error) return result;
  double squared_error = std::pow(calls * *native_error, 2);
  for (const CandidateSummary& one : summarizeCandidates(usual)) {
    if (one.choice == kNativeName || one.calls == 0) continue;
    const std::optional<double> error = errorOfMean(one);
    if (!error) return result;
    squared_error += std::pow(static_cast<double>(one.calls) * *error, 2);
  }
  result.saved_error = std::sqrt(squared_error);
  return result;
}

// Returns whether native's own calls scatter so much that they do not tell what native takes, as where ranks were
// interrupted in some of the few that there were: less than half of them are of epochs that agree, in themselves and
// with the usual one.
bool isNativeUnclear(Observations all) {
  const std::optional<double> usual = usualTime(all, kNativeName);
  if (!usual) return false;
  std::int64_t samples = 0;
  std::int64_t clear = 0;
  for (const ObservationRecord& one : all) {
    if (one.choice != kNativeName || one.samples <= 0 || !comparedMean(one)) continue;
    samples += one.samples;
    const double mean = *comparedMean(one);
    const double deviation = (one.post_arrival_mean ? one.post_arrival_deviation : one.elapsed_deviation).value_or(0.0);
    const bool agrees_in_itself = deviation <= kMostError * mean * std::sqrt(static_cast<double>(one.samples));
    if (agrees_in_itself && std::max(mean, *usual) <= kMostApart * std::min(mean, *usual)) clear += one.samples;
  }
  return 2 * clear < samples;
}

// What native took at most in the calls of a run, by their ranks, size class, type and operation.
class NativeOfRun {
 public:
  NativeOfRun(const Reader& reader, const std::vector<KeyRow>& keys) : reader_(reader), keys_(keys) {}

  // Returns it of calls like the key's; empty: native was called in none. All keys' observations are read when it is
  // asked first.
  Result<std::optional<double>> of(const KeyRow& key) {
    if (!is_read_) {
      for (const KeyRow& one : keys_) {
        const auto observations = reader_.observations(one.number);
        if (!observations.isOk()) return observations.status();
        std::optional<double>& most = most_[kindOf(one)];
        most = std::max(most, mostOfNative(observations.value()));
      }
      is_read_ = true;
    }
    return most_[kindOf(key)];
  }

 private:
  using Kind = std::tuple<std::int32_t, std::int32_t, std::string, std::string>;
  static Kind kindOf(const KeyRow& one) {
    const KeyId& id = one.key.id;
    return {one.communicator.size, id.size_class, id.type, id.operation};
  }

  const Reader& reader_;
  const std::vector<KeyRow>& keys_;
  std::map<Kind, std::optional<double>> most_;
  bool is_read_ = false;
};

// Returns whether what native takes in the key's calls is known by others' alone.
bool lacksNative(const KeyRecord& key, Observations observations) {
  return key.gain && key.choice != kNativeName && !mostOfNative(observations);
}

// Sets what the key's calls saved beside native, and what its trials took beyond that.
void compareWithNative(Observations observations, const std::optional<double>& elsewhere, KeySummary& summary) {
  const auto is_natives = [](const ObservationRecord& one) { return one.choice == kNativeName; };
  if (!observations.empty() && std::ranges::all_of(observations, is_natives)) {
    summary.saved = summary.saved_error = summary.exploring = 0.0;
    return;
  }
  std::vector<ObservationRecord> usual;  // calls that were no trials
  double calls = 0.0;                    // of them, that took the place of native's
  for (const ObservationRecord& one : observations) {
    if (one.exploration) continue;
    usual.push_back(one);
    if (one.choice != kNativeName) calls += static_cast<double>(one.calls);
  }
  const KeyRecord& key = summary.row.key;
  const bool is_native = key.choice == kNativeName;
  std::optional<NativeTime> native;
  if (isNativeUnclear(observations)) return;
  if (!is_native && key.gain) {
    native = nativeByGain(key, observations, usual, calls, elsewhere);
  } else if (is_native || calls > 0.0) {
    native = nativeByOwnCalls(observations, usual, calls);
  }
  // One call of native tells nothing: it may have been held up, and be as long as a hundred others.
  if (!native || (calls > 0.0 && !native->saved_error)) return;
  // The gain is of what calls take now; those of other choices were made when native took what its own calls show.
  const double native_before = usualTime(observations, kNativeName).value_or(native->mean);
  double saved = 0.0;
  double exploring = 0.0;
  std::map<std::string, std::optional<double>> usual_times;  // by choice
  for (const ObservationRecord& one : observations) {
    if (one.choice == kNativeName || !comparedMean(one)) continue;
    const double native_then = one.choice == key.choice ? native->mean : native_before;
    if (one.exploration) {
      exploring += static_cast<double>(one.calls) * (*comparedMean(one) - native_then);
      continue;
    }
    const auto [known, is_new] = usual_times.try_emplace(one.choice);
    if (is_new) known->second = usualTime(usual, one.choice);
    saved += static_cast<double>(one.calls) * (native_then - known->second.value_or(native_then));
  }
  summary.saved = saved;
  summary.exploring = exploring;
  summary.has_former_choices = usual_times.contains(key.choice) && usual_times.size() > 1;
  summary.saved_error = calls > 0.0 ? native->saved_error : std::optional(0.0);
}

// Adds up who came last, over all keys.
class Latest {
 public:
  // `waiting` is what all ranks of the key waited, together.
  void add(const KeyRecord& key, double waiting, std::span<const ArrivalRecord> arrivals,
           std::span<const HistogramRecord> histograms) {
    const auto timed = static_cast<double>(summarizeHistograms(histograms).samples);
    if (timed <= 0.0) return;
    calls_ += static_cast<double>(key.calls);
    for (const ArrivalRecord& one : arrivals) {
      if (!one.last || !one.world_rank) continue;
      const double share = static_cast<double>(*one.last) / timed;
      Rank& rank = ranks_[*one.world_rank];
      rank.calls += share * static_cast<double>(key.calls);
      rank.waiting += share * waiting;
    }
  }

  std::optional<LatestRank> found(const std::string& hosts) const {
    const auto latest = std::ranges::max_element(
        ranks_, [](const auto& a, const auto& b) { return a.second.waiting < b.second.waiting; });
    if (latest == ranks_.end() || latest->second.waiting <= 0.0 || calls_ <= 0.0) return std::nullopt;
    return LatestRank{latest->first, std::string(hostOf(hosts, latest->first)), latest->second.calls / calls_};
  }

 private:
  struct Rank {
    double calls = 0.0;    // in which it came last
    double waiting = 0.0;  // in them
  };
  std::map<std::int64_t, Rank> ranks_;  // by rank in MPI_COMM_WORLD
  double calls_ = 0.0;
};

bool isTuned(const KeyRecord& key) { return key.choice != kNativeName || key.exploration_calls > 0; }

// Adds what the run spent in calls that no key has. Where threads call at the same time, or all calls are taken to be
// like the few that were timed, sums are of more than the run took: then all are as much smaller.
void fitIntoRun(const Run& run, RunSummary& summary) {
  const double beside = run.beside_keys.seconds.value_or(0.0);
  if (beside > 0.0) {
    summary.seconds = summary.seconds.value_or(0.0) + beside;
    if (beside >= kLeastShare * *summary.seconds) summary.is_waiting_partial = true;
  }
  if (!summary.seconds || !run.seconds || *summary.seconds <= *run.seconds) return;
  const double share = *run.seconds / *summary.seconds;
  summary.seconds = run.seconds;
  summary.adds_up_to_more = true;
  for (std::optional<double>* sum : {&summary.waiting, &summary.saved, &summary.saved_error, &summary.exploring}) {
    if (*sum) **sum *= share;
  }
}

// Adds `part`, of which each of `share` of all ranks has so much; the sum is known where a part is.
void add(std::optional<double>& sum, const std::optional<double>& part, double share) {
  if (part) sum = sum.value_or(0.0) + share * *part;
}

}  // namespace

Result<RunSummary> summarizeRun(const Reader& reader, const RunRow& run) {
  Result<std::vector<KeyRow>> keys = reader.keys(run.number);
  if (!keys.isOk()) return keys.status();
  RunSummary summary;
  summary.run = run;
  Latest latest;
  double squared_error = 0.0;
  bool is_any_saved_known = false;  // of calls that took the place of native's
  const std::vector<std::string> communicators = communicatorNames(keys.value());
  NativeOfRun native_of_run(reader, keys.value());
  for (std::size_t i = 0; i < keys.value().size(); ++i) {
    const KeyRow& row = keys.value()[i];
    const auto observations = reader.observations(row.number);
    if (!observations.isOk()) return observations.status();
    const auto arrivals = reader.arrivals(row.number);
    if (!arrivals.isOk()) return arrivals.status();
    const auto histograms = reader.histograms(row.number);
    if (!histograms.isOk()) return histograms.status();
    KeySummary& key = summary.keys.emplace_back(KeySummary{.row = row, .communicator = communicators[i]});
    const KeyRecord& record = key.row.key;
    const std::optional<double> waiting = shareWaiting(observations.value());
    if (waiting && record.seconds) key.waiting = *waiting * *record.seconds;
    std::optional<double> elsewhere;
    if (lacksNative(record, observations.value())) {
      const Result<std::optional<double>> most = native_of_run.of(row);
      if (!most.isOk()) return most.status();
      elsewhere = most.value();
    }
    compareWithNative(observations.value(), elsewhere, key);
    const double share = static_cast<double>(key.row.communicator.size) / std::max(run.run.environment.ranks, 1);
    add(summary.seconds, record.seconds, share);
    add(summary.waiting, key.waiting, share);
    add(summary.saved, key.saved, share);
    add(summary.exploring, key.exploring, share);
    if (record.seconds && !key.waiting) summary.is_waiting_partial = true;
    if (key.saved && (*key.saved != 0.0 || key.saved_error != 0.0)) is_any_saved_known = true;
    if (!key.saved && isTuned(record)) ++summary.unclear_keys;
    squared_error += std::pow(share * key.saved_error.value_or(0.0), 2);
    latest.add(record, share * key.waiting.value_or(0.0), arrivals.value(), histograms.value());
  }
  // What other keys left to native saved is nothing, but that is not what one asks for.
  if (summary.unclear_keys > 0 && !is_any_saved_known) summary.saved.reset();
  if (summary.saved) summary.saved_error = std::sqrt(squared_error);
  fitIntoRun(run.run, summary);
  summary.latest = latest.found(run.run.hosts);
  return summary;
}

bool isWorthTelling(const RunSummary& summary) {
  if (!summary.seconds) return false;
  return !summary.run.run.seconds || *summary.seconds >= kLeastShare * *summary.run.run.seconds;
}

}  // namespace starling
