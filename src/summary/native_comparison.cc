#include "summary/native_comparison.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "summary/candidate_summary.h"

namespace starling {
namespace {

// Epochs tell what native takes where the error of their mean is no greater share of it, and they are apart by no more
// than this factor. Nor does a gain tell it whose error is a greater share.
constexpr double kMostError = 0.5;
constexpr double kMostApart = 2.0;

using Observations = std::span<const ObservationRecord>;

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
// gain says; empty: it was called once, which tells nothing.
std::optional<double> errorOfCapped(Observations all, double most, double calls) {
  const double usual = usualTime(all, kNativeName).value_or(most);
  const std::optional<double> of_mean = errorOfMean(*findCandidate(summarizeCandidates(all), kNativeName));
  if (usual < most) return calls * std::max(most - usual, of_mean.value_or(0.0));
  if (!of_mean) return std::nullopt;
  return calls * *of_mean;
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
  if (!chosen || !key.gain || key.gain_error.value_or(0.0) > kMostError * *key.gain) return std::nullopt;
  NativeTime native{*chosen * *key.gain, std::nullopt};
  if (key.gain_error) native.saved_error = calls * *chosen * *key.gain_error;
  const std::optional<double> most = mostOfNative(all);
  // Then it is between what its calls usually took and that.
  if (most && *most < native.mean) native = {*most, errorOfCapped(all, *most, calls)};
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

// `elsewhere` is what native took at most in such calls of other keys.
void setSaved(Observations observations, const std::optional<double>& elsewhere, KeySummary& summary) {
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
  summary.has_own_calls = usual_times.contains(key.choice);
  summary.has_former_choices = usual_times.size() > (summary.has_own_calls ? 1 : 0);
  summary.saved_error = calls > 0.0 ? native->saved_error : std::optional(0.0);
}

}  // namespace

// Calls of as many ranks, and of vectors of one size class, type and operation.
NativeComparison::Kind NativeComparison::kindOf(const KeyRow& key) {
  const KeyId& id = key.key.id;
  return {key.communicator.size, id.size_class, id.type, id.operation};
}

// Returns what native took at most in such calls of any key, as a mean over an epoch; empty: it was called in none.
Result<std::optional<double>> NativeComparison::mostInCallsLike(const KeyRow& key) {
  if (!most_) {
    std::map<Kind, std::optional<double>> found;
    for (const KeyRow& one : keys_) {
      const auto observations = reader_.observations(one.number);
      if (!observations.isOk()) return observations.status();
      std::optional<double>& most = found[kindOf(one)];
      most = std::max(most, mostOfNative(observations.value()));
    }
    most_ = std::move(found);
  }
  return most_->at(kindOf(key));
}

Status NativeComparison::compare(Observations observations, KeySummary& summary) {
  const KeyRecord& key = summary.row.key;
  std::optional<double> elsewhere;
  if (key.gain && key.choice != kNativeName && !mostOfNative(observations)) {
    const Result<std::optional<double>> most = mostInCallsLike(summary.row);
    if (!most.isOk()) return most.status();
    elsewhere = most.value();
  }
  setSaved(observations, elsewhere, summary);
  return Status::ok();
}

}  // namespace starling
