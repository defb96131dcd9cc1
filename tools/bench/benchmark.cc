#include "benchmark.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "base/options.h"
#include "mpi/machine/probe.h"
#include "mpi/machine/topology.h"
#include "native_selection.h"
#include "pause.h"
#include "random.h"
#include "starling/starling.h"

namespace starling::bench {
namespace {

// This long after the agreement on a start the start comes: every rank has heard of it by then.
constexpr Seconds kStartMargin{5e-3};
// Proficz 2018 (figure 9) computes this long beside the delay, so that announcements are through in time.
constexpr Seconds kUsualCompute{0.1};
// Half of the computation is done when the arrival is announced.
constexpr double kEdgeFraction = 0.5;

// Returns what STARLING_LINKS says on rank 0.
std::string agreedLinks() {
  std::string links = parseEnvironment().options.links;
  auto length = static_cast<int>(links.size());
  PMPI_Bcast(&length, 1, MPI_INT, 0, MPI_COMM_WORLD);
  links.resize(static_cast<std::size_t>(length));
  PMPI_Bcast(links.data(), length, MPI_CHAR, 0, MPI_COMM_WORLD);
  return links;
}

// No message of the benchmark has this tag.
constexpr int kIdleTag = 32'000;

}  // namespace

Benchmark::Benchmark(const Arguments& arguments, const Clock& clock, CommonTime& time, Workload& workload)
    : arguments_(arguments), clock_(clock), time_(time), workload_(workload) {
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks_);
  phases_ = phasesOf(arguments.pattern, ranks_, arguments.late_rank);
  recorded_ = joinedPatterns(arguments.recorded, static_cast<std::size_t>(arguments.iterations));
  // What the user knows is better than a probe.
  topology_ = gatherTopology(MPI_COMM_WORLD, agreedLinks(), clock_);
  node_ = shareMemory(MPI_COMM_WORLD, kIdleTag, topology_);
  model_ = probeCosts(MPI_COMM_WORLD, topology_, clock_, node_.get());
  probed_ = model_;
  if (arguments.alpha) model_.alpha = *arguments.alpha;
  if (arguments.beta_ns) model_.beta = 1e-9 * *arguments.beta_ns;
}

int Benchmark::run(const std::function<void(std::span<const Summary>)>& report) {
  if (!channel_.open(true, Channel::Creation::kMayBegin)) return MPI_ERR_COMM;
  const auto settings = static_cast<std::int64_t>(arguments_.counts.size() * arguments_.delays_ms.size());
  const auto subjects = static_cast<std::int64_t>(arguments_.algorithms.size());
  progress_ = std::make_unique<Progress>(settings * subjects * arguments_.iterations, rank_ == 0 && !arguments_.quiet);
  std::uint64_t number = 0;
  for (const std::int64_t count : arguments_.counts) {
    for (const double delay_ms : arguments_.delays_ms) {
      const Setting setting{count, delay_ms};
      if (const int code = runSetting(setting, number++); code != MPI_SUCCESS) return code;
      std::vector<Summary> summaries;
      for (const Series& series : series_) summaries.push_back(summarise(series, setting));
      relateToRing(summaries, arguments_.beta_ns);
      if (rank_ == 0) report(summaries);
      series_.clear();
    }
  }
  return MPI_SUCCESS;
}

int Benchmark::runSetting(const Setting& setting, std::uint64_t number) {
  time_.synchronise();
  const std::size_t bytes = static_cast<std::size_t>(setting.count * workload_.elementSize().value);
  input_.assign(bytes, std::byte{});
  result_.assign(bytes, std::byte{});
  const SubjectServices services{MPI_COMM_WORLD, &channel_,  &workload_,  model_,
                                 probed_,        &topology_, node_.get(), arguments_.collective};
  const std::string label =
      fmt::format("{} {} {} ms", setting.count, formatPattern(arguments_.pattern), setting.delay_ms);
  for (const std::string& text : arguments_.algorithms) {
    series_.emplace_back(ranks_).subject =
        makeSubject(parseSubject(arguments_.collective, text).value(), setting.count, label, services);
  }
  for (Series& series : series_) {
    if (const int code = warmUp(series, setting, number); code != MPI_SUCCESS) return code;
  }
  if (!arguments_.as_program) return runInTurns(setting, number);
  for (Series& series : series_) {
    if (const int code = runAsProgram(series, setting, number); code != MPI_SUCCESS) return code;
  }
  return MPI_SUCCESS;
}

int Benchmark::runInTurns(const Setting& setting, std::uint64_t number) {
  for (std::int32_t iteration = 0; iteration < arguments_.iterations; ++iteration) {
    for (Series& series : series_) {
      CallResult result;
      const auto call = static_cast<std::uint64_t>(iteration);
      if (const int code = measure(series, setting, number, call, result); code != MPI_SUCCESS) return code;
      keep(series, result);
    }
  }
  return MPI_SUCCESS;
}

int Benchmark::runAsProgram(Series& series, const Setting& setting, std::uint64_t number) {
  const Seconds begin = agreeOnStart();
  Seconds start = begin;
  std::vector<OwnResult> calls(static_cast<std::size_t>(arguments_.iterations));
  for (std::size_t call = 0; call < calls.size(); ++call) {
    if (const int code = makeCall(series, setting, number, call, start, calls[call]); code != MPI_SUCCESS) return code;
    start = fromNanoseconds(calls[call].exit_ns);
  }
  // Telling each other before would bring the ranks together.
  for (const OwnResult& own : calls) {
    const CallResult result = collect(own);
    series.wrong += result.wrong;
    keep(series, result);
  }
  const double mine = (start - begin).value;
  double longest = 0.0;
  PMPI_Allreduce(&mine, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  series.loop = Seconds{longest};
  return MPI_SUCCESS;
}

void Benchmark::keep(Series& series, const CallResult& result) {
  series.elapsed.push_back(result.times.elapsed);
  series.post_arrival.push_back(result.times.post_arrival);
  if (result.modelled) series.modelled.push_back(*result.modelled);
  progress_->advance();
}

int Benchmark::warmUp(Series& series, const Setting& setting, std::uint64_t number) {
  // What learning costs when the pattern changes is what phases show, and a program's loop holds it, too: a subject
  // that learns meets them with its first call.
  const bool shows_learning =
      arguments_.from_first_call || arguments_.as_program || arguments_.pattern.kind == PatternKind::kPhases;
  if (shows_learning && series.subject->needsMoreWarmup()) return MPI_SUCCESS;
  while (series.warmup_calls < arguments_.warmup || series.subject->needsMoreWarmup()) {
    CallResult result;
    // These calls have numbers that no measured call has.
    const auto call = std::numeric_limits<std::uint32_t>::max() + static_cast<std::uint64_t>(series.warmup_calls);
    if (const int code = measure(series, setting, number, call, result); code != MPI_SUCCESS) return code;
    ++series.warmup_calls;
  }
  return MPI_SUCCESS;
}

int Benchmark::measure(Series& series, const Setting& setting, std::uint64_t number, std::uint64_t call,
                       CallResult& result) {
  OwnResult own;
  if (const int code = makeCall(series, setting, number, call, std::nullopt, own); code != MPI_SUCCESS) return code;
  result = collect(own);
  series.wrong += result.wrong;
  series.learned.observe(result.lateness);
  return MPI_SUCCESS;
}

std::vector<Seconds> Benchmark::latenessOf(const Setting& setting, std::uint64_t seed, std::uint64_t call) const {
  const auto calls = static_cast<std::uint64_t>(arguments_.iterations);
  if (arguments_.pattern.kind == PatternKind::kRecorded) {
    return patternOfCall(recorded_, call % calls, calls).lateness;
  }
  const Phase& phase = phases_[phaseOfCall(call, calls, phases_.size())];
  return latenesses(phase.pattern, ranks_, Seconds{1e-3 * setting.delay_ms}, phase.first_late, seedOf(seed, call));
}

int Benchmark::makeCall(Series& series, const Setting& setting, std::uint64_t number, std::uint64_t call,
                        const std::optional<Seconds>& start, OwnResult& own) {
  const std::uint64_t seed = seedOf(arguments_.seed, number);
  const std::vector<Seconds> lateness = latenessOf(setting, seed, call);
  Subject& subject = *series.subject;
  if (!subject.prepare(forecastFor(lateness, series.learned))) return MPI_ERR_NO_MEM;
  if (arguments_.model && rank_ == 0) own.modelled = subject.predict(lateness);
  workload_.fill(seed, call, rank_, input_);
  // Otherwise what the previous algorithm has left there would count as right.
  std::fill(result_.begin(), result_.end(), std::byte{0xff});
  if (arguments_.collective == Collective::kBcast && rank_ == kRoot) result_ = input_;
  compute(setting, start ? *start : agreeOnStart(), lateness[static_cast<std::size_t>(rank_)], subject);

  own.arrival_ns = clock_.nanoseconds();
  const int code = subject.run({input_.data(), result_.data(), static_cast<int>(setting.count)});
  own.exit_ns = clock_.nanoseconds();

  if (code == MPI_SUCCESS) own.wrong = countWrong(seed, call);
  return code;
}

Forecast Benchmark::forecastFor(std::span<const Seconds> lateness, const ArrivalPredictor& learned) const {
  switch (arguments_.predict) {
    case Predict::kPerfect:
      return forecastOf(lateness, Seconds{});
    case Predict::kWrong:
      return forecastOf(misplaced(lateness), Seconds{});
    case Predict::kNone:
      return forecastOf(std::vector<Seconds>(lateness.size()), Seconds{});
    case Predict::kLearned:
    case Predict::kAnnounced:
      break;
  }
  const ArrivalPrediction prediction = learned.predict();
  const Seconds noise =
      prediction.error.empty() ? Seconds{} : *std::max_element(prediction.error.begin(), prediction.error.end());
  return forecastOf(prediction.lateness, noise);
}

Seconds Benchmark::agreeOnStart() {
  PMPI_Barrier(MPI_COMM_WORLD);
  const double mine = time_.now().value;
  double latest = 0.0;
  PMPI_Allreduce(&mine, &latest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return time_.toLocal(Seconds{latest} + kStartMargin);
}

void Benchmark::compute(const Setting& setting, Seconds start, Seconds lateness, const Subject& subject) {
  const Seconds usual = Seconds{1e-3 * setting.delay_ms} + kUsualCompute;
  const Seconds duration = arguments_.compute.value_or(usual) + lateness;
  pauseUntil(clock_, start);
  const bool announces = arguments_.announce && subject.wantsAnnouncements();
  if (announces) starling_edge(MPI_COMM_WORLD, 0.0);
  pauseUntil(clock_, start + kEdgeFraction * duration);
  if (announces) starling_edge(MPI_COMM_WORLD, kEdgeFraction);
  pauseUntil(clock_, start + duration);
}

std::int64_t Benchmark::countWrong(std::uint64_t seed, std::uint64_t call) {
  if (arguments_.collective == Collective::kReduce && rank_ != kRoot) return 0;
  if (arguments_.collective != Collective::kBcast) return workload_.countWrong(seed, call, ranks_, result_);
  workload_.fill(seed, call, kRoot, input_);
  const auto size = static_cast<std::size_t>(workload_.elementSize().value);
  std::int64_t wrong = 0;
  for (std::size_t at = 0; at < input_.size(); at += size) {
    wrong += std::memcmp(&input_[at], &result_[at], size) == 0 ? 0 : 1;
  }
  return wrong;
}

Benchmark::CallResult Benchmark::collect(const OwnResult& own) {
  struct Stamps {
    double arrival;
    double exit;
    double wrong;
  };
  const Stamps mine{time_.of(own.arrival_ns).value, time_.of(own.exit_ns).value, static_cast<double>(own.wrong)};
  std::vector<Stamps> all(static_cast<std::size_t>(ranks_));
  // MPI_Allgather is avoided, because its messages grow with the square of the ranks in some libraries.
  PMPI_Gather(&mine, 3, MPI_DOUBLE, all.data(), 3, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  // A rank that is still in the call that is measured has selected what answers that.
  selectUsual(arguments_.collective);
  PMPI_Bcast(all.data(), 3 * ranks_, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  CallResult result;
  result.modelled = own.modelled;
  std::vector<Seconds> arrivals;
  std::vector<Seconds> exits;
  for (const Stamps& stamps : all) {
    arrivals.push_back({stamps.arrival});
    exits.push_back({stamps.exit});
    result.wrong += static_cast<std::int64_t>(stamps.wrong);
  }
  result.times = callTimes(arrivals, exits);
  if (arguments_.collective == Collective::kReduce) {
    // The other ranks leave a reduction before the result is there, so the root's exit counts.
    result.times.post_arrival = exits[kRoot] - *std::max_element(arrivals.begin(), arrivals.end());
  }
  const Seconds earliest = *std::min_element(arrivals.begin(), arrivals.end());
  for (const Seconds of_rank : arrivals) result.lateness.push_back(of_rank - earliest);
  return result;
}

Summary Benchmark::summarise(const Series& series, const Setting& setting) {
  Summary summary;
  summary.algorithm = series.subject->algorithm();
  summary.choice = series.subject->choice();
  summary.setting = setting;
  summary.bytes = setting.count * workload_.elementSize().value;
  summary.chosen = series.subject->chosen();
  const Predict tuned_knows = arguments_.announce ? Predict::kAnnounced : Predict::kLearned;
  summary.predict = summary.chosen ? tuned_knows : arguments_.predict;
  summary.settled = series.subject->isSettled();
  summary.elapsed = distributionOf(series.elapsed);
  summary.post_arrival = distributionOf(series.post_arrival);
  if (arguments_.pattern.kind == PatternKind::kPhases) summary.phases = sumsOfPhases(phases_, series.post_arrival);
  if (arguments_.from_first_call) summary.elapsed_each = series.elapsed;
  summary.loop = series.loop;
  if (!series.modelled.empty()) summary.modelled = distributionOf(series.modelled).mean;
  const std::optional<Traffic> traffic = series.subject->traffic();
  summary.messages = perRank(traffic ? traffic->messages : 0, traffic.has_value());
  summary.bytes_sent = perRank(traffic ? traffic->bytes : 0, traffic.has_value());
  summary.wrong_elements = series.wrong;
  summary.warmup_calls = series.warmup_calls;
  return summary;
}

std::optional<PerRank> Benchmark::perRank(std::int64_t value, bool known) {
  if (!known) return std::nullopt;
  std::int64_t sum = 0;
  PerRank figures;
  PMPI_Reduce(&value, &sum, 1, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  PMPI_Reduce(&value, &figures.maximum, 1, MPI_INT64_T, MPI_MAX, 0, MPI_COMM_WORLD);
  figures.mean = static_cast<double>(sum) / ranks_;
  return figures;
}

}  // namespace starling::bench
