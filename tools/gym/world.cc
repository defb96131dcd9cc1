#include "world.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "random.h"
#include "staircase.h"

namespace starling::gym {
namespace {

constexpr std::int32_t kDouble = 8;
constexpr std::size_t kPool = 16;     // patterns, where calls differ
constexpr std::int32_t kPeriod = 50;  // calls between two checkpoints
constexpr std::int32_t kShortKey = 30;
constexpr std::int32_t kShortLife = 20;
constexpr double kJitter = 0.03;  // of a lateness
constexpr std::array<std::int32_t, 15> kRanks{2, 3, 4, 5, 8, 8, 16, 16, 24, 32, 48, 64, 128, 1024, 4096};

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed) {}

  double between(double low, double high) { return low + (high - low) * random_.uniform(); }
  double logarithmic(double low, double high) { return std::exp(between(std::log(low), std::log(high))); }
  double normal() {
    return std::sqrt(-2.0 * std::log(random_.uniform())) * std::cos(2.0 * std::numbers::pi * random_.uniform());
  }
  double factor(double deviation) { return std::exp(deviation * normal()); }
  std::int32_t below(std::int32_t bound) {
    return static_cast<std::int32_t>(random_.below(static_cast<std::uint64_t>(bound)));
  }
  bool happens(double probability) { return random_.uniform() <= probability; }

 private:
  Random random_;
};

CostModel drawModel(Dice& dice) {
  CostModel model;
  model.alpha = {dice.logarithmic(1e-6, 5e-5)};
  model.beta = dice.logarithmic(1e-10, 1e-8);
  model.gamma = dice.logarithmic(1e-11, 1e-9);
  model.overhead = 0.3 * model.alpha;
  return model;
}

CostModel probed(const CostModel& truth, Dice& dice) {
  constexpr double kError = 0.3;  // of the logarithm
  CostModel model = truth;
  model.alpha = dice.factor(kError) * model.alpha;
  model.beta *= dice.factor(kError);
  model.gamma *= dice.factor(kError);
  model.overhead = 0.3 * model.alpha;
  return model;
}

void drawFactors(Machine& machine, Dice& dice) {
  constexpr double kRowError = 0.15;  // of the logarithm
  machine.native_factor = dice.logarithmic(0.4, 2.5);
  for (double& factor : machine.row_factors) factor = dice.factor(kRowError);
}

Noise drawNoise(NoiseKind kind, Dice& dice) {
  Noise noise{.kind = kind};
  switch (kind) {
    case NoiseKind::kNone:
      break;
    case NoiseKind::kLogNormal:
      noise.deviation = dice.between(0.05, 0.3);
      break;
    case NoiseKind::kNormal:
    case NoiseKind::kCorrelated:
    case NoiseKind::kElapsedOnly:
      noise.deviation = dice.between(0.02, 0.1);
      break;
    case NoiseKind::kOutliers:
    case NoiseKind::kNeighbour:
    case NoiseKind::kCoarseClock:
      noise.deviation = 0.03;
      break;
  }
  return noise;
}

// Draws the noise of all calls.
class NoiseOfCalls {
 public:
  NoiseOfCalls(const Noise& noise, Dice& dice) : noise_(noise), dice_(dice) {}

  void drawInto(WorldCall& call) {
    const double common = noise_.deviation * dice_.normal();
    switch (noise_.kind) {
      case NoiseKind::kNormal:
      case NoiseKind::kElapsedOnly:
        call.noise = std::max(1.0 + common, 0.2);
        break;
      case NoiseKind::kCorrelated:
        state_ = 0.95 * state_ + std::sqrt(1.0 - 0.95 * 0.95) * common;
        call.noise = std::exp(state_);
        break;
      case NoiseKind::kOutliers:
        call.noise = std::exp(common) * (dice_.happens(0.01) ? 10.0 : 1.0);
        break;
      case NoiseKind::kNeighbour:
        if (dice_.happens(is_busy_ ? 0.03 : 0.01)) is_busy_ = !is_busy_;
        call.noise = std::exp(common) * (is_busy_ ? 1.5 : 1.0);
        // What falls on one of the ranks holds up all, now more and now less.
        call.noise_in_step = call.noise * (is_busy_ ? 1.5 * std::exp(0.5 * std::abs(dice_.normal())) : 1.0);
        return;
      case NoiseKind::kNone:
      case NoiseKind::kLogNormal:
      case NoiseKind::kCoarseClock:
        call.noise = std::exp(common);
        break;
    }
    call.noise_in_step = call.noise;
  }

 private:
  const Noise& noise_;
  Dice& dice_;
  double state_ = 0.0;
  bool is_busy_ = false;
};

// Makes the latenesses of a world, of which a rank is late by `late`.
class Patterns {
 public:
  Patterns(World& world, Seconds late, Dice& dice) : world_(world), late_(late), dice_(dice) {}

  void draw() {
    const std::int32_t first = dice_.below(world_.ranks);
    switch (world_.arrivals) {
      case ArrivalKind::kBalanced:
      case ArrivalKind::kSlowerMachine:
      case ArrivalKind::kOtherAlgorithm:
        add(onTime());
        break;
      case ArrivalKind::kOneLate:
        addJittered(first, 1.0);
        break;
      case ArrivalKind::kStaircase:
        addStaircases();
        break;
      case ArrivalKind::kTwoSites:
        addJittered(first, 1.0);
        addJittered(first, 0.002);
        break;
      case ArrivalKind::kRandomRank:
        for (std::size_t i = 0; i < kPool; ++i) add(late(dice_.below(world_.ranks), 1.0));
        break;
      case ArrivalKind::kAllRandom:
        addRandom();
        break;
      case ArrivalKind::kDrift:
        for (std::size_t i = 0; i < kPool; ++i) add(late(first, 2.0 * static_cast<double>(i + 1) / kPool));
        break;
      case ArrivalKind::kMovedRank:
        addJittered(first, 1.0);
        addJittered((first + 1 + dice_.below(std::max(world_.ranks - 1, 1))) % world_.ranks, 1.0);
        break;
      case ArrivalKind::kBecomesLate:
        addJittered(first, 0.0);
        addJittered(first, 1.0);
        break;
      case ArrivalKind::kLateNoMore:
        addJittered(first, 1.0);
        addJittered(first, 0.0);
        break;
      case ArrivalKind::kPeriodic:
        add(onTime());
        add(late(0, 20.0));
        break;
      case ArrivalKind::kAlternating:
        addJittered(first, 1.0);
        addJittered((first + 1) % world_.ranks, 1.0);
        break;
    }
  }

  // Returns the pattern of a call.
  std::int32_t of(std::size_t call, const WorldCall& made, bool has_changed, std::size_t calls) {
    const std::int32_t chance = dice_.below(kPool);
    switch (world_.arrivals) {
      case ArrivalKind::kBalanced:
      case ArrivalKind::kSlowerMachine:
      case ArrivalKind::kOtherAlgorithm:
        return 0;
      case ArrivalKind::kOneLate:
      case ArrivalKind::kStaircase:
      case ArrivalKind::kRandomRank:
      case ArrivalKind::kAllRandom:
        return chance;
      case ArrivalKind::kTwoSites:
        return made.key % 2 * static_cast<std::int32_t>(kPool) + chance;
      case ArrivalKind::kDrift:
        return static_cast<std::int32_t>(call * kPool / calls);
      case ArrivalKind::kMovedRank:
      case ArrivalKind::kBecomesLate:
      case ArrivalKind::kLateNoMore:
        return (has_changed ? static_cast<std::int32_t>(kPool) : 0) + chance;
      case ArrivalKind::kPeriodic:
        return call % kPeriod == kPeriod - 1 ? 1 : 0;
      case ArrivalKind::kAlternating:
        return static_cast<std::int32_t>(call % 2 * kPool) + chance;
    }
    return 0;
  }

 private:
  std::vector<Seconds> onTime() const { return std::vector<Seconds>(static_cast<std::size_t>(world_.ranks)); }
  std::vector<Seconds> late(std::int32_t rank, double times) const {
    std::vector<Seconds> lateness = onTime();
    lateness[static_cast<std::size_t>(rank)] = times * late_;
    return lateness;
  }
  // Lateness counts from the first to arrive.
  void add(std::vector<Seconds> arrivals) {
    const Seconds earliest = *std::ranges::min_element(arrivals);
    for (Seconds& one : arrivals) one = one - earliest;
    world_.patterns.push_back(std::move(arrivals));
  }
  void addJittered(std::int32_t rank, double times) {
    for (std::size_t i = 0; i < kPool; ++i) add(late(rank, times * dice_.factor(kJitter)));
  }
  void addStaircases() {
    for (std::size_t i = 0; i < kPool; ++i) {
      std::vector<Seconds> lateness = onTime();
      for (std::size_t rank = 0; rank < lateness.size(); ++rank) {
        lateness[rank] = staircaseStep(rank, lateness.size()) * dice_.factor(kJitter) * late_;
      }
      add(std::move(lateness));
    }
  }
  void addRandom() {
    for (std::size_t i = 0; i < kPool; ++i) {
      std::vector<Seconds> lateness = onTime();
      for (Seconds& one : lateness) one = dice_.between(0.0, 1.0) * late_;
      add(std::move(lateness));
    }
  }

  World& world_;
  Seconds late_;
  Dice& dice_;
};

Signature signatureOf(std::int64_t bytes) {
  return {.count = (bytes + kDouble - 1) / kDouble, .element_size = kDouble};
}

void drawKeys(World& world, std::int32_t calls, Dice& dice) {
  const std::int64_t bytes = std::int64_t{8} << dice.below(24);
  const auto addKey = [&](std::int64_t bytes_of_key) {
    world.keys.push_back({0x1000 + world.keys.size(), signatureOf(bytes_of_key)});
  };
  addKey(bytes);
  switch (world.program) {
    case ProgramKind::kOneKey:
    case ProgramKind::kShortLives:
      break;
    case ProgramKind::kFortyKeys:
      while (world.keys.size() < 40) addKey(bytes);
      break;
    case ProgramKind::kTwoSizes:
      world.keys.push_back({world.keys.front().line, signatureOf(bytes - bytes / 3)});
      break;
    case ProgramKind::kShortKeys:
      while (static_cast<std::int32_t>(world.keys.size()) * kShortKey < calls) addKey(bytes);
      break;
    case ProgramKind::kLateKeys:
      addKey(std::max<std::int64_t>(bytes / 8, 8));
      break;
  }
  if (world.arrivals == ArrivalKind::kTwoSites && world.keys.size() == 1) addKey(bytes);
}

std::int32_t keyOfCall(const World& world, std::int32_t call, std::int32_t calls) {
  const auto keys = static_cast<std::int32_t>(world.keys.size());
  switch (world.program) {
    case ProgramKind::kShortKeys:
      return call / kShortKey;
    case ProgramKind::kLateKeys:
      return call < 3 * calls / 10 ? 0 : call % 2;
    case ProgramKind::kOneKey:
    case ProgramKind::kShortLives:
    case ProgramKind::kFortyKeys:
    case ProgramKind::kTwoSizes:
      break;
  }
  return call % keys;
}

// Returns about how long a call takes, by which latenesses are measured.
Seconds usualTime(const CostModel& model, std::int32_t ranks, std::int64_t bytes) {
  const double rounds = std::log2(static_cast<double>(ranks)) + 1.0;
  return rounds * model.alpha + Seconds{2.0 * model.beta * static_cast<double>(bytes)};
}

bool changesMachine(ArrivalKind kind) {
  return kind == ArrivalKind::kSlowerMachine || kind == ArrivalKind::kOtherAlgorithm;
}

void drawMachines(World& world, const Machine& machine, Dice& dice) {
  world.machines.push_back(machine);
  if (!changesMachine(world.arrivals)) return;
  Machine changed = machine;
  if (world.arrivals == ArrivalKind::kOtherAlgorithm) {
    drawFactors(changed, dice);
  } else {
    constexpr double kSlower = 2.0;  // native, too, which is a multiple of rows
    for (double& factor : changed.row_factors) factor *= kSlower;
  }
  world.machines.push_back(changed);
}

// Other worlds stay as they are, whatever kind is added.
ArrivalKind kindOfArrivals(std::uint64_t seed) {
  constexpr std::uint64_t kRound = kArrivalKinds * kNoiseKinds * (2 * kProgramKinds - 1);
  const auto kind = static_cast<ArrivalKind>(seed % kArrivalKinds);
  if (seed / kRound % 2 == 0) return kind;
  switch (kind) {
    case ArrivalKind::kBalanced:
      return ArrivalKind::kBecomesLate;
    case ArrivalKind::kOneLate:
      return ArrivalKind::kLateNoMore;
    case ArrivalKind::kPeriodic:
      return ArrivalKind::kAlternating;
    default:
      return kind;
  }
}

void drawCalls(World& world, Patterns& patterns, std::int32_t calls, Dice& dice) {
  constexpr double kWarmUp = 1.0;  // of a call's time, in the first call
  constexpr double kWarmingCalls = 2.0;
  const double warm_up = dice.happens(0.3) ? kWarmUp : 0.0;
  NoiseOfCalls noise(world.noise, dice);
  for (std::int32_t i = 0; i < calls; ++i) {
    WorldCall& call = world.calls.emplace_back();
    call.key = keyOfCall(world, i, calls);
    const bool has_changed = world.change > 0 && i >= world.change;
    call.machine = has_changed && changesMachine(world.arrivals) ? 1 : 0;
    call.communicator = world.program == ProgramKind::kShortLives ? i / kShortLife : 0;
    call.pattern = patterns.of(static_cast<std::size_t>(i), call, has_changed, static_cast<std::size_t>(calls));
    call.warm_up = 1.0 + warm_up * std::exp(-i / kWarmingCalls);
    noise.drawInto(call);
  }
}

}  // namespace

bool movesArrivals(ArrivalKind kind) {
  return kind == ArrivalKind::kMovedRank || kind == ArrivalKind::kBecomesLate || kind == ArrivalKind::kLateNoMore;
}

const char* nameOf(ArrivalKind kind) {
  constexpr std::array kNames{"balanced",        "one late",     "staircase",    "two sites",  "random rank",
                              "all random",      "drift",        "moved rank",   "periodic",   "slower machine",
                              "other algorithm", "becomes late", "late no more", "alternating"};
  static_assert(kNames.size() == kArrivalKinds + 3);
  return kNames[static_cast<std::size_t>(kind)];
}

const char* nameOf(NoiseKind kind) {
  constexpr std::array kNames{"none",     "normal",    "log-normal",   "correlated",
                              "outliers", "neighbour", "coarse clock", "elapsed only"};
  static_assert(kNames.size() == kNoiseKinds);
  return kNames[static_cast<std::size_t>(kind)];
}

const char* nameOf(ProgramKind kind) {
  constexpr std::array kNames{"one key", "40 keys", "two sizes", "short keys", "late keys", "short lives"};
  static_assert(kNames.size() == kProgramKinds);
  return kNames[static_cast<std::size_t>(kind)];
}

std::string World::describe() const {
  return fmt::format("{} ranks, {} bytes, {}, {} noise, {}", ranks, keys.front().signature.bytes(), nameOf(arrivals),
                     nameOf(noise.kind), nameOf(program));
}

World makeWorld(std::uint64_t seed, std::int32_t calls) {
  Dice dice(seedOf(seed, 1));
  World world;
  world.seed = seed;
  world.arrivals = kindOfArrivals(seed);
  world.noise = drawNoise(static_cast<NoiseKind>(seed / kArrivalKinds % kNoiseKinds), dice);
  // Half of all programs have one key: what is learned there is learned elsewhere, too.
  const std::uint64_t program = seed / (kArrivalKinds * kNoiseKinds) % (2 * kProgramKinds - 1);
  world.program = static_cast<ProgramKind>(program < kProgramKinds ? program : 0);
  world.ranks = kRanks[static_cast<std::size_t>(dice.below(kRanks.size()))];
  Machine machine{.model = drawModel(dice)};
  drawFactors(machine, dice);
  world.belief = probed(machine.model, dice);
  drawMachines(world, machine, dice);
  drawKeys(world, calls, dice);
  world.first_call = dice.happens(0.5) ? dice.between(1.0, 3.0) : 1.0;
  const bool changes = movesArrivals(world.arrivals) || changesMachine(world.arrivals);
  if (changes) world.change = 2 * calls / 5 + dice.below(calls / 10);
  const Seconds usual = usualTime(machine.model, world.ranks, world.keys.front().signature.bytes());
  if (world.noise.kind == NoiseKind::kCoarseClock) world.noise.tick = 0.2 * usual;
  Patterns patterns(world, dice.logarithmic(0.5, 50.0) * usual, dice);
  patterns.draw();
  drawCalls(world, patterns, calls, dice);
  return world;
}

}  // namespace starling::gym
